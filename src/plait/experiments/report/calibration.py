"""How far the marginals of each method are from what happens, as a table."""

import math

import numpy as np

from plait.experiments.report.outcomes import Outcomes
from plait.experiments.report.reliability_panels import pooled_reliability
from plait.experiments.report.tables import Column, Entry, Table

__all__ = ["calibration_table"]


def calibration_table(outcomes: Outcomes) -> Table:
    """Return calibration errors, methods by data sets, the least of each data set marked."""
    found = [
        [pooled_reliability(outcomes.cells(dataset, method)) for dataset in outcomes.datasets]
        for method in outcomes.methods
    ]
    errors = np.array([[math.nan if bins is None else bins.calibration_error for bins in row] for row in found])
    errors = errors.reshape(len(outcomes.methods), len(outcomes.datasets))
    least = np.where(np.isnan(errors), np.inf, errors).min(axis=0, initial=np.inf)
    rows = [
        (Entry(method), *(Entry(float(errors[m, d]), best=bool(errors[m, d] == least[d])) for d in range(len(least))))
        for m, method in enumerate(outcomes.methods)
        if not np.isnan(errors[m]).all()
    ]
    columns = (Column("method", is_text=True), *(Column(dataset) for dataset in outcomes.datasets))
    title = "Calibration error of the marginals ↓, all parts and labels together"
    return Table("calibration", title, columns, tuple(rows))
