import numpy as np

from plait.experiments.reproduction.gains_and_times import gains_table, times_table
from plait.experiments.running.cells import CellResult


def result(dataset, method, score, fit=1.0, predict=1.0, fold=0, **words):
    cell = CellResult(dataset, method, fold, 0, metrics={"exact_match": score}, **words)
    return type(cell)(**{**cell.__dict__, "fit_seconds": fit, "predict_seconds": predict})


def texts(table):
    return [[entry.value for entry in row] for row in table.rows]


def test_gains_in_percent_and_their_mean():
    results = [result("emotions", "PACC", 0.2, fold=k) for k in range(2)]
    results += [result("emotions", "PACC-LDF", score, fold=k) for k, score in enumerate((0.2, 0.3))]
    results += [result("scene", "PACC", 0.5), result("scene", "PACC-LDF", 0.4), result("yeast", "PACC", 0.0)]
    results += [result("yeast", "PACC-LDF", 0.4), result("birds", "PACC-LDF", 0.4, error="no")]
    table = gains_table("pacc", {"as run": results}, [("PACC-LDF", "PACC"), ("BR-LDF", "BR")], "exact_match")
    heads = [column.name for column in table.columns]
    assert heads == ["data set", "PACC-LDF over PACC, published", "PACC-LDF over PACC, as run"]
    rows = {row[0]: row[1:] for row in texts(table)}
    assert rows["emotions"] == [f"{100 * (0.314 / 0.261 - 1):+.1f}%", "+25.0%"]
    assert rows["scene"][1] == "-20.0%"
    assert rows["birds"][1] == rows["yeast"][1] == ""
    assert rows["mean"][1] == "+2.5%"
    assert len(rows) == 13


def test_ratios_of_median_times():
    results = [result("emotions", "PACC", 0.2, 2.0, 4.0, k) for k in range(3)]
    results += [result("emotions", "PACC-LDF", 0.2, fit, 1.0, k) for k, fit in enumerate((1.0, 3.0, 90.0))]
    results += [result("scene", "PACC", 0.2), result("scene", "PACC-LDF", 0.2, error="no")]
    (row,) = texts(times_table("pacc", results, [("PACC-LDF", "PACC")]))
    assert row == ["PACC-LDF / PACC", "emotions", f"{0.430 / 0.406:.2f}", "1.50", f"{0.007 / 0.009:.2f}", "0.25"]
    assert np.isfinite(float(row[2]))
