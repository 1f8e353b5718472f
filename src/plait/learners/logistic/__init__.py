"""Many L2 logistic regressions over one design: blocks of labels side by side, each taking steps of its own.

Takes a `Design` and a `Batch` of problems; hands on their `Solution`. Also here: all ordered pairs of labels, the same
features and one label more, and the penalty of every label by cross-validation.
"""
