import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.inference.messages.message_plan import MOST_MESSAGES, families_of
from plait.structure import LabelGraph
from plait.testing import random_polytree


@given(st.integers(0, 2**32), st.integers(1, 60), st.floats(0, 1))
def test_every_message_comes_after_those_it_needs(seed, n_labels, joined):
    graph = random_polytree(n_labels, np.random.default_rng(seed), joined, most_parents=5)
    plan = families_of(graph)
    assert sorted(plan.label) == list(range(n_labels))
    np.testing.assert_array_equal(plan.label[plan.place], np.arange(n_labels))
    senders = {v: [j for j in range(n_labels) if plan.target[j] == v] for v in range(n_labels)}
    used = []
    for j in range(n_labels):
        parents = plan.parents[plan.first[j] : plan.first[j + 1]]
        assert [int(plan.label[v]) for v in parents] == list(graph.parents[plan.label[j]])
        family = [j, *parents]
        assert plan.target[j] in family
        assert plan.slot[j] == (-1 if plan.target[j] == j else list(parents).index(plan.target[j]))
        others = [v for v in family if v != plan.target[j]]
        assert all(sender < j for v in others for sender in senders[v])
        used += others
    # Every label but the roots belongs to exactly one factor that does not send to it.
    assert sorted([*used, *plan.roots]) == list(range(n_labels))


@given(st.integers(0, 2**32), st.integers(1, 40))
def test_settings_messages_and_order_are_counted(seed, n_labels):
    graph = random_polytree(n_labels, np.random.default_rng(seed))
    plan = families_of(graph)
    assert [int(n) for n in np.diff(plan.entry)] == [2 ** len(graph.parents[k]) for k in plan.label]
    assert [int(n) for n in plan.n_messages] == [len(graph.children[k]) + 1 for k in plan.label]
    assert [int(plan.label[v]) for v in plan.order] == list(graph.order)
    assert plan.most_parents == max(len(group) for group in graph.parents)
    assert plan.n_hubs == 0


@pytest.mark.parametrize("n_children", [MOST_MESSAGES - 1, MOST_MESSAGES])
def test_a_label_with_many_messages_is_a_hub(n_children):
    plan = families_of(LabelGraph([[], *([0] for _ in range(n_children))]))
    assert plan.n_hubs == (1 if n_children == MOST_MESSAGES else 0)
    assert plan.hub[plan.place[0]] == plan.n_hubs - 1


def test_no_recursion_on_a_long_chain():
    plan = families_of(LabelGraph([[k + 1] if k < 19_999 else [] for k in range(20_000)]))
    assert plan.roots.size == 1
