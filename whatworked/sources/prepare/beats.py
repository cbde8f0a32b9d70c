"""ECG records: the first minutes of one channel and their reference beats."""

from __future__ import annotations

import math

import numpy as np

from whatworked.catalog.manifest_layout import BeatPreparation, Manifest
from whatworked.declaration.prepared import PreparedInput
from whatworked.errors import RawDataError
from whatworked.sources.raw import Calibration, RawRecord
from whatworked.surfaces.masks import IntArray


def prepare_beats(manifest: Manifest, how: BeatPreparation, raw: RawRecord) -> PreparedInput:
    """`signal` (samples,) in mV = (digital value - baseline) / gain, and `events`, sample numbers of the listed labels.

    Raises
    ------
    RawDataError
        If the record is shorter, has another sample rate or gain, or lacks the channel; if a sample is missing or all
        are equal; if there is no event, or one stands twice or out of order.
    """
    length, channels = raw.samples.shape
    if length < how.samples or channels <= how.channel or raw.sample_rate != how.sample_rate:
        raise RawDataError(
            f"{raw.origin}: {length} samples, {channels} channels at {raw.sample_rate} Hz; "
            f"needed are {how.samples} samples of channel {how.channel} at {how.sample_rate} Hz"
        )
    digital = raw.samples[: how.samples, how.channel]
    _check_samples(digital, how, raw)
    signal = (digital - how.baseline) / how.gain
    wanted = np.isin(raw.event_codes, how.codes) & (raw.event_samples < how.samples)
    events = raw.event_samples[wanted]
    _check_events(events, how, raw)
    return PreparedInput(
        manifest.id, manifest.family, {"signal": signal, "events": events}, {"sample_rate": raw.sample_rate}
    )


def _check_samples(digital: IntArray, how: BeatPreparation, raw: RawRecord) -> None:
    _check_calibration(raw.calibrations[how.channel] if raw.calibrations else None, how, raw.origin)
    mark = raw.missing[how.channel] if raw.missing else None
    if mark is not None and (lost := np.flatnonzero(digital == mark)).size:
        raise RawDataError(
            f"{raw.origin}: {lost.size} samples of channel {how.channel} are missing (stored as {mark}), the first is "
            f"sample {lost[0]}; take fewer samples or another channel"
        )
    if digital.size and (digital == digital[0]).all():
        raise RawDataError(
            f"{raw.origin}: all {digital.size} samples of channel {how.channel} are {digital[0]}; no signal"
        )


def _check_calibration(stated: Calibration | None, how: BeatPreparation, origin: str) -> None:
    if stated is None:
        return
    if stated.gain is None:
        raise RawDataError(
            f"{origin}: channel {how.channel} is in {stated.unit}, which is no voltage; take another channel"
        )
    if not math.isclose(stated.gain, how.gain, rel_tol=1e-6) or stated.baseline != how.baseline:
        raise RawDataError(
            f"{origin}: the header says gain {stated.gain:g} per mV and baseline {stated.baseline} for channel "
            f"{how.channel}, the manifest {how.gain:g} and {how.baseline}; correct the manifest's preparation"
        )


def _check_events(events: IntArray, how: BeatPreparation, raw: RawRecord) -> None:
    if not events.size:
        raise RawDataError(f"{raw.origin}: no event of the listed codes within {how.samples} samples; correct codes")
    if events[0] < 0:
        raise RawDataError(f"{raw.origin}: an event stands at sample {events[0]}, before the record begins")
    if (wrong := np.flatnonzero(np.diff(events) <= 0)).size:
        before, after = events[wrong[0]], events[wrong[0] + 1]
        what = "two events stand" if before == after else f"after the event at sample {before} comes one"
        raise RawDataError(f"{raw.origin}: {what} at sample {after}; each beat must stand once, in order")
