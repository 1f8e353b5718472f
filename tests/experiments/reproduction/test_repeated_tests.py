import numpy as np
from scipy import stats

from plait.experiments.published import published_rank_tests, published_results
from plait.experiments.reproduction import repeated_tables
from plait.experiments.reproduction.compared_cells import compare_with_paper
from plait.experiments.reproduction.repeated_tests import (
    repeated_outcomes,
    repeated_pairs,
    repeated_ranks,
)
from plait.experiments.reproduction.run_ledger import measured_means
from plait.experiments.running.cells import CellResult


def as_printed(paper, change=lambda score: score.mean):
    """Return results that equal what a paper printed."""
    scores = [s for s in published_results(paper) if "/" not in s.dataset and "average" not in s.dataset]
    places = {}
    for s in scores:
        places.setdefault((s.dataset, s.method), {})[s.metric] = change(s)
    return [CellResult(d, m, 0, 0, metrics=values) for (d, m), values in places.items()]


def test_on_the_printed_means_both_sides_are_the_papers_own_test():
    for paper in ("occ", "scls", "pacc"):
        tests = {t.metric: t for t in repeated_ranks(paper, compare_with_paper(paper, as_printed(paper)))}
        for printed in published_rank_tests(paper):
            test = tests[printed.metric]
            np.testing.assert_allclose(test.published.average_ranks, test.plait.average_ranks, rtol=0, atol=0)
            assert len(test.plait.methods) == printed.n_methods
            # Data that are not the same take their data set out of the test.
            left_out = {"occ": 1, "scls": 1, "pacc": 0}[paper]
            assert len(test.datasets) == printed.n_datasets - left_out
            if not left_out:
                np.testing.assert_allclose(test.plait.friedman.f, printed.f_recomputed, rtol=1e-4)


def test_other_results_change_one_side_only():
    turned = compare_with_paper("pacc", as_printed("pacc", lambda s: 1 - s.mean))
    test = repeated_ranks("pacc", turned)[0]
    np.testing.assert_allclose(test.published.average_ranks + test.plait.average_ranks, 5.0, rtol=1e-12)


def test_a_control_is_kept_and_few_results_are_no_test():
    tests = repeated_ranks("scls", compare_with_paper("scls", as_printed("scls")))
    assert {test.plait.control for test in tests} == {0}
    # The paper's own method has the smallest losses, so the best rank.
    assert {int(test.plait.average_ranks.argmin()) for test in tests} == {0}
    few = [r for r in as_printed("scls") if r.dataset == "yeast"]
    assert repeated_ranks("scls", compare_with_paper("scls", few)) == []
    assert repeated_ranks("pcc", compare_with_paper("pcc", as_printed("pcc"))) == []


def test_paired_tests_are_over_the_folds():
    rng = np.random.default_rng(0)
    folds = {"MC": rng.normal(0.4, 0.02, 10), "BR": rng.normal(0.3, 0.02, 10)}
    results = [
        CellResult("emotions", method, fold, 0, metrics={"exact_match": value, "cll_loss": 100 * value})
        for method, values in folds.items()
        for fold, value in enumerate(values)
    ]
    found = {(o.metric, o.method): o for o in repeated_outcomes(compare_with_paper("mc", results))}
    expected = stats.ttest_rel(folds["MC"], folds["BR"]).pvalue
    np.testing.assert_allclose(found["exact_match", "BR"].plait.p_value, expected, rtol=1e-9)
    assert (found["exact_match", "BR"].published, found["exact_match", "BR"].plait.outcome) == ("win", "win")
    assert found["cll_loss", "BR"].plait.outcome == "loss"  # a loss is the better the smaller
    assert set(found) == {("exact_match", "BR"), ("cll_loss", "BR")}
    # Without a fold there is nothing to pair.
    assert repeated_outcomes(compare_with_paper("mc", results[:-1])) == []


def test_methods_that_ran_on_few_data_sets_do_not_spoil_the_test():
    kept = [r for r in as_printed("pacc") if r.method != "HOMER" or r.dataset == "birds"]
    test = repeated_ranks("pacc", compare_with_paper("pacc", kept))[0]
    assert test.plait.methods == ("MLkNN", "RAkEL", "PACC-LDF")
    assert len(test.datasets) == 12


def all_printed(paper, change=lambda mean: mean):
    places = {}
    for s in published_results(paper):
        places.setdefault((s.dataset, s.method), {})[s.metric] = change(s.mean)
    return [CellResult(d, m, 0, 0, metrics=values) for (d, m), values in places.items()]


def test_the_printed_means_give_the_printed_tests():
    found = {t.metric: t for t in repeated_pairs("pacc", compare_with_paper("pacc", all_printed("pacc")))}
    printed = {s.metric: s.mean for s in published_results("pacc") if s.method == "PACC-LDF vs PACC"}
    for metric, test in found.items():
        assert len(test.datasets) == 12
        assert float(f"{test.published.p_value:.1e}") == printed[f"{metric}:p-value"]
        assert test.published == test.plait
        assert test.printed.endswith(f"p = {printed[f'{metric}:p-value']:g}")
    assert len(found) == 4


def test_methods_of_which_only_tests_are_printed():
    means = {"BR-LDF": [0.3, 0.2, 0.5, 0.4], "BR": [0.1, 0.3, 0.2, 0.2]}
    results = [
        CellResult(name, method, fold, 0, metrics={"exact_match": mean + shift, "macro_f1": mean})
        for method, values in means.items()
        for name, mean in zip(("emotions", "scene", "yeast", "birds"), values, strict=True)
        for fold, shift in enumerate((-0.01, 0.01))
    ]
    cells = compare_with_paper("pacc", results)
    (test, other) = repeated_pairs("pacc", cells, measured_means(results))
    assert (test.first, test.second, test.metric, other.metric) == ("BR-LDF", "BR", "exact_match", "macro_f1")
    assert test.published is None
    assert test.printed == "tie, p = 0.61"
    expected = stats.wilcoxon(means["BR-LDF"], means["BR"], method="exact")
    np.testing.assert_allclose(test.plait.p_value, expected.pvalue, rtol=1e-12)
    assert repeated_pairs("pacc", cells) == []
    assert "| tie, p = 0.61 | 4 |  | R+" in repeated_tables.pairs_markdown([test])


def test_large_label_sets_alone_count_for_scls():
    found = repeated_pairs("scls", compare_with_paper("scls", all_printed("scls", lambda mean: 1 - mean)))
    assert [(t.first, t.second) for t in found] == [("SCLS", "AMI"), ("SCLS", "MDMR")] * 3
    for test in found:
        assert len(test.datasets) == 10
        np.testing.assert_allclose([test.published.r_plus, test.plait.r_plus], [0.0, 55.0], rtol=0, atol=0)
    assert repeated_tables.pairs_text(found).count("p = 0.002") == 12
    assert repeated_tables.pairs_markdown(found).count("\n") == 1 + 6


def test_other_papers_have_no_such_test():
    assert repeated_pairs("occ", compare_with_paper("occ", all_printed("occ"))) == []
    assert repeated_pairs("pacc", []) == []
