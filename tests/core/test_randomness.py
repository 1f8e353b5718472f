import numpy as np
import pytest
from joblib import Parallel, delayed

from plait.core.randomness import generator, generators, seeds


def draws(rng):
    return rng.integers(0, 2**60, size=4).tolist()


def test_same_integer_same_stream_and_other_integer_another():
    assert draws(generator(5)) == draws(generator(5))
    assert draws(generator(5)) != draws(generator(6))


def test_none_differs_between_calls():
    assert draws(generator(None)) != draws(generator(None))


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_a_generator_is_repeatable_and_moves_on(make):
    assert draws(generator(make(1))) == draws(generator(make(1)))
    state = make(1)
    assert draws(generator(state)) != draws(generator(state))


def test_task_i_gets_the_same_stream_however_many_there_are():
    few, many = generators(3, 2), generators(3, 9)
    assert [draws(g) for g in few] == [draws(g) for g in many[:2]]
    assert len({tuple(draws(g)) for g in generators(3, 50)}) == 50


def test_the_number_of_workers_does_not_matter():
    draw = delayed(np.random.Generator.integers)
    results = [Parallel(n_jobs=n_jobs)(draw(g, 0, 2**60, size=4) for g in generators(11, 6)) for n_jobs in (1, 2)]
    np.testing.assert_array_equal(results[0], results[1])


def test_seeds_suit_scikit_learn():
    made = seeds(0, 100)
    assert made == seeds(0, 100)
    assert len(set(made)) == 100
    assert all(0 <= seed < 2**32 for seed in made)
