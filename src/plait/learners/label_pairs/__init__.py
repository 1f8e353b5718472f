"""Logistic regressions of all ordered pairs of labels: the same features and one label more.

Takes a `Problem`; hands on scores of pairs and fits.
"""
