"""ECG records in WFDB format, read by the `wfdb` package."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from whatworked.catalog.manifest_layout import WfdbReader
from whatworked.errors import RawDataError
from whatworked.sources.raw import RawBytes, RawRecord
from whatworked.storage.files import storage_errors


def read_wfdb(reader: WfdbReader, files: Mapping[str, RawBytes]) -> RawRecord:
    """Digital samples, annotation samples and label codes of one record.

    Raises
    ------
    RawDataError
        If `wfdb` cannot read the three files.
    """
    import wfdb

    origin = next(iter(files.values())).origin
    with tempfile.TemporaryDirectory(prefix="whatworked-") as folder:
        with storage_errors(Path(folder), "write"):
            for name, raw in files.items():
                (Path(folder) / name).write_bytes(raw.data)
        stem = str(Path(folder) / reader.record)
        try:
            record = wfdb.rdrecord(stem, physical=False)
            events = wfdb.rdann(stem, "atr", return_label_elements=["label_store"])
        except Exception as error:  # wfdb raises whatever its parsing met
            raise RawDataError(f"{origin}: wfdb cannot read record {reader.record}: {error}") from error
    return RawRecord(
        samples=np.asarray(record.d_signal, dtype=np.int64),
        sample_rate=int(record.fs),
        event_samples=np.asarray(events.sample, dtype=np.int64),
        event_codes=np.asarray(events.label_store, dtype=np.int64),
        origin=origin,
    )
