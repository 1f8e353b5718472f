from dataclasses import replace
from xml.etree import ElementTree

import numpy as np

from plait.experiments.report.calibration import calibration_table
from plait.experiments.report.outcomes import outcomes_of
from plait.experiments.report.reliability_panels import draw_reliability, pooled_reliability
from plait.experiments.running.cell_extras import reliability
from plait.experiments.running.cells import CellResult

SVG = "{http://www.w3.org/2000/svg}"


def parts(n_parts=3):
    chance = np.random.default_rng(1)
    given = [chance.random((40 + 10 * part, 4)) ** 2 for part in range(n_parts)]
    return given, [(chance.random(marginals.shape) < marginals).astype(int) for marginals in given]


def test_pooling_parts_is_the_same_as_binning_all_rows():
    given, truth = parts()
    cells = [
        CellResult("sea", "br", fold, 0, extras={"reliability": reliability(marginals, Y)})
        for fold, (marginals, Y) in enumerate(zip(given, truth, strict=True))
    ]
    pooled, whole = pooled_reliability(cells), reliability(np.vstack(given), np.vstack(truth))
    np.testing.assert_array_equal(pooled.count, whole["count"])
    np.testing.assert_allclose(pooled.mean, whole["mean"], rtol=1e-12)
    np.testing.assert_allclose(pooled.frequency, whole["frequency"], rtol=1e-12)


def test_the_error_by_a_loop_over_labels():
    given, truth = parts(1)
    found = pooled_reliability([CellResult("sea", "br", 0, 0, extras={"reliability": reliability(given[0], truth[0])})])
    total = 0.0
    for b in range(10):
        inside = [(p, y) for p, y in zip(given[0].ravel(), truth[0].ravel(), strict=True) if int(p * 10) == b]
        if inside:
            total += abs(sum(p for p, _ in inside) - sum(y for _, y in inside))
    np.testing.assert_allclose(found.calibration_error, total / given[0].size, rtol=1e-9)


def test_no_bins_no_panel():
    assert pooled_reliability([]) is None
    assert pooled_reliability([CellResult("sea", "br", 0, 0)]) is None


def test_dots_stand_where_bins_are(made_up):
    found = pooled_reliability(made_up(("sea",), ("br",)))
    root = ElementTree.fromstring(draw_reliability(found, "br", "sea"))
    dots = np.array([[float(node.get("cx")), float(node.get("cy"))] for node in root.iter(f"{SVG}circle")])
    assert len(dots) == 10
    np.testing.assert_allclose((dots[:, 0] - 30) / 150, found.mean, rtol=0, atol=1e-3)
    np.testing.assert_allclose(1 - (dots[:, 1] - 38) / 150, found.frequency, rtol=0, atol=1e-3)


def test_the_table_has_a_row_for_each_method_with_bins(made_up):
    cells = [replace(c, extras={}) if c.method == "cc" else c for c in made_up()]
    outcomes = outcomes_of(cells)
    table = calibration_table(outcomes)
    assert [row[0].value for row in table.rows] == ["br", "pcc"]
    for row in table.rows:
        for entry, dataset in zip(row[1:], outcomes.datasets, strict=True):
            assert entry.value == pooled_reliability(outcomes.cells(dataset, row[0].value)).calibration_error
    assert [sum(row[c].best for row in table.rows) for c in (1, 2, 3)] == [1, 1, 1]
    assert calibration_table(outcomes_of([])).rows == ()
