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
class RawRecord:
    """One ECG record: digital samples (n, channels) int64, annotation sample numbers and label codes."""

    samples: IntArray
    sample_rate: int
    event_samples: IntArray
    event_codes: IntArray
    origin: str


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
