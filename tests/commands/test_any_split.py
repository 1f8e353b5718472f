"""For random tables, any split of the rows into files gives the same predictions as the whole file, bit for bit."""

import csv
import warnings

import numpy as np
import pytest

from plait.commands.predict import matching_features, rows_for
from plait.commands.sources import Source
from plait.data import DataWarning
from plait.estimators import ModelFile, recipes

PAIRS = (("ja", "nein"), ("yes", "no"), ("true", "false"), ("oui", "non"), ("1", "0"))
SAID = ["love", "sea", "sun", "blue", "rain", "cold", "warm", "night", "007", "12", "été", "ja"]


def with_gaps(chance, cells):
    share = chance.choice([0.0, 0.1, 0.5])
    return [chance.choice(["", "NA", "?"]) if chance.random() < share else cell for cell in cells]


def column(chance, kind, n, comma):
    """Return the cells of a column that may look like another kind in a part of its rows."""
    if kind == "words":
        words = chance.choice(["C", "G", "01", "1", "1.0", "true", "2024-01-31", "a b", 'say "x"', "x;y,z"], 4)
        return with_gaps(chance, chance.choice(words, n).tolist())
    if kind == "yes/no":
        return with_gaps(chance, chance.choice(PAIRS[chance.integers(len(PAIRS))], n).tolist())
    if kind == "numbers":
        numbers = [f"{number:.4g}" for number in chance.normal(size=n) * 10.0 ** chance.integers(-3, 4)]
        return with_gaps(chance, [number.replace(".", ",") if comma else number for number in numbers])
    if kind == "dates":
        days = np.datetime64("2020-01-31") + chance.integers(0, 3000, n)
        form = "{2}.{1}.{0}" if chance.random() < 0.3 else "{0}-{1}-{2}"
        return with_gaps(chance, [form.format(*str(day).split("-")) for day in days])
    if kind == "text":
        return with_gaps(chance, [" ".join(chance.choice(SAID, chance.integers(0, 12))) for _ in range(n)])
    if kind == "ids":
        return [f"row-{i}" for i in chance.permutation(n)] if chance.random() < 0.5 else [str(i) for i in range(n)]
    return [""] * n


def random_table(seed):
    chance = np.random.default_rng(seed)
    n, separator = int(chance.integers(8, 50)), chance.choice([",", ";"])
    kinds = chance.choice(
        ["words", "yes/no", "numbers", "dates", "text", "ids", "empty"], chance.integers(1, 7)
    ).tolist()
    if not set(kinds) - {"ids", "empty"}:
        kinds.append("numbers")
    columns = {f"{kind} {j}": column(chance, kind, n, separator == ";") for j, kind in enumerate(kinds)}
    Y = chance.random((n, 3)) < 0.4
    if chance.random() < 0.5:
        columns["tags"] = ["|".join(name for name, on in zip("abc", row, strict=True) if on) for row in Y]
        labels = {"tags": "tags"}
    else:
        columns |= {name: ["1" if on else "0" for on in Y[:, k]] for k, name in enumerate("abc")}
        labels = {"labels": ["a", "b", "c"]}
    return chance, separator, columns, labels


def write(path, columns, rows, separator):
    with path.open("w", newline="", encoding="utf8") as file:
        writer = csv.writer(file, delimiter=separator)
        writer.writerow(columns)
        writer.writerows([[cells[i] for cells in columns.values()] for i in rows])
    return str(path)


def check(folder, seed):
    chance, separator, columns, labels = random_table(seed)
    n = len(next(iter(columns.values())))
    source = Source(write(folder / "whole.csv", columns, range(n), separator), **labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        data = source.load()
        model = source.with_encoder(recipes.br(), data).fit(data.X, data.Y)
        file = ModelFile(model, tuple(data.feature_names), tuple(data.label_names))

        def answers(name):
            _, rows = rows_for(file, name, {})
            return model.predict_proba(matching_features(file, rows))

        whole = answers(source.data)
        order, cuts = chance.permutation(n), np.sort(chance.choice(np.arange(1, n), min(4, n - 1), replace=False))
        for rows in np.split(order, cuts):
            part = answers(write(folder / "part.csv", columns, rows, separator))
            assert part.tobytes() == whole[rows].tobytes(), f"seed {seed}, rows {rows}"


@pytest.mark.parametrize("seed", range(12))
def test_any_split_of_the_rows_gives_the_same_predictions(tmp_path, seed):
    check(tmp_path, seed)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_any_split_of_the_rows_of_500_tables(tmp_path):
    for seed in range(100, 600):
        check(tmp_path, seed)
