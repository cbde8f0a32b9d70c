"""ECG records: the first minutes of one channel and their reference beats."""

from __future__ import annotations

import numpy as np

from whatworked.catalog.manifest_layout import BeatPreparation, Manifest
from whatworked.declaration.prepared import PreparedInput
from whatworked.errors import RawDataError
from whatworked.sources.raw import RawRecord


def prepare_beats(manifest: Manifest, how: BeatPreparation, raw: RawRecord) -> PreparedInput:
    """`signal` (samples,) in mV = (digital value - baseline) / gain, and `events`, sample numbers of the listed labels.

    Raises
    ------
    RawDataError
        If the record is shorter, has another sample rate, or lacks the channel.
    """
    length, channels = raw.samples.shape
    if length < how.samples or channels <= how.channel or raw.sample_rate != how.sample_rate:
        raise RawDataError(
            f"{raw.origin}: {length} samples, {channels} channels at {raw.sample_rate} Hz; "
            f"needed are {how.samples} samples of channel {how.channel} at {how.sample_rate} Hz"
        )
    signal = (raw.samples[: how.samples, how.channel] - how.baseline) / how.gain
    wanted = np.isin(raw.event_codes, how.codes) & (raw.event_samples < how.samples)
    arrays = {"signal": signal, "events": raw.event_samples[wanted]}
    return PreparedInput(manifest.id, manifest.family, arrays, {"sample_rate": raw.sample_rate})
