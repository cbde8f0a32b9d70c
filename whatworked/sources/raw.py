"""What readers return and preparations take: raw content, still in its own terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from whatworked.surfaces.masks import IntArray


@dataclass(frozen=True)
class RawBytes:
    """The checked bytes of one raw file and where they came from, for messages."""

    data: bytes
    origin: str


@dataclass(frozen=True)
class RawTable:
    """Cells as text by column name; all columns have `rows` cells. `origin` names the file."""

    columns: Mapping[str, Sequence[str]]
    rows: int
    origin: str


@dataclass(frozen=True)
class RawImage:
    """An encoded picture."""

    data: bytes
    origin: str


@dataclass(frozen=True)
class RawGraph:
    """Node ids in ascending order and pairs of them, as they stand in the file."""

    nodes: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]
    origin: str


@dataclass(frozen=True)
class Calibration:
    """How a header says that digital values become physical: (value - baseline) / gain.

    Attributes
    ----------
    gain : float or None
        Digital units per mV; None where the physical unit is no voltage.
    baseline : int
        Digital value of 0 mV.
    unit : str
        As the header names it.
    """

    gain: float | None
    baseline: int
    unit: str


@dataclass(frozen=True)
class RawRecord:
    """One ECG record.

    Attributes
    ----------
    samples : ndarray of shape (n, channels), int64
        Digital samples as they are stored.
    sample_rate : int
        Samples a second.
    event_samples, event_codes : ndarray of shape (k,), int64
        Sample number and label code of each annotation.
    origin : str
        Names the file.
    missing : tuple of int or None
        By channel: the digital value that marks a missing sample; None where the format has none.
    calibrations : tuple of Calibration or None
        By channel: what the header says; None where it says nothing.
    """

    samples: IntArray
    sample_rate: int
    event_samples: IntArray
    event_codes: IntArray
    origin: str
    missing: tuple[int | None, ...] = ()
    calibrations: tuple[Calibration | None, ...] = ()


@dataclass(frozen=True)
class RawCorpus:
    """Texts by document id, texts of the eligible queries by id, ids of the relevant documents by query id."""

    documents: Mapping[str, str]
    queries: Mapping[str, str]
    relevant: Mapping[str, Sequence[str]]
    origin: str


@dataclass(frozen=True)
class RawArrays:
    """Named arrays as they stand in an npz file."""

    arrays: Mapping[str, npt.NDArray[Any]]
    origin: str


Raw = RawTable | RawImage | RawGraph | RawRecord | RawCorpus | RawArrays
