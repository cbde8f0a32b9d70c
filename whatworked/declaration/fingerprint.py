"""Identity of a prediction, and a compact fingerprint by which another machine judges "the same up to rounding".

Two kinds of prediction exist: *values* (an array of floats, each near the other machine's) and *items* (labels,
beats, ranked documents: each equal or not). A fingerprint of values holds their quantiles and eight fixed
pseudo-random projections; one of items holds how many of them fall into each of sixteen fixed hash buckets. Half the
sum of absolute differences of the bucket counts never exceeds the number of items that differ.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from whatworked.storage.canonical import canonical_json, sha256
from whatworked.surfaces.masks import FloatArray

Fingerprint = Mapping[str, Any]
"""JSON object: ``{"n", "quantiles", "projections"}`` for values, ``{"n", "buckets"}`` for items."""

PROJECTIONS = 8
BUCKETS = 16
DIGITS = 9

_UInts = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class PredictionForm:
    """How a family's predictions are identified.

    Attributes
    ----------
    name : str
        What a prediction is, in a few words.
    fingerprint : callable
        Prediction to its `Fingerprint`.
    dtype : str or None
        For arrays: the type whose raw C-order bytes are identified. None for plain Python values, identified by their
        compact, key-sorted JSON.
    tolerance : float
        For values: largest difference of a fingerprint entry, relative to the largest absolute quantile. For items:
        largest share of items that may differ (one item always may).
    utility_tolerance : float
        Largest difference of utilities still called equal.
    """

    name: str
    fingerprint: Callable[[Any], Fingerprint]
    dtype: str | None = None
    tolerance: float = 1e-6
    utility_tolerance: float = 1e-9

    def encode(self, prediction: Any) -> bytes:
        """The bytes that identify a prediction.

        Parameters
        ----------
        prediction : object
            An array that can be cast to `dtype`, or, where that is None, plain Python values.

        Returns
        -------
        bytes

        Raises
        ------
        ValueError
            For plain values that hold NaN or infinities, which JSON has not.
        """
        if self.dtype is None:
            return canonical_json(prediction)
        return np.ascontiguousarray(prediction, dtype=self.dtype).tobytes()

    def digest(self, prediction: Any) -> str:
        """Digest of a prediction.

        Parameters
        ----------
        prediction : object
            An array that can be cast to `dtype`, or, where that is None, plain Python values.

        Returns
        -------
        str
            SHA-256 of its bytes, 64 lower-case hexadecimal digits.

        Raises
        ------
        ValueError
            As for `encode`.
        """
        return sha256(self.encode(prediction))

    def close(self, left: Fingerprint, right: Fingerprint) -> bool:
        """Whether two fingerprints are those of predictions equal up to rounding.

        A fingerprint read from a file may hold anything: one that cannot be compared is not close to another.

        Parameters
        ----------
        left, right : mapping
            Fingerprints.

        Returns
        -------
        bool
            False also if their kinds differ.
        """
        try:
            return self._close(left, right)
        except (KeyError, TypeError, ValueError):
            return False

    def _close(self, left: Fingerprint, right: Fingerprint) -> bool:
        if left.keys() != right.keys() or ("buckets" not in left and left["n"] != right["n"]):
            return False
        if "buckets" in left:
            return _items_close(left, right, self.tolerance)
        return _values_close(left, right, self.tolerance)


def values_fingerprint(values: npt.ArrayLike) -> Fingerprint:
    """Fingerprint of floats: quantiles and fixed pseudo-random projections.

    Parameters
    ----------
    values : array-like of float, any shape
        Finite; taken in C order.

    Returns
    -------
    mapping of str to JSON value
        ``n``, five ``quantiles`` and eight ``projections``, to nine digits.

    Examples
    --------
    >>> values_fingerprint([0.0, 1.0])["quantiles"]
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    flat = np.asarray(values, dtype=np.float64).ravel()
    quantiles = np.quantile(flat, (0.0, 0.25, 0.5, 0.75, 1.0)) if flat.size else np.zeros(5)
    projections = [float(_signs(flat.size, k) @ flat) / max(flat.size, 1) for k in range(PROJECTIONS)]
    return {"n": int(flat.size), "quantiles": _rounded(quantiles.tolist()), "projections": _rounded(projections)}


