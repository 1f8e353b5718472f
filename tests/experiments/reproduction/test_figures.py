from plait.experiments.reproduction.facts import Figure
from plait.experiments.reproduction.figures import draw_figure, gains_table, means_table, times_table
from plait.experiments.reproduction.run_ledger import measured_means
from plait.experiments.running.cells import CellResult
from plait.pictures.tables import as_text


def made():
    rows = [("yeast", "kCC @ 0", (0.1, 0.2)), ("yeast", "kCC @ 5", (0.3, 0.4)), ("scene", "kCC @ 2", (0.5, 0.5))]
    return [CellResult(d, m, f, 0, metrics={"exact_match": v}) for d, m, both in rows for f, v in enumerate(both)]


def test_each_data_set_has_a_panel_with_the_means():
    svg = draw_figure(measured_means(made()), Figure("exact_match", "exact match by k", "k"))
    for words, times in (("<circle", 3), ("kCC: 0, 0.15", 1), ("kCC: 5, 0.35", 1), ("kCC: 2, 0.5", 1)):
        assert svg.count(words) == times
    assert draw_figure({}, Figure("exact_match", "exact match by k", "k")) == ""


def test_means_have_their_deviations_and_failures_are_left_out():
    failed = CellResult("scene", "kCC @ 9", 0, 0, error="ValueError: no")
    text = as_text(means_table(measured_means([*made(), failed]), ["exact_match"]), 200)
    assert "0.150 ±0.071" in text
    assert "@ 9" not in text


def test_a_map_has_the_data_sets_on_which_all_methods_ran():
    rows = [("yeast", "PACC", 0.1), ("yeast", "BR", 0.4), ("scene", "PACC", 0.5), ("birds", "PACC", 0.0)]
    rows += [("birds", "BR", 0.0), ("birds", "CC", 0.3), ("yeast", "CC", 0.2)]
    results = [CellResult(name, method, 0, 0, metrics={"exact_match": value}) for name, method, value in rows]
    svg = draw_figure(measured_means(results), Figure("exact_match", "map", methods=("BR", "PACC")))
    for words in ("yeast", "birds", ">0.400<", ">0.100<"):
        assert words in svg
    for words in ("scene", "CC<", "0.200"):
        assert words not in svg.replace("PACC<", "")
    divided = draw_figure(measured_means(results), Figure("exact_match", "map", methods=("BR", "PACC"), by_lowest=True))
    assert ">4.00<" in divided
    assert ">1.00<" in divided
    assert draw_figure(measured_means(results[2:3]), Figure("exact_match", "map", methods=("BR",))) == ""


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
    table = gains_table(
        "pacc", {"as run": measured_means(results)}, [("PACC-LDF", "PACC"), ("BR-LDF", "BR")], "exact_match"
    )
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
    (row,) = texts(times_table("pacc", measured_means(results), [("PACC-LDF", "PACC")]))
    assert row == ["PACC-LDF / PACC", "emotions", f"{0.430 / 0.406:.2f}", "1.50", f"{0.007 / 0.009:.2f}", "0.25"]
