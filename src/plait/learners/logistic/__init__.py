"""Many L2 logistic regressions over one design: panels of labels side by side, each taking steps of its own.

Takes a `Design` and a `Batch` of problems; hands on their `Solution`.
"""
