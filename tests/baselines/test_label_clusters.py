import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.baselines.label_clusters import balanced_clusters, nearest_with_room


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
