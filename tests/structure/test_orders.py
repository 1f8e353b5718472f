import numpy as np
import pytest

from plait.core.sentences import ParameterError
from plait.structure import FrequencyOrder, FullChain, GivenOrder, InformationOrder, RandomOrder

rng = np.random.default_rng(0)
Y = (rng.random((50, 4)) < [0.2, 0.9, 0.5, 0.5]).astype(np.uint8)
Y[:, 3] = Y[:, 2]
X = rng.normal(size=(50, 3))


def order_of(order, **more):
    return FullChain(order).build(X, Y, **more).order


def test_words_and_objects_are_the_same():
    for word, kind in (("given", GivenOrder), ("frequency", FrequencyOrder), ("information", InformationOrder)):
        assert order_of(word) == order_of(kind())
    assert order_of("random", random_state=1) == order_of(RandomOrder(), random_state=1)
    assert order_of(None) == order_of("given") == (0, 1, 2, 3)


def test_frequent_labels_come_first_and_ties_by_index():
    assert order_of("frequency") == (1, 2, 3, 0)


def test_random_orders_are_all_orders():
    chains = [FullChain("random").build(X[:, :1], Y[:, :3], random_state=seed).order for seed in range(60)]
    assert len(set(chains)) == 6


def test_labels_by_number_and_name():
    expected = (3, 0, 2, 1)
    for order in (expected, list(expected), np.array(expected), GivenOrder(expected)):
        assert order_of(order) == expected
    assert order_of(["d", "a", 2, "b"], label_names="abcd") == expected


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ("backwards", "'given', 'random', 'frequency' or 'information'"),
        ([0, 1, 2], "each of 4 labels once, but it is"),
        ([0, 1, 2, 2], "each of 4 labels once"),
        ([0, 1, 2, 4], "labels from 0 to 3, but it holds 4"),
        (["a", "b", "c", "d"], "label names where order holds names"),
        (3, "a sequence of all labels by number or name"),
    ],
)
def test_wrong_orders(order, words):
    with pytest.raises(ParameterError, match=f"FullChain needs .*{words}"):
        order_of(order)
