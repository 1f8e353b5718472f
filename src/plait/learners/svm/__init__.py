"""Linear SVMs with the squared hinge loss: dual coordinate descent, Newton steps on active rows, Platt scaling.

Takes a checked `Problem`; hands on the coefficients of each label.

Notation
--------
x_i                : row i of a label's columns of the design [X, bias, Y]: its features, the bias, its parents
sign_i, cost_i     : +1 where row i has the label and -1 where not; C times the weight of the row
slack_i            : max(0, 1 - sign_i w.x_i); a row is active where it is above 0
P(w)               : 1/2 ||w||^2 + sum_i cost_i slack_i^2, the objective
alpha_i            : dual variable, 2 cost_i slack_i at the optimum, where w = sum_i alpha_i sign_i x_i
"""
