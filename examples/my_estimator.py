"""A new estimator in 20 lines: the mean of the measured masks nearest to the one in question.

Try it:

    whatworked check ./examples/my_estimator.py:Nearest
    whatworked bench --estimator ./examples/my_estimator.py:Nearest --policy gp-effect --track four --budgets 8
"""

import numpy as np


class Nearest:
    def fit(self, masks, utilities):
        return Table(masks, utilities)


class Table:
    def __init__(self, masks, utilities):
        self.masks, self.utilities = masks, utilities

    def predict(self, masks):
        distance = np.abs(masks[:, None, :] - self.masks[None, :, :]).sum(axis=2)
        nearest = distance == distance.min(axis=1, keepdims=True)
        return (nearest * self.utilities).sum(axis=1) / nearest.sum(axis=1)
