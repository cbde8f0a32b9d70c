"""Beat detection: peaks of an envelope of a filtered electrocardiogram, scored by event F1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.ndimage import uniform_filter1d
from scipy.signal import butter, find_peaks, sosfiltfilt

from whatworked.declaration.fingerprint import PredictionForm, samples_fingerprint
from whatworked.declaration.metric import Metric
from whatworked.declaration.workflow import Option, Stage, Switches, Workflow
from whatworked.surfaces.masks import FloatArray
from whatworked.workflows import second_metrics
from whatworked.workflows.events import count_matches, interior

if TYPE_CHECKING:
    from whatworked.declaration.prepared import PreparedInput

TOLERANCE = 0.1
"""Largest distance of a matched pair of events that scores, in seconds."""

SENSITIVITY = {"event_F1_at_50ms": 0.05, "event_F1_at_150ms": 0.15}


def samples_of(data: PreparedInput, seconds: float) -> int:
    """A duration in samples."""
    return round(seconds * int(data.facts["sample_rate"]))


def centre(data: PreparedInput, setting: None) -> FloatArray:
    """The signal minus its median, in mV."""
    del setting
    signal = data.arrays["signal"]
    return np.asarray(signal - np.median(signal))


def high_pass(data: PreparedInput, active: bool, signal: FloatArray) -> FloatArray:
    """Second-order Butterworth high-pass at 0.5 Hz, forward and backward."""
    return _filtered(data, "highpass", 0.5, signal) if active else signal


def low_pass(data: PreparedInput, active: bool, signal: FloatArray) -> FloatArray:
    """Second-order Butterworth low-pass at 35 Hz, forward and backward."""
    return _filtered(data, "lowpass", 35.0, signal) if active else signal


def _filtered(data: PreparedInput, kind: str, hertz: float, signal: FloatArray) -> FloatArray:
    sections = butter(2, hertz, btype=kind, fs=int(data.facts["sample_rate"]), output="sos")
    return np.asarray(sosfiltfilt(sections, signal))


def envelope(data: PreparedInput, kind: str, signal: FloatArray) -> FloatArray:
    """Magnitude of the signal, or of its slope squared."""
    del data
    return np.diff(signal, prepend=signal[:1]) ** 2 if kind == "squared difference" else np.abs(signal)


def smooth(data: PreparedInput, active: bool, strength: FloatArray) -> FloatArray:
    """Moving average over 120 ms, the nearest value beyond the ends."""
    return np.asarray(uniform_filter1d(strength, size=samples_of(data, 0.12), mode="nearest")) if active else strength


def threshold(data: PreparedInput, kind: str, strength: FloatArray) -> float:
    """Height that a peak must reach."""
    del data
    if kind == "median":
        middle = np.median(strength)
        return float(middle + 3 * 1.4826 * np.median(np.abs(strength - middle)))
    return float(np.mean(strength) + np.std(strength))


def peaks(data: PreparedInput, distance: float, strength: FloatArray, height: float) -> list[int]:
    """Peaks of the envelope at least `distance` seconds apart."""
    found, _ = find_peaks(strength, height=height, distance=samples_of(data, distance))
    return [int(sample) for sample in found]


def align(data: PreparedInput, setting: None, found: list[int], signal: FloatArray) -> list[int]:
    """Each peak moved to the largest filtered amplitude within 75 ms; what then coincides is one beat."""
    del setting
    reach = samples_of(data, 0.075)
    beats = set()
    for sample in found:
        start = max(sample - reach, 0)
        beats.add(start + int(np.argmax(np.abs(signal[start : sample + reach + 1]))))
    return sorted(beats)


def keep_interior(data: PreparedInput, setting: None, beats: list[int]) -> list[int]:
    """The beats that are scored: those of the first and the last second are no part of the prediction."""
    del setting
    return interior(beats, int(data.facts["sample_rate"]), len(data.arrays["signal"]))


def event_f1(data: PreparedInput, prediction: list[int], tolerance: float = TOLERANCE) -> float:
    """2M / (P + T): M matched pairs of P predicted and T reference events in the interior."""
    rate, length = int(data.facts["sample_rate"]), len(data.arrays["signal"])
    predicted, reference = interior(prediction, rate, length), interior(data.arrays["events"], rate, length)
    if not predicted or not reference:
        return 0.0
    matched = count_matches(predicted, reference, round(tolerance * rate))
    return 2 * matched / (len(predicted) + len(reference))


def sensitivity(data: PreparedInput, prediction: list[int]) -> dict[str, float]:
    """Event F1 at the other tolerances."""
    return {name: event_f1(data, prediction, tolerance) for name, tolerance in SENSITIVITY.items()}


def kind_of_envelope(on: Switches) -> str:
    """What the envelope is made of."""
    return "squared difference" if on["C"] else "absolute value"


def kind_of_threshold(on: Switches) -> str:
    """What the threshold is made of."""
    return "median" if on["E"] else "mean"


def least_distance(on: Switches) -> float:
    """Smallest distance of two peaks in seconds."""
    return 0.3 if on["F"] else 0.2


WORKFLOW = Workflow(
    family="beat_detection",
    summary="Filter, envelope, smoothing, threshold and peaks of one electrocardiogram channel.",
    options=(
        Option("A", "high-pass filter", "none", "0.5 Hz, second-order Butterworth, forward and backward"),
        Option("B", "low-pass filter", "none", "35 Hz, second-order Butterworth, forward and backward"),
        Option("C", "envelope", "absolute value", "squared first difference"),
        Option("D", "smoothing", "none", "120 ms moving average"),
        Option("E", "threshold", "mean + 1 standard deviation", "median + 3 * 1.4826 * median absolute deviation"),
        Option("F", "minimum peak distance", "200 ms", "300 ms"),
    ),
    stages=(
        Stage("centre", centre),
        Stage("high_pass", high_pass, "A"),
        Stage("low_pass", low_pass, "B"),
        Stage("envelope", envelope, "C", kind_of_envelope),
        Stage("smooth", smooth, "D"),
        Stage("threshold", threshold, "E", kind_of_threshold),
        Stage("peaks", peaks, "F", least_distance, needs=("smooth", "threshold")),
        Stage("align", align, needs=("peaks", "low_pass")),
        Stage("interior", keep_interior),
    ),
    metric=Metric("event_F1_at_100ms", event_f1, second_metrics.event_f1, extras=sensitivity),
    form=PredictionForm("sample of every scored beat", samples_fingerprint, tolerance=0.01, utility_tolerance=0.01),
    version="2",
)
