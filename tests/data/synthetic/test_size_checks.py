import pytest

from plait.core.sentences import ParameterError
from plait.data.synthetic.size_checks import check_sizes


def test_good_sizes_pass():
    assert check_sizes("Mine", 0, n_samples=1, n_labels=7) is None


@pytest.mark.parametrize("wrong", [0, -1, 1.0, True, "3", None])
def test_the_wrong_size_is_named(wrong):
    with pytest.raises(ParameterError, match="Mine needs n_labels to be an integer of at least 1"):
        check_sizes("Mine", None, n_samples=1, n_labels=wrong)


def test_random_state_is_checked_too():
    with pytest.raises(ParameterError, match="Mine needs random_state to be"):
        check_sizes("Mine", "seed", n_samples=1)
