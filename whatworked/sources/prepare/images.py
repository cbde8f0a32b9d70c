"""Images: grey first, then smaller, then noisy."""

from __future__ import annotations

import io

import numpy as np

from whatworked.catalog.manifest_layout import ImagePreparation, Manifest
from whatworked.declaration.prepared import PreparedInput
from whatworked.errors import RawDataError
from whatworked.sources.raw import RawImage
from whatworked.surfaces.masks import FloatArray


def prepare_image(manifest: Manifest, how: ImagePreparation, raw: RawImage) -> PreparedInput:
    """`clean` and `noisy` of shape (rows, columns) in [0, 1].

    Grey conversion comes before shrinking: the other order gives other pixels. A fresh generator makes the noise of
    each image.

    Raises
    ------
    RawDataError
        If Pillow cannot decode the picture.
    """
    clean = _grey(raw, how.side)
    noise = np.random.default_rng(how.seed).normal(0.0, how.noise, clean.shape)
    noisy = np.clip(clean + noise, 0.0, 1.0)
    return PreparedInput(manifest.id, manifest.family, {"clean": clean, "noisy": noisy}, {})


def _grey(raw: RawImage, side: int) -> FloatArray:
    from PIL import Image

    try:
        with Image.open(io.BytesIO(raw.data)) as picture:
            grey = picture.convert("L")
    except OSError as error:
        raise RawDataError(f"{raw.origin}: Pillow cannot decode it: {error}") from error
    grey.thumbnail((side, side), Image.Resampling.LANCZOS)
    return np.asarray(grey, dtype=np.float64) / 255.0
