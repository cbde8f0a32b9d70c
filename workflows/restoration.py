"""Restoration: filters on a noisy image, scored by the pixel error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.ndimage import gaussian_filter, median_filter
from scipy.signal import wiener

from whatworked.declaration.fingerprint import PredictionForm, values_fingerprint
from whatworked.declaration.metric import Metric
from whatworked.declaration.workflow import Option, Stage, Switches, Workflow
from whatworked.surfaces.masks import FloatArray
from whatworked.workflows import second_metrics

if TYPE_CHECKING:
    from whatworked.declaration.prepared import PreparedInput


def median(data: PreparedInput, size: int | None) -> FloatArray:
    """Median filter on the noisy image."""
    noisy = data.arrays["noisy"]
    return noisy if size is None else np.asarray(median_filter(noisy, size=size, mode="reflect"))


def median_setting(on: Switches) -> int | None:
    """Side of the window in pixels."""
    if not on["A"]:
        return None
    return 5 if on["F"] else 3


def gaussian(data: PreparedInput, sigma: float | None, image: FloatArray) -> FloatArray:
    """Gaussian filter."""
    del data
    return image if sigma is None else np.asarray(gaussian_filter(image, sigma=sigma, mode="reflect"))


def gaussian_setting(on: Switches) -> float | None:
    """Standard deviation in pixels."""
    if not on["B"]:
        return None
    return 1.6 if on["E"] else 0.8


def adaptive(data: PreparedInput, active: bool, image: FloatArray) -> FloatArray:
    """Wiener filter with the noise estimated from the image itself."""
    del data
    return np.asarray(wiener(image, mysize=5)) if active else image


def sharpen(data: PreparedInput, active: bool, image: FloatArray) -> FloatArray:
    """Unsharp masking: x + 0.5 (x - Gaussian of x)."""
    del data
    return image + 0.5 * (image - gaussian_filter(image, sigma=1.0, mode="reflect")) if active else image


def clip(data: PreparedInput, setting: None, image: FloatArray) -> FloatArray:
    """Pixels back in [0, 1]."""
    del data, setting
    return np.clip(image, 0.0, 1.0)


def pixel_error(data: PreparedInput, prediction: FloatArray) -> float:
    """Root mean square error of the pixels."""
    return float(np.sqrt(np.mean((prediction - data.arrays["clean"]) ** 2)))


def error_scale(data: PreparedInput) -> float:
    """Pixel error of utility one half: the standard deviation of the added noise."""
    del data
    return 0.1


WORKFLOW = Workflow(
    family="restoration",
    summary="Median, Gaussian, Wiener and sharpening filters, in this order, on a noisy image; then clipped to [0, 1].",
    options=(
        Option("A", "median filter", "none", "3 x 3"),
        Option("B", "Gaussian filter", "none", "sigma = 0.8"),
        Option("C", "Wiener filter", "none", "5 x 5"),
        Option("D", "sharpening", "none", "x + 0.5 (x - Gaussian of x with sigma = 1)"),
        Option("E", "width of the Gaussian filter", "sigma = 0.8", "sigma = 1.6"),
        Option("F", "width of the median filter", "3 x 3", "5 x 5"),
    ),
    stages=(
        Stage("median", median, "AF", median_setting),
        Stage("gaussian", gaussian, "BE", gaussian_setting),
        Stage("wiener", adaptive, "C"),
        Stage("sharpen", sharpen, "D"),
        Stage("clip", clip),
    ),
    metric=Metric("pixel_RMSE", pixel_error, second_metrics.pixel_error, cost_scale=error_scale, unit="share of white"),
    form=PredictionForm("restored image", values_fingerprint, "float64"),
)
