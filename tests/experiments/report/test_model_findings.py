from dataclasses import replace

import numpy as np

from plait.experiments.report import outcomes_of, report_contents, report_html
from plait.experiments.report.model_findings import choose_labels, chosen_features, pooled_reliability
from plait.experiments.report.score_tables import calibration_table
from plait.experiments.running.answers import reliability
from plait.experiments.running.cells import CellResult


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


def cell(fold, by_label, shared=False, n_features=9, names=True):
    features = {"shared": shared, "by_label": by_label}
    if names:
        features["names"] = {str(f): f"f{f}" for group in by_label for f in group}
    extras = {"features": features, "n_features": n_features, "label_names": ["sea", "sun"]}
    return CellResult("beach", "occ", fold, 0, extras=extras)


def test_shares_of_parts_by_hand():
    found = chosen_features([cell(0, [[3, 1], [8]]), cell(1, [[3], [1, 8]])])
    assert found.features == ("f1", "f3", "f8")
    np.testing.assert_array_equal(found.shares, [[0.5, 1, 0], [0.5, 0, 1]])
    assert (found.labels, found.n_parts, found.n_kept) == (("sea", "sun"), 2, 1.5)


def test_features_for_all_labels_together_and_without_names():
    found = chosen_features([cell(0, [[2, 0]], shared=True, names=False)])
    assert (found.labels, found.features) == (("all labels",), ("feature 0", "feature 2"))


def test_nothing_selected_or_all_features_kept_is_no_map():
    assert chosen_features([CellResult("beach", "br", 0, 0)]) is None
    assert chosen_features([cell(0, [[0, 1], [0, 1]], n_features=2)]) is None
    assert chosen_features([cell(0, [[], []])]) is None


def feature_section(cells):
    text = report_html(report_contents(outcomes_of(cells)))
    return text.split("id='features'")[1].split("</section>")[0]


def test_the_page_says_how_many_features_are_kept():
    words = feature_section([cell(0, [[3, 1], [8]]), cell(1, [[3], [1, 8]])])
    assert "occ: A label keeps 1.5 of 9 features on average over 2 parts." in words
    assert "<title>sea, f1: 50% of 2</title>" in words
    shared = feature_section([cell(0, [[2, 0]], shared=True, names=False)])
    assert "occ: The model keeps 2 of 9" in shared


def test_many_features_and_labels_are_cut_and_counted(made_up):
    cells = [
        replace(c, extras={**c.extras, "features": {"shared": False, "by_label": [[k, k + 1] for k in range(200)]}})
        for c in made_up(("sea",), ("br",), labels=200)
    ]
    words = feature_section(cells)
    assert "Shown are the 60 of 201 chosen ones" in words
    assert "Shown are 60 of 200 labels." in words
    assert words.count("<text") == 120


def test_a_small_graph_is_shown_whole():
    shown = choose_labels({"parents": [[], [0], [0, 1], []], "order": [3, 0, 1, 2]})
    assert shown.labels == (0, 1, 2)
    assert [edge[:2] for edge in shown.edges] == [(0, 1), (0, 2), (1, 2)]
    assert (shown.alone, shown.n_edges, shown.note) == ((3,), 3, "")
    assert not shown.has_strengths


def test_of_a_large_graph_the_strongest_edges_that_hang_together():
    chance = np.random.default_rng(0)
    parents = [[int(p) for p in chance.permutation(k)[:3]] for k in range(400)]
    strengths = [[float(s) for s in chance.random(len(group))] for group in parents]
    strengths[399] = [9.0] * 3
    shown = choose_labels({"parents": parents, "strengths": strengths}, most_labels=50, most_edges=40)
    assert len(shown.labels) == 50
    assert len(shown.edges) == 40
    assert {399, *parents[399]} <= set(shown.labels)
    assert max(edge[2] for edge in shown.edges) == 1.0
    assert "50 of 400 linked labels and 40 of" in shown.note
    assert "the strongest" in shown.note
    kept = {edge[:2] for edge in shown.edges}
    between = [
        (strengths[child][k], (parent, child))
        for child, group in enumerate(parents)
        for k, parent in enumerate(group)
        if parent in shown.labels and child in shown.labels
    ]
    weakest = min(strength for strength, edge in between if edge in kept)
    assert all(strength <= weakest for strength, edge in between if edge not in kept)


def test_a_long_chain_without_strengths_shows_neighbours():
    chain = {"parents": [list(range(k)) for k in range(200)], "order": list(range(200))}
    shown = choose_labels(chain, most_edges=149)
    assert shown.is_dense
    assert all(abs(parent - child) == 1 for parent, child, _ in shown.edges)
    assert "next to each other" in shown.note


def test_no_edges_and_no_labels():
    assert choose_labels({"parents": [[], []]}).alone == (0, 1)
    assert choose_labels({"parents": []}).labels == ()


def test_two_strong_islands_are_both_found():
    parents = [[], [0], [], [2], [], [4]]
    shown = choose_labels({"parents": parents, "strengths": [[], [3.0], [], [2.0], [], [1.0]]}, most_labels=4)
    assert shown.labels == (0, 1, 2, 3)
