"""A new policy in 20 lines: buy the unmeasured mask farthest from everything measured.

Try it:

    whatworked check ./examples/my_policy.py:Farthest
    whatworked bench --estimator gp --policy ./examples/my_policy.py:Farthest --track four --budgets 8
"""

import numpy as np


class Farthest:
    def ask(self, state, n):
        chosen, measured = [], list(state.masks)
        left = list(state.bits(state.unmeasured))
        for _ in range(n):
            distance = [min(np.abs(mask - known).sum() for known in measured) for mask in left]
            best = left.pop(int(np.argmax(distance)))
            chosen.append(best)
            measured.append(best)
        return np.array(chosen)
