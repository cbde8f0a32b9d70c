"""A policy that takes its time once the folder has no file named ``go``."""
import pathlib
import time


def slow(state, n):
    if state.d > 4 and not pathlib.Path("go").exists():
        time.sleep(60)
    return state.bits(state.unmeasured[:n])
