"""Linear SVMs with the squared hinge: rows of a label, Newton steps on active rows, calibration of margins.

Takes a `Problem`; hands on the margins of each label.
"""
