import numpy as np
import pytest

from plait import metrics, recipes
from plait.core.sentences import ParameterError
from plait.data.synthetic import synth2
from plait.inference import BestFirst
from plait.learners import LogisticLearner
from plait.posterior import FewLabelsWarning


def test_one_label_a_row_and_four_times_its_number_of_ones():
    made = synth2(0, n_train=300, n_test=700)
    for part, n in ((made.train, 300), (made.test, 700)):
        assert part.X.shape == (n, 40)
        assert set(np.unique(part.X)) == {0.0, 1.0}
        assert (part.Y.sum(axis=1) == 1).all()
        np.testing.assert_array_equal(part.X.sum(axis=1), 4 * (part.Y.argmax(axis=1) + 1))


def test_labels_and_places_are_equally_frequent():
    made = synth2(0).test
    n = made.n_samples
    assert n == 10_000
    assert np.abs(made.Y.sum(axis=0) - n / 10).max() < 4 * np.sqrt(n * 0.1 * 0.9)
    # Of the rows with label 1, four of forty features each: every feature is on in a tenth.
    first = made.X[made.Y[:, 0] == 1]
    assert np.abs(first.sum(axis=0) - len(first) / 10).max() < 4 * np.sqrt(len(first) * 0.1 * 0.9)


def test_a_chain_makes_no_error_where_one_label_at_a_time_does():
    # [PCC table 2]: 0.000 and 0.000 for every inference of a chain, 0.084 and 0.832 for binary relevance.
    made = synth2(0)
    learner = LogisticLearner(C=1e4, standardize=False)
    chain = recipes.cc(order="given", learner=learner).fit(made.train.X, made.train.Y)
    for inference in ("greedy", BestFirst(epsilon=0.25), BestFirst()):
        predicted = chain.set_params(inference=inference).predict(made.test.X)
        assert metrics.subset_loss(made.test.Y, predicted) == 0
    with pytest.warns(FewLabelsWarning):
        alone = recipes.br(learner=learner).fit(made.train.X, made.train.Y).predict(made.test.X)
    assert 0.75 < metrics.subset_loss(made.test.Y, alone) < 0.9


def test_same_seed_same_bits():
    first, again, other = (synth2(seed, n_train=20, n_test=5) for seed in (3, 3, 4))
    assert first.train == again.train
    assert first.test == again.test
    assert first.train != other.train


@pytest.mark.parametrize(("name", "value"), [("n_train", 0), ("n_test", 1.5), ("random_state", -1)])
def test_wrong_parameters(name, value):
    with pytest.raises(ParameterError, match=f"synth2 needs {name} to be"):
        synth2(**{name: value})
