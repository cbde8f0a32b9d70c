"""Plug-in files that the tests of whole runs write."""

from __future__ import annotations

HANGING = '''
import collections, itertools, time
import numpy as np

def spin():
    while True:
        pass

def swallow():
    while True:
        try:
            time.sleep(0.01)
        except BaseException:
            pass

def in_c():
    """Never comes back from C, nor lets go of the interpreter's lock."""
    collections.deque(itertools.repeat(0), maxlen=0)

WAYS = {"spin": spin, "swallow": swallow, "in_c": in_c}

class Hangs:
    """An estimator that hangs where the first utility is the given one and `masks` are measured."""

    def __init__(self, how="spin", at=-1.0, masks=4):
        self.how, self.at, self.masks = how, at, masks

    def fit(self, masks, utilities):
        if utilities[0] == self.at and len(masks) == self.masks:
            WAYS[self.how]()
        return self

    def predict(self, masks):
        return np.full(len(masks), 0.5)

class HangingPolicy:
    def __init__(self, how="spin", at=-1.0, masks=4):
        self.how, self.at, self.masks = how, at, masks

    def ask(self, state, n):
        if state.utilities[0] == self.at and len(state.masks) == self.masks:
            WAYS[self.how]()
        return state.bits(state.unmeasured[:n])

def mean(masks, utilities, cube):
    return np.full(len(cube), utilities.mean())

def lowest(state, n):
    return state.bits(state.unmeasured[:n])
'''

COUNTING = '''
import os, pathlib
import numpy as np

LOG = pathlib.Path({log!r})

def mean(masks, utilities, cube):
    return np.full(len(cube), utilities.mean())

def noise(masks, utilities, cube, random_state):
    return np.random.default_rng([random_state, len(masks)]).random(len(cube))

def forest(random_state=0):
    from sklearn.ensemble import RandomForestRegressor
    return RandomForestRegressor(n_estimators=2, random_state=random_state)

def lowest(state, n):
    with LOG.open("a") as stream:
        stream.write(f"{{state.d}} {{len(state.masks)}}\\n")
    return state.bits(state.unmeasured[:n])

def kills_parent(state, n):
    """Kill the process that hands out the work, as kill -9 would, once the third condition starts."""
    with LOG.open("a") as stream:
        stream.write(f"{{state.d}} {{state.utilities[0]!r}}\\n")
    if {trap!r} and os.path.exists({trap!r}) and state.utilities[0] == {at!r}:
        os.unlink({trap!r})
        os.kill(os.getppid(), 9)
        os._exit(1)
    return state.bits(state.unmeasured[:n])

class Dies:
    """Ends its process where the first utility is the given one."""

    def fit(self, masks, utilities):
        if utilities[0] == {at!r}:
            os._exit(3)
        return self

    def predict(self, masks):
        return np.full(len(masks), 0.5)
'''
