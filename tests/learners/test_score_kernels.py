"""The heap of nodes that searches of label trees take their best from."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from plait.learners import _score_kernels


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40))
def test_a_heap_gives_the_largest_first_and_of_equal_ones_the_smaller_node(numbers):
    keys, heap = np.array(numbers, dtype=np.float64), np.empty(len(numbers), dtype=np.int64)
    for size, node in enumerate(np.random.default_rng(0).permutation(len(numbers))):
        heap[size] = node
        _score_kernels.sift_up(heap, keys, size)
    taken = []
    for size in range(len(numbers) - 1, -1, -1):
        taken.append(int(heap[0]))
        heap[0] = heap[size]
        _score_kernels.sift_down(heap, keys, size)
    assert taken == sorted(range(len(numbers)), key=lambda node: (-keys[node], node))
