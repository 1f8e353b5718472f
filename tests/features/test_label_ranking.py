import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from plait.features.label_ranking import ranked_by_label


@given(
    scores=arrays(float, (5, 3), elements=st.sampled_from([0.0, 0.25, 0.5])),
    sizes=st.lists(st.integers(0, 7), min_size=3, max_size=3),
)
def test_by_sorting(scores, sizes):
    columns = np.array([1, 2, 4, 5, 8])
    mask = ranked_by_label(scores, columns, sizes, 9)
    assert mask.support.shape == (3, 9)
    for label, size in enumerate(sizes):
        order = sorted(range(5), key=lambda m: (-scores[m, label], m))[:size]
        assert mask.rankings[label].tolist() == columns[order].tolist()
        assert mask.scores[label].tolist() == scores[order, label].tolist()


def test_no_columns():
    mask = ranked_by_label(np.zeros((0, 2)), np.zeros(0, dtype=np.int64), [1, 1], 3)
    assert not mask.support.any()
