import tomllib

from hypothesis import given
from hypothesis import strategies as st

from plait.experiments.planning.plan_problems import key_lines, line_of

TEXT = '''# first
name = "a # b"  # comment = 1
datasets = [
  "emotions",  # [x]

  {name = "b", protocol = {kind = "kfold", folds = 1}},
]
text = """
[not.a.table]
x = 3 \\""" """
also = \'\'\'
y = 1\'\'\'
a.b."c d".e = 1
[methods.br]
[methods."pcc .25"]
inference.use = "x"
[[many]]
x = 1
[[many]]
y = [[1, 2], [
  3]]
[many.sub]
z = 1979-05-27 07:32:00
literal = 'a\\'
[many.sub.deep]
w = -inf
'''


def paths_of(value, path=()):
    """Return the paths of everything in a read TOML."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(inner for key, part in parts for inner in paths_of(part, (*path, key)))]


def test_every_key_and_element_has_its_line():
    lines = key_lines(TEXT)
    assert set(paths_of(tomllib.loads(TEXT))) - {()} == set(lines)
    rows = TEXT.splitlines()
    for path, line in lines.items():
        names = [str(key) for key in path if isinstance(key, str)]
        if isinstance(path[-1], str):
            assert names[-1] in rows[line - 1]
    assert lines["datasets", 1, "protocol", "folds"] == 6
    assert lines["many", 1, "y", 1, 0] == 21
    assert lines["many", 1, "sub", "deep", "w"] == 26
    assert (lines["text",], lines["also",], lines["a", "b", "c d", "e"]) == (8, 11, 13)


def test_a_key_that_is_missing_has_the_line_of_its_table():
    lines = key_lines(TEXT)
    assert line_of(lines, ("many", 1, "sub", "deep", "nothing", 3)) == 25
    assert line_of(lines, ("nothing",)) == 1


WORDS = st.text("abcdefg_-XYZ019", min_size=1, max_size=5)
ODD_WORDS = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=6)
SCALARS = st.one_of(st.integers(), st.booleans(), ODD_WORDS, st.floats(allow_nan=False))
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3), max_leaves=8
)


def quoted(word):
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def inline(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(key)} = {inline(part)}" for key, part in value.items()) + "}"
    return str(value)


@given(st.dictionaries(WORDS, VALUES, max_size=4), st.dictionaries(WORDS, st.dictionaries(WORDS, VALUES), max_size=3))
def test_written_lines_are_found(plain, tables):
    rows, expected = [], {}
    for key, value in plain.items():
        rows.append(f"{key} = {inline(value)} # {key} = 0")
        expected |= dict.fromkeys([(key, *path) for path in paths_of(value)], len(rows))
    for name, table in tables.items():
        rows += ["", f"[{quoted('table ' + name)}]"]
        expected["table " + name,] = len(rows)
        for key, value in table.items():
            rows.append(f"  {quoted(key)}={inline(value)}")
            expected |= dict.fromkeys([("table " + name, key, *path) for path in paths_of(value)], len(rows))
    text = "\n".join(rows)
    tomllib.loads(text)
    assert key_lines(text) == expected
