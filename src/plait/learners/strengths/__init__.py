"""The strength of the penalty of every label by cross-validation.

Takes a `Problem`; hands on C of each label.
"""
