import numpy as np

from plait import recipes
from plait.experiments.reproduction.asked_chain import AskedChain
from plait.inference import BestFirst, Exhaustive


def chain_data(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 4))
    Y = (X[:, :3] + rng.normal(size=(150, 3)) > 0).astype(int)
    return X, np.column_stack([Y, Y[:, 0] ^ Y[:, 1]])


def test_one_chain_serves_all_questions_until_another_is_asked_for(monkeypatch):
    X, Y = chain_data()
    monkeypatch.setattr(AskedChain, "_last", {})
    chain = recipes.cc(order="given", random_state=0)
    questions = {"greedy": ("greedy", "subset"), "exact": (BestFirst(), "subset"), "hamming": (Exhaustive(), "hamming")}
    asked = {name: AskedChain(chain, *words).fit(X, Y) for name, words in questions.items()}
    assert len({id(model.estimator_.conditionals_) for model in asked.values()}) == 1
    for name, (inference, loss) in questions.items():
        alone = recipes.cc(order="given", inference=inference, loss=loss, random_state=0).fit(X, Y)
        np.testing.assert_array_equal(asked[name].predict(X), alone.predict(X))
    assert (asked["greedy"].predict(X) != asked["hamming"].predict(X)).any()
    others = [
        AskedChain(chain).fit(X[:100], Y[:100]),
        AskedChain(recipes.cc(order="given", learner="logistic")).fit(X, Y),
    ]
    assert len({id(model.estimator_.conditionals_) for model in (asked["exact"], *others)}) == 3
