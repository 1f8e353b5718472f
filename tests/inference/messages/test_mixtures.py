"""The walk step by step: where it stands at the end, not only the best vector that it passed."""

import numpy as np
import pytest

from plait.inference.messages._mixtures import climb, fill_terms, score_rows, walk
from plait.inference.messages.mixture_tables import tables_in_blocks
from plait.testing import random_forest_graph, random_graph, random_mixture


def mixture(seed, graph, n_labels, n_parts, n_rows):
    draws = np.random.default_rng(seed)
    made = random_mixture([graph(n_labels, draws) for _ in range(n_parts)], n_rows, draws, 1.0)
    return made, next(tables_in_blocks(made)), draws


@pytest.mark.parametrize("graph", [random_forest_graph, random_graph])
def test_every_step_is_taken_or_refused_as_whole_vectors_say(graph):
    n_labels, n_parts, n_rows, n_steps = 7, 6, 60, 40
    made, (_, graphs, logs), draws = mixture(3, graph, n_labels, n_parts, n_rows)
    picks, hurdles = draws.random((n_rows, n_steps)), np.log(draws.random((n_rows, n_steps)))
    free = np.array([0, 2, 3, 5, 6, 0, 0])
    start = draws.integers(0, 2, (n_rows, n_labels))
    places, terms, moved = np.empty(n_parts * n_labels, np.int64), np.empty(n_parts), np.empty(n_parts)
    ends, bests = start.copy(), start.copy()
    for row in range(n_rows):
        y = ends[row]
        fill_terms(graphs, made.log_weights, logs[row], y, places, terms)
        walk(free, 5, picks[row], hurdles[row], graphs, logs[row], y, places, terms, moved, bests[row])
        # What was updated along the way is what one gets from the start.
        fresh_places, fresh_terms = places.copy(), terms.copy()
        fill_terms(graphs, made.log_weights, logs[row], y, fresh_places, fresh_terms)
        np.testing.assert_array_equal(places, fresh_places)
        np.testing.assert_allclose(terms, fresh_terms, rtol=1e-9)
    here = start.astype(np.uint8)
    total = made.log_prob(here)
    best, top = here.copy(), total.copy()
    for t in range(n_steps):
        flipped = here.copy()
        flipped[np.arange(n_rows), free[(picks[:, t] * 5).astype(int)]] ^= 1
        there = made.log_prob(flipped)
        taken = there - total >= hurdles[:, t]
        here[taken], total[taken] = flipped[taken], there[taken]
        better = total > top
        best[better], top[better] = here[better], total[better]
    np.testing.assert_array_equal(ends, here)
    np.testing.assert_array_equal(bests, best)


def test_the_climb_takes_the_steepest_flip():
    made, (_, graphs, logs), draws = mixture(4, random_forest_graph, 6, 3, 20)
    places, terms, moved = np.empty(18, np.int64), np.empty(3), np.empty(3)
    for row in range(20):
        y = draws.integers(0, 2, 6)
        plain, one = y.astype(np.uint8), made.take(slice(row, row + 1))
        while True:
            flips = plain ^ np.eye(6, dtype=np.uint8)[:4]
            reached = one.log_prob(flips[None])[0]
            if reached.max() <= one.log_prob(plain[None])[0]:
                break
            plain = flips[reached.argmax()]
        fill_terms(graphs, made.log_weights, logs[row], y, places, terms)
        climb(np.arange(6), 4, graphs, logs[row], y, places, terms, moved)
        np.testing.assert_array_equal(y, plain)


def test_the_climb_ends_where_all_vectors_are_alike():
    made, (_, graphs, logs), draws = mixture(4, random_forest_graph, 6, 3, 1)
    even = np.full_like(logs[0], np.log(0.5))
    places, terms, moved = np.empty(18, np.int64), np.empty(3), np.empty(3)
    start = draws.integers(0, 2, 6)
    y = start.copy()
    fill_terms(graphs, made.log_weights, even, y, places, terms)
    climb(np.arange(6), 6, graphs, even, y, places, terms, moved)
    np.testing.assert_array_equal(y, start)


def test_scores_of_vectors_some_of_them_equal():
    made, (_, graphs, logs), draws = mixture(5, random_graph, 5, 3, 4)
    vectors = draws.integers(0, 2, (4, 6, 5)).astype(np.uint8)
    vectors[:, 3] = vectors[:, 2]
    found = np.empty((4, 6))
    score_rows(graphs, made.log_weights, logs, vectors, found)
    np.testing.assert_allclose(found, made.log_prob(vectors), rtol=1e-12)
