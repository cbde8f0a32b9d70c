"""ECG records in WFDB format, read by the `wfdb` package."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from whatworked.catalog.manifest_layout import WfdbReader
from whatworked.declaration.library import required
from whatworked.errors import RawDataError
from whatworked.sources.raw import Calibration, RawBytes, RawRecord
from whatworked.storage.files import storage_errors

MISSING = {
    "80": -(1 << 7),
    "508": -(1 << 7),
    "310": -(1 << 9),
    "311": -(1 << 9),
    "212": -(1 << 11),
    "16": -(1 << 15),
    "61": -(1 << 15),
    "160": -(1 << 15),
    "516": -(1 << 15),
    "24": -(1 << 23),
    "524": -(1 << 23),
    "32": -(1 << 31),
    "8": None,
}
"""Stored value of a missing sample by format: the lowest of its range (signal(5) of the WFDB manual); differences have
none."""

_PER_MILLIVOLT = {"mv": 1.0, "uv": 1e3, "µv": 1e3, "μv": 1e3, "nv": 1e6, "v": 1e-3}
"""Digital units per mV are those per unit, times this."""

_GAIN = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def read_wfdb(reader: WfdbReader, files: Mapping[str, RawBytes]) -> RawRecord:
    """Digital samples, annotation samples and label codes of one record.

    Raises
    ------
    RawDataError
        If `wfdb` cannot read the three files, or they cannot be read as one evenly sampled record: several segments,
        several samples a frame, a sample rate that is no whole number, annotations of another sample rate, signals in
        files that the form does not have.
    """
    wfdb: Any = required("wfdb", "reading an ECG record")
    origin = next(iter(files.values())).origin
    with tempfile.TemporaryDirectory(prefix="whatworked-") as folder:
        with storage_errors(Path(folder), "write"):
            for name, raw in files.items():
                (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
                (Path(folder) / name).write_bytes(raw.data)
        stem = str(Path(folder) / reader.record)
        try:
            # The header alone first: it names the files that are read next, which may be anywhere.
            _check_header(wfdb.rdheader(stem), files, origin)
            record = wfdb.rdrecord(stem, physical=False)
            events = wfdb.rdann(stem, "atr", return_label_elements=["label_store"])
        except RawDataError:
            raise
        except Exception as error:  # wfdb raises whatever its parsing met
            raise RawDataError(f"{origin}: wfdb cannot read record {reader.record}: {error}") from error
    if events.fs not in (None, record.fs):
        raise RawDataError(f"{origin}: annotations at {events.fs:g} Hz, samples at {record.fs:g} Hz")
    return RawRecord(
        samples=np.asarray(record.d_signal, dtype=np.int64),
        sample_rate=int(record.fs),
        event_samples=np.asarray(events.sample, dtype=np.int64),
        event_codes=np.asarray(events.label_store, dtype=np.int64),
        origin=origin,
        missing=tuple(MISSING[form] for form in record.fmt),
        calibrations=_calibrations(record, files, reader.record),
    )


def _check_header(header: Any, files: Mapping[str, RawBytes], origin: str) -> None:
    segments = getattr(header, "n_seg", None)
    if segments is not None:
        raise RawDataError(
            f"{origin}: a record of {segments} segments, with gaps between them; give one segment's files"
        )
    if not header.n_sig:
        raise RawDataError(f"{origin}: a record without signals")
    strangers = sorted({str(name) for name in header.file_name} - set(files))
    if strangers:
        raise RawDataError(f"{origin}: signals are in {', '.join(strangers)}, which the form does not list")
    unknown = sorted({form for form in header.fmt if form not in MISSING})
    if unknown:
        raise RawDataError(f"{origin}: signal format {', '.join(unknown)} is not known; write it in format 16")
    if any(count not in (None, 1) for count in header.samps_per_frame):
        raise RawDataError(f"{origin}: several samples a frame would be averaged; write each signal at its own rate")
    if header.fs != int(header.fs):
        raise RawDataError(f"{origin}: {header.fs:g} samples a second, which is no whole number; resample it")


def _calibrations(record: Any, files: Mapping[str, RawBytes], name: str) -> tuple[Calibration | None, ...]:
    """What the header says of each channel; `wfdb` would fill in a gain where there is none, or 0, which means none."""
    header = files[f"{name}.hea"].data.decode("utf-8", errors="replace")
    lines = [line for line in header.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    stated = [_is_calibrated(line) for line in lines[1 : 1 + record.n_sig]]
    values = zip(stated, record.adc_gain, record.baseline, record.units, strict=True)
    return tuple(_calibration(gain, baseline, units) if known else None for known, gain, baseline, units in values)


def _is_calibrated(line: str) -> bool:
    fields = line.split()
    gain = _GAIN.match(fields[2]) if len(fields) > 2 else None
    return gain is not None and float(gain[0]) != 0.0


def _calibration(gain: float, baseline: int, units: str | None) -> Calibration:
    unit = (units or "mV").strip()
    factor = _PER_MILLIVOLT.get(unit.casefold())
    return Calibration(None if factor is None else float(gain) * factor, int(baseline or 0), unit)
