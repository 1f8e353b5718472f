from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.core.checks import (
    Boolean,
    HasMethods,
    InstanceOf,
    Interval,
    Nothing,
    OneOf,
    RandomState,
    check_parameters,
    check_value,
    wrong_values,
)
from plait.core.sentences import ParameterError

ALL_RULES = [
    (Interval(int, 1, None),),
    (Interval(int, 0, 5), Nothing()),
    (Interval(float, 0, 1, closed="right"), OneOf(("sqrt",))),
    (Interval(float, None, 0, closed="neither"),),
    (Boolean(),),
    (InstanceOf((str, list)),),
    (HasMethods(("fit", "predict")), Nothing()),
    (RandomState(),),
]


class Beam:
    parameter_rules: ClassVar = {"width": (Interval(int, 1, None),), "rule": (OneOf(("best", "first")), Nothing())}

    def __init__(self, width=10, rule=None):
        self.width = width
        self.rule = rule


@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_wrong_values_are_refused_with_one_sentence(rules):
    bad = wrong_values(rules)
    assert bad
    for value in bad:
        with pytest.raises(ParameterError, match=r"^Owner needs p to be .+, but it is .+\. Pass .+\.$"):
            check_value("Owner", "p", value, rules)


@given(st.integers(-5, 5), st.integers(-5, 5), st.sampled_from(["both", "left", "right", "neither"]))
def test_interval_agrees_with_comparison(value, low, closed):
    high = low + 3
    above = value >= low if closed in ("both", "left") else value > low
    below = value <= high if closed in ("both", "right") else value < high
    assert Interval(int, low, high, closed).accepts(value) == (above and below)
    assert Interval(float, low, high, closed).accepts(float(value)) == (above and below)


def test_interval_kinds():
    assert Interval(int, 0, None).accepts(np.int64(3))
    assert Interval(float, 0, None).accepts(np.float32(0.5))
    assert Interval(float, 0, None).accepts(3)
    assert not Interval(int, 0, None).accepts(3.0)
    assert not Interval(float, None, None).accepts(float("nan"))
    assert not Interval(int, 0, None).accepts(True)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (Interval(int, 1, None), "an integer of at least 1"),
        (Interval(float, 0, 1, "right"), "a number above 0 and at most 1"),
        (Interval(float, None, 1), "a number of at most 1"),
        (Interval(float, None, 1, "left"), "a number below 1"),
        (Interval(int, None, None), "an integer"),
        (OneOf(("a", "b", "c")), "'a', 'b' or 'c'"),
        (HasMethods(("fit", "predict")), "an object with the methods fit and predict"),
    ],
)
def test_description(rule, words):
    assert rule.describe() == words


def test_one_of_does_not_mix_true_and_one():
    assert OneOf((True,)).accepts(True)
    assert not OneOf((True,)).accepts(1)


def test_has_methods_wants_an_object_not_its_class():
    assert HasMethods(("describe",)).accepts(Boolean())
    assert not HasMethods(("describe",)).accepts(Boolean)


def test_random_state():
    for good in (None, 0, np.int64(7), np.random.default_rng(0), np.random.RandomState(0)):
        assert RandomState().accepts(good)


def test_check_parameters_names_the_class_and_the_first_wrong_parameter():
    check_parameters(Beam())
    with pytest.raises(ParameterError) as caught:
        check_parameters(Beam(width=2.5, rule="worst"))
    assert str(caught.value) == (
        "Beam needs width to be an integer of at least 1, but it is 2.5 (float). Pass an integer of at least 1."
    )
    with pytest.raises(ParameterError, match="Beam needs rule to be 'best' or 'first' or None, but it is 'worst'"):
        check_parameters(Beam(rule="worst"))
