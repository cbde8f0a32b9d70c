"""Hypothesis strategies for tables over the cube."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

UTILITIES = st.floats(0.0, 1.0, allow_subnormal=False)
COARSE = st.integers(0, 8).map(lambda n: n / 8)
"""Eighths: exact in binary, and with many ties."""


def tables(d: int, values: st.SearchStrategy[float] = UTILITIES | COARSE) -> st.SearchStrategy[np.ndarray]:
    return arrays(np.float64, (1 << d,), elements=values)


@st.composite
def cases(draw: st.DrawFn, largest: int = 5) -> tuple[int, np.ndarray, np.ndarray, list[int]]:
    """Number of options, truth, prediction, observed ranks."""
    d = draw(st.integers(1, largest))
    values = draw(st.sampled_from([UTILITIES, COARSE]))
    observed = draw(st.lists(st.integers(0, (1 << d) - 1), unique=True))
    return d, draw(tables(d, values)), draw(tables(d, values)), observed
