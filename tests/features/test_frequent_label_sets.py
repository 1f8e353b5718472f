from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from plait.features.frequent_label_sets import label_set_classes

labels = st.tuples(st.integers(0, 12), st.integers(1, 3)).flatmap(
    lambda shape: arrays(np.uint8, shape, elements=st.integers(0, 1))
)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@given(Y=labels, pruning=st.integers(0, 5))
def test_by_counting_sets(form, Y, pruning):
    sets = [tuple(row) for row in Y.tolist()]
    counts = Counter(sets)
    lowered = pruning
    while counts and max(counts.values()) <= lowered:
        lowered -= 1
    kept = [s for s in dict.fromkeys(sets) if counts[s] > lowered]
    expected = [kept.index(s) if s in kept else -1 for s in sets]
    assert label_set_classes(form(Y), pruning).tolist() == expected