def labels_fingerprint(labels: npt.ArrayLike) -> Fingerprint:
    """Fingerprint of integer labels; an item is a position together with its label.

    Parameters
    ----------
    labels : array-like of int, any shape
        Taken in C order.

    Returns
    -------
    mapping of str to JSON value
        ``n``, and how many items fall into each of sixteen ``buckets``.
    """
    flat = np.asarray(labels).ravel().astype(np.uint64)
    positions = np.arange(flat.size, dtype=np.uint64)
    return _bucket_counts(_mixed(_mixed(positions) ^ flat))


def samples_fingerprint(samples: npt.ArrayLike) -> Fingerprint:
    """Fingerprint of distinct integers in any order; an item is one of them.

    Parameters
    ----------
    samples : array-like of int
        For instance the sample numbers of detected beats.

    Returns
    -------
    mapping of str to JSON value
        ``n``, and how many items fall into each of sixteen ``buckets``.
    """
    return _bucket_counts(_mixed(np.asarray(samples, dtype=np.int64).ravel().astype(np.uint64)))


def rankings_fingerprint(rankings: Mapping[str, Iterable[str]]) -> Fingerprint:
    """Fingerprint of ranked lists; an item is a query with the rank and the document it holds there.

    Parameters
    ----------
    rankings : mapping of str to iterable of str
        Documents by query, best first.

    Returns
    -------
    mapping of str to JSON value
        ``n``, and how many items fall into each of sixteen ``buckets``.

    Examples
    --------
    >>> found = rankings_fingerprint({"q1": ["d3", "d1"]})
    >>> found["n"], sum(found["buckets"])
    (2, 2)
    """
    items = (f"{query}\0{rank}\0{document}" for query, found in rankings.items() for rank, document in enumerate(found))
    hashes = [int.from_bytes(hashlib.sha256(item.encode()).digest()[:8], "big") for item in items]
    return _bucket_counts(np.array(hashes, dtype=np.uint64))


def _items_close(left: Fingerprint, right: Fingerprint, share: float) -> bool:
    differing = int(np.abs(np.subtract(left["buckets"], right["buckets"])).sum()) / 2
    return bool(differing <= max(1.0, share * max(left["n"], right["n"])))


def _values_close(left: Fingerprint, right: Fingerprint, relative: float) -> bool:
    scale = max(float(np.abs([*left["quantiles"], *right["quantiles"]]).max()), 1e-300)
    pairs = [(left[part], right[part]) for part in ("quantiles", "projections")]
    return all(bool(np.allclose(left, right, rtol=0.0, atol=relative * scale)) for left, right in pairs)


def _bucket_counts(hashes: _UInts) -> Fingerprint:
    counts = np.bincount((hashes % np.uint64(BUCKETS)).astype(np.int64), minlength=BUCKETS)
    return {"n": int(hashes.size), "buckets": [int(count) for count in counts]}


def _signs(n: int, k: int) -> FloatArray:
    """Fixed pseudo-random signs, shape (n,), the k-th of a family."""
    start = np.uint64(k) << np.uint64(40)
    bits = _mixed(np.arange(n, dtype=np.uint64) + start) & np.uint64(1)
    return np.where(bits == 1, 1.0, -1.0)


def _mixed(values: _UInts) -> _UInts:
    """The SplitMix64 output function (Steele, Lea and Flood 2014), which no library version changes."""
    with np.errstate(over="ignore"):
        state = values + np.uint64(0x9E3779B97F4A7C15)
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return state ^ (state >> np.uint64(31))


def _rounded(values: Iterable[float]) -> list[float]:
    return [float(f"{float(value):.{DIGITS}g}") for value in values]
