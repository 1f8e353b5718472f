import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from plait.baselines.homer import HOMER, LEAF, balanced_clusters, label_hierarchy_of, nearest_with_room
from plait.core.sentences import ParameterError
from plait.data import load_dataset
from plait.learners import LinearSVMLearner, LogisticLearner
from plait.metrics import exact_match


def problem(n=300, d=5, q=11, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Y = (X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > 2.5).astype(np.uint8)
    return X, Y


def naive_node(X, Y, Z, nodes, number, estimator, labels, chances, above, alive):
    """Train and ask one node and what is below it, one row and child at a time."""
    node = nodes[number]
    rows = [i for i in range(len(Y)) if number == 0 or Y[i, node.labels].any()]
    for child, link in zip(node.children, node.links, strict=True):
        target = [int(Y[i, child].any()) for i in rows]
        if len(set(target)) == 1:
            p = np.full(len(Z), (sum(target) + 1) / (len(target) + 2))
        else:
            p = estimator().fit(X[rows], target).predict_proba(Z)[:, 1]
        if link == LEAF:
            labels[:, child[0]] = alive & (p > 0.5)
            chances[:, child[0]] = above * p
        else:
            naive_node(X, Y, Z, nodes, link, estimator, labels, chances, above * p, alive & (p > 0.5))


@pytest.mark.parametrize("estimator", [GaussianNB, lambda: LogisticRegression(tol=1e-10, max_iter=2000)])
@pytest.mark.parametrize("n_clusters", [2, 3, 4])
def test_agrees_with_a_naive_version(estimator, n_clusters):
    X, Y = problem(seed=n_clusters)
    Y[:, 0] = 0
    Z = problem(n=60, seed=99)[0]
    model = HOMER(estimator(), n_clusters=n_clusters, random_state=0).fit(X, Y)
    labels, chances = np.zeros((60, 11), dtype=int), np.zeros((60, 11))
    naive_node(X, Y, Z, model.hierarchy_, 0, estimator, labels, chances, np.ones(60), np.ones(60, dtype=bool))
    np.testing.assert_allclose(model.predict_proba(Z), chances, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(model.predict(Z), labels)
    assert labels.any()


def test_the_default_is_logistic_regression_of_the_same_nodes():
    X, Y = problem()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    batched = HOMER(LogisticLearner(tol=1e-12), random_state=1).fit(X, Y)
    each = HOMER(LogisticRegression(tol=1e-10, max_iter=2000), random_state=1).fit(X, Y)
    np.testing.assert_allclose(batched.predict_proba(X), each.predict_proba(X), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("n_clusters", [1, 4, 9])
def test_enough_clusters_are_binary_relevance_on_all_rows(n_clusters):
    X, Y = problem(q=4)
    assert not Y.any(axis=1).all()
    model = HOMER(n_clusters=n_clusters).fit(X, Y)
    scores = LogisticLearner().fit(X, Y).base_scores(X)
    np.testing.assert_allclose(model.predict_proba(X), 1 / (1 + np.exp(-scores)), rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), scores > 0)


def test_labels_below_a_negative_child_are_zero():
    X, Y = problem()
    model = HOMER(n_clusters=2, random_state=0).fit(X, Y)
    root, predicted = model.hierarchy_[0], model.predict(X)
    scores = model.conditionals_[0].base_scores(X)
    for place, child in enumerate(root.children):
        assert not predicted[np.ix_(scores[:, place] <= 0, child)].any()


def test_nodes_whose_labels_never_occur():
    X, Y = problem(q=8)
    Y[:, 4:] = 0
    model = HOMER(n_clusters=2, random_state=0).fit(X, Y)
    assert not model.predict(X)[:, 4:].any()
    assert (model.predict_proba(X)[:, 4:] < 0.5).all()
    nothing = HOMER(n_clusters=2, random_state=0).fit(X, np.zeros_like(Y))
    assert any(each is None for each in nothing.conditionals_)
    assert not nothing.predict(X).any()
    assert (nothing.predict_proba(X) < 0.5).all()


def test_half_of_birds_has_no_label_and_trains_the_root(benchmark_data):
    # Mulan's HOMER, whose root sees all rows, has an exact match of 0.493 where one without empty rows has 0.341.
    train, test = load_dataset("birds", split="train"), load_dataset("birds", split="test")
    labelled = train.Y.any(axis=1)
    whole, without = (
        exact_match(test.Y, HOMER(random_state=0).fit(train.X[rows], train.Y[rows]).predict(test.X))
        for rows in (slice(None), labelled)
    )
    assert whole > without + 0.1


def test_one_row():
    X, Y = problem(n=1)
    np.testing.assert_array_equal(HOMER(n_clusters=2).fit(X, Y).predict(X), Y)


def test_the_same_bits_for_any_number_of_jobs():
    X, Y = problem()
    one = HOMER(n_clusters=2, random_state=3).fit(X, Y)
    with parallel_config("threading"):
        two = HOMER(n_clusters=2, random_state=3, n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_sparse_rows():
    X, Y = problem()
    X[np.abs(X) < 1] = 0
    thin = HOMER(LogisticLearner(tol=1e-10), random_state=0).fit(sparse.csr_array(X), Y)
    dense = HOMER(LogisticLearner(tol=1e-10), random_state=0).fit(X, Y)
    np.testing.assert_allclose(thin.predict_proba(sparse.csr_array(X)), dense.predict_proba(X), rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(thin.predict(sparse.csr_array(X)), dense.predict(X))


@pytest.mark.parametrize("estimator", [LogisticLearner(tol=1e-12), GaussianNB()])
def test_a_weight_is_a_repetition(estimator):
    X, Y = problem(n=80)
    weights = np.random.default_rng(1).integers(0, 4, size=80)
    weighted = HOMER(estimator, n_clusters=2, random_state=0).fit(X, Y, sample_weight=weights)
    repeated = HOMER(estimator, n_clusters=2, random_state=0).fit(X.repeat(weights, 0), Y.repeat(weights, 0))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-4, atol=1e-7)


def test_estimators_without_weights_or_probabilities():
    X, Y = problem()
    with pytest.raises(ParameterError, match="HOMER needs an estimator whose fit takes sample_weight"):
        HOMER(KNeighborsClassifier()).fit(X, Y, sample_weight=np.ones(300))
    for margins in (LinearSVC(), LinearSVMLearner()):
        model = HOMER(margins, random_state=0).fit(X, Y)
        assert not hasattr(model, "predict_proba")
        assert model.predict(X).any()


def naive_assignment(far, room):
    """Insert labels one after the other; who is farthest in a cluster that is too full has to go elsewhere."""
    n_clusters = len(far[0])
    members, refused = [[] for _ in range(n_clusters)], set()
    for label in range(len(far)):
        moving = label
        while moving is not None:
            _, target = min((far[moving][c], c) for c in range(n_clusters) if (moving, c) not in refused)
            members[target].append(moving)
            evicted = max(members[target], key=lambda j, c=target: (far[j][c], j))
            moving = None
            if len(members[target]) > room:
                members[target].remove(evicted)
                refused.add((evicted, target))
                moving = evicted
    return [sorted(each) for each in members]


def naive_clusters(Y, n_clusters, draws, max_iter=10):
    """Balanced k-means on the columns themselves."""
    q = Y.shape[1]
    centres = [Y[:, label] for label in np.sort(draws.choice(q, n_clusters, replace=False))]
    members = None
    for _ in range(max_iter):
        far = [[float(((Y[:, j] - centre) ** 2).sum()) for centre in centres] for j in range(q)]
        found = naive_assignment(far, -(-q // n_clusters))
        if found == members:
            break
        members = found
        centres = [Y[:, each].mean(axis=1) if each else c for each, c in zip(members, centres, strict=True)]
    clusters = np.empty(q, dtype=int)
    for cluster, each in enumerate(members):
        clusters[each] = cluster
    return clusters


@settings(max_examples=60, deadline=None)
@given(q=st.integers(3, 12), k=st.integers(2, 5), n=st.integers(1, 30), seed=st.integers(0, 9999))
def test_agrees_with_a_naive_version_on_the_columns(q, k, n, seed):
    k = min(k, q - 1)
    rng = np.random.default_rng(seed)
    # Labels blurred a little: distances differ, so that rounding decides no tie.
    Y = (rng.random((n, q)) < 0.4) + 1e-3 * rng.random((n, q))
    ours = balanced_clusters(Y.T @ Y, k, np.random.default_rng(seed))
    np.testing.assert_array_equal(ours, naive_clusters(Y, k, np.random.default_rng(seed)))


@settings(max_examples=100, deadline=None)
@given(q=st.integers(2, 25), k=st.integers(1, 6), n=st.integers(0, 20), seed=st.integers(0, 9999))
def test_clusters_are_balanced(q, k, n, seed):
    k = min(k, q)
    Y = (np.random.default_rng(seed).random((n, q)) < 0.4).astype(float)
    found = balanced_clusters(Y.T @ Y, k, np.random.default_rng(seed))
    sizes = np.bincount(found, minlength=k)
    assert sizes.sum() == q
    assert sizes.max() <= -(-q // k)


@settings(max_examples=100, deadline=None)
@given(q=st.integers(1, 20), k=st.integers(1, 5), spare=st.integers(0, 3), seed=st.integers(0, 9999))
def test_nobody_would_gain_by_taking_a_place(q, k, spare, seed):
    distances = np.random.default_rng(seed).random((q, k))
    room = -(-q // k) + spare
    found = nearest_with_room(distances, room)
    assert np.bincount(found, minlength=k).max() <= room
    for label in range(q):
        for cluster in np.flatnonzero(distances[label] < distances[label, found[label]]):
            there = np.flatnonzero(found == cluster)
            assert len(there) == room
            assert (distances[there, cluster] < distances[label, cluster]).all()


def test_ties_go_to_smaller_numbers():
    np.testing.assert_array_equal(nearest_with_room(np.zeros((4, 2)), 2), [0, 0, 1, 1])


def test_clear_groups_are_found_from_any_start():
    Y = np.repeat(np.eye(3), 4, axis=1)  # three kinds of rows, four labels each
    Y = np.repeat(Y, 5, axis=0)
    hits = 0
    for seed in range(20):
        found = balanced_clusters(Y.T @ Y, 3, np.random.default_rng(seed)).reshape(3, 4)
        hits += (found == found[:, :1]).all()
    assert hits >= 5  # random starts may lie in the same group


def reached_labels(nodes, number=0):
    """Return the labels below a node, found by walking the links."""
    node = nodes[number]
    found = []
    for child, link in zip(node.children, node.links, strict=True):
        below = child.tolist() if link == LEAF else reached_labels(nodes, link)
        assert sorted(below) == child.tolist()
        assert (link == LEAF) == (len(child) == 1)
        found += below
    return found


@settings(max_examples=100, deadline=None)
@given(q=st.integers(1, 40), k=st.integers(1, 6), n=st.integers(1, 30), seed=st.integers(0, 9999))
def test_every_label_is_reached_once_and_children_are_balanced(q, k, n, seed):
    Y = (np.random.default_rng(seed).random((n, q)) < 0.3).astype(np.uint8)
    nodes = label_hierarchy_of(Y, None, k, np.random.default_rng(seed))
    assert sorted(reached_labels(nodes)) == list(range(q))
    links = [link for node in nodes for link in node.links if link != LEAF]
    assert sorted(links) == list(range(1, len(nodes)))
    for number, node in enumerate(nodes):
        assert all(link == LEAF or link > number for link in node.links)
        if k == 1 or len(node.labels) <= k:
            assert [len(child) for child in node.children] == [1] * len(node.labels)
        else:
            assert 2 <= len(node.children) <= k
            assert max(map(len, node.children)) <= -(-len(node.labels) // k)


def test_meta_labels_are_any_label_of_the_child():
    rng = np.random.default_rng(0)
    Y = (rng.random((30, 9)) < 0.2).astype(np.uint8)
    for node in label_hierarchy_of(Y, None, 3, rng):
        expected = [[int(any(Y[i, label] for label in child)) for child in node.children] for i in range(30)]
        np.testing.assert_array_equal(node.meta_labels(Y), expected)


def test_a_weight_is_a_repetition_in_the_hierarchy():
    rng = np.random.default_rng(1)
    Y = (rng.random((40, 12)) < 0.3).astype(np.uint8)
    weights = rng.integers(1, 5, size=40)
    weighted = label_hierarchy_of(Y, weights, 3, np.random.default_rng(5))
    repeated = label_hierarchy_of(Y.repeat(weights, axis=0), None, 3, np.random.default_rng(5))
    assert len(weighted) == len(repeated)
    for ours, theirs in zip(weighted, repeated, strict=True):
        assert [c.tolist() for c in ours.children] == [c.tolist() for c in theirs.children]
