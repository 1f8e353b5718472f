import numpy as np

from plait.experiments.report.graph_choice import choose_labels


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
