"""Matrix inverse in extended precision, to measure rounding errors with."""

from __future__ import annotations

import numpy as np


def inverse(matrix):
    """Inverse by Gauss-Jordan elimination; for symmetric positive definite matrices, which need no pivoting."""
    n = len(matrix)
    table = np.concatenate([matrix.astype(np.longdouble), np.eye(n, dtype=np.longdouble)], axis=1)
    for pivot in range(n):
        table[pivot] /= table[pivot, pivot]
        factor = table[:, pivot].copy()
        factor[pivot] = 0
        table -= np.outer(factor, table[pivot])
    return table[:, n:]
