"""Words that say no and yes, in many languages: what they mean is the same in files, in frames and in labels."""

from collections.abc import Iterable

__all__ = ["NO", "NO_YES", "YES", "meaning", "no_yes_codes"]

_LETTERS = (("0", "1"), ("-1", "1"), ("f", "t"), ("n", "y"), ("off", "on"))
_WORDS = (
    *(("false", "true"), ("no", "yes"), ("nein", "ja"), ("falsch", "wahr"), ("non", "oui"), ("faux", "vrai")),
    *(("no", "si"), ("no", "sí"), ("no", "sì"), ("falso", "verdadero"), ("falso", "vero"), ("não", "sim")),
    *(("falso", "verdadeiro"), ("nee", "ja"), ("nej", "ja"), ("nei", "ja"), ("ei", "kyllä"), ("nie", "tak")),
    *(("ne", "ano"), ("nem", "igen"), ("ne", "da"), ("nu", "da"), ("нет", "да"), ("ні", "так"), ("не", "да")),
    *(("όχι", "ναι"), ("hayır", "evet"), ("لا", "نعم"), ("לא", "כן"), ("नहीं", "हाँ"), ("いいえ", "はい")),
    *(("否", "是"), ("아니요", "예"), ("tidak", "ya"), ("không", "có")),
)
NO_YES = {*_LETTERS, *_WORDS}
NO = {"0", *(no for no, _ in _WORDS)}
YES = {"1", *(yes for _, yes in _WORDS)}
_KNOWN = {word for pair in NO_YES for word in pair}


def meaning(value: str) -> str:
    """Return a value in the form in which no and yes are looked up: 0.0 is 0, TRUE is true, others stay."""
    word = value.strip().lower()
    try:
        number = float(word)
    except ValueError:
        return word if word in _KNOWN else value
    return str(int(number)) if number in (-1.0, 0.0, 1.0) else value


def no_yes_codes(values: Iterable[str]) -> dict[str, float] | None:
    """Return what words mean if they say no and yes in some language, else None; capitals do not count.

    Words of one meaning alone, as a small file may hold, are understood with both.

    Examples
    --------
    >>> no_yes_codes(["Ja", "nein"]), no_yes_codes(["nein", "maybe"])
    ({'nein': 0.0, 'ja': 1.0}, None)
    >>> no_yes_codes(["nein"])["ja"]
    1.0
    """
    words = {meaning(value) for value in values}
    pair = next((pair for pair in NO_YES if words == set(pair)), None)
    if pair is not None:
        return {pair[0]: 0.0, pair[1]: 1.0}
    if len(words) == 1 and words <= NO | YES:
        return dict.fromkeys(sorted(NO), 0.0) | dict.fromkeys(sorted(YES), 1.0)
    return None
