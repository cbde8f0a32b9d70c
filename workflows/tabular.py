"""Steps shared by the families that work on feature matrices."""

from __future__ import annotations

import numpy as np

from whatworked.surfaces.masks import FloatArray


def signed_log(features: FloatArray) -> FloatArray:
    """sign(x) * log(1 + |x|), any shape."""
    return np.asarray(np.sign(features) * np.log1p(np.abs(features)), dtype=np.float64)
