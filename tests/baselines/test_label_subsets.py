from itertools import combinations
from math import comb

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.baselines.label_subsets import disjoint_subsets, overlapping_subsets


@settings(max_examples=200, deadline=None)
@given(q=st.integers(1, 12), k=st.integers(1, 14), m=st.integers(1, 40), cover=st.booleans(), seed=st.integers(0, 99))
def test_overlapping_subsets_are_distinct_and_as_many_as_asked(q, k, m, cover, seed):
    found = overlapping_subsets(q, k, m, cover, np.random.default_rng(seed))
    keys = [tuple(subset.tolist()) for subset in found]
    assert len(set(keys)) == len(keys)
    assert all(len(set(key)) == min(k, q) and sorted(key) == list(key) for key in keys)
    wanted = min(m, comb(q, min(k, q)))
    plain = overlapping_subsets(q, k, m, False, np.random.default_rng(seed))
    missing = set(range(q)) - {label for subset in plain for label in subset.tolist()}
    assert len(plain) == wanted
    assert len(found) == wanted + (-(-len(missing) // min(k, q)) if cover else 0)
    if cover:
        assert {label for key in keys for label in key} == set(range(q))


def test_all_subsets_are_equally_likely():
    for m in (1, 5):  # drawn one by one, and chosen from all ten
        counts = dict.fromkeys(combinations(range(5), 3), 0)
        for seed in range(3000):
            for subset in overlapping_subsets(5, 3, m, False, np.random.default_rng(seed)):
                counts[tuple(subset.tolist())] += 1
        share = m / 10
        deviation = np.sqrt(share * (1 - share) / 3000)
        np.testing.assert_allclose(np.array(list(counts.values())) / 3000, share, rtol=0, atol=5 * deviation)


@given(q=st.integers(1, 30), k=st.integers(1, 35), seed=st.integers(0, 99))
def test_disjoint_subsets_part_the_labels(q, k, seed):
    found = disjoint_subsets(q, k, np.random.default_rng(seed))
    assert sorted(np.concatenate(found).tolist()) == list(range(q))
    assert [len(subset) for subset in found[:-1]] == [k] * (len(found) - 1)
    assert len(found) == -(-q // k)
