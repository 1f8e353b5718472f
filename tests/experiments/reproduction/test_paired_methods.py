import numpy as np

from plait.experiments.published import published_results
from plait.experiments.reproduction.compared_cells import compare_with_paper
from plait.experiments.reproduction.paired_methods import pairs_markdown, pairs_text, repeated_pairs
from plait.experiments.running.cells import CellResult


def as_printed(paper, change=lambda mean: mean):
    places = {}
    for s in published_results(paper):
        places.setdefault((s.dataset, s.method), {})[s.metric] = change(s.mean)
    return [CellResult(d, m, 0, 0, metrics=values) for (d, m), values in places.items()]


def test_the_printed_means_give_the_printed_tests():
    found = {t.metric: t for t in repeated_pairs("pacc", compare_with_paper("pacc", as_printed("pacc")))}
    printed = {s.metric: s.mean for s in published_results("pacc") if s.method == "PACC-LDF vs PACC"}
    for metric, test in found.items():
        assert len(test.datasets) == 12
        assert float(f"{test.published.p_value:.1e}") == printed[f"{metric}:p-value"]
        assert test.published == test.plait
    assert len(found) == 4


def test_large_label_sets_alone_count_for_scls():
    found = repeated_pairs("scls", compare_with_paper("scls", as_printed("scls", lambda mean: 1 - mean)))
    assert [(t.first, t.second) for t in found] == [("SCLS", "AMI"), ("SCLS", "MDMR")] * 3
    for test in found:
        assert len(test.datasets) == 10
        np.testing.assert_allclose([test.published.r_plus, test.plait.r_plus], [0.0, 55.0], rtol=0, atol=0)
    assert pairs_text(found).count("p = 0.002") == 12
    assert pairs_markdown(found).count("\n") == 1 + 6


def test_other_papers_have_no_such_test():
    assert repeated_pairs("occ", compare_with_paper("occ", as_printed("occ"))) == []
    assert repeated_pairs("pacc", []) == []
