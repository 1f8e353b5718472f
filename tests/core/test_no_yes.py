"""Words that say no and yes."""

import pytest

from plait.core.no_yes import NO_YES, meaning, no_yes_codes


@pytest.mark.parametrize("pair", sorted(NO_YES))
def test_both_words_of_a_language_are_understood(pair):
    no, yes = pair
    assert no_yes_codes([yes.upper(), f" {no} ", no]) == {no: 0.0, yes: 1.0}


def test_words_of_two_languages_and_others_are_not():
    assert no_yes_codes(["oui", "nein"]) is None
    assert no_yes_codes(["yes", "no", "maybe"]) is None
    assert no_yes_codes(["maybe"]) is None


def test_numbers_and_single_words():
    assert [meaning(value) for value in ("1.0", "-1", "0", "TRUE", "Moon")] == ["1", "-1", "0", "true", "Moon"]
    assert no_yes_codes(["ja"])["nein"] == 0.0
