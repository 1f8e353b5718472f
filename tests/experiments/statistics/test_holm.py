"""Holm's correction against the procedure as it is told: step down until a test is not significant."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from plait.experiments.statistics import holm_correction


def rejected(p_values, alpha):
    """Return which tests Holm's procedure rejects, one after the other."""
    found = set()
    for step, place in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        if p_values[place] * (len(p_values) - step) >= alpha:
            break
        found.add(place)
    return found


@given(st.lists(st.floats(0, 1), max_size=8), st.floats(0.001, 0.5))
def test_it_rejects_what_the_procedure_rejects(p_values, alpha):
    corrected = holm_correction(p_values)
    assert set(np.flatnonzero(corrected < alpha).tolist()) == rejected(p_values, alpha)
    assert (corrected >= np.asarray(p_values)).all()
    assert (corrected <= 1).all()


def test_a_test_that_was_not_made_stays_out():
    np.testing.assert_allclose(holm_correction([0.01, np.nan, 0.02]), [0.02, np.nan, 0.02])
