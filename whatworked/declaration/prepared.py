"""The prepared input of a source: named arrays and plain facts, with a digest over their content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from whatworked.storage.canonical import canonical_json

Array = npt.NDArray[Any]
Facts = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class PreparedInput:
    """What a workflow reads. Arrays are contiguous and read-only; two inputs of equal digest have equal content.

    Parameters
    ----------
    source, family : str
        Ids of the source and of its workflow family.
    arrays : mapping of str to ndarray
        By family:

        - classification, regression: ``X_train`` (n, p), ``y_train`` (n,), ``X_test`` (m, p), ``y_test`` (m,);
          features float64, class labels int64, regression targets float64;
        - clustering: ``X`` (n, p) float64, ``labels`` (n,) int64;
        - forecasting: ``series`` (n,) float64;
        - restoration: ``clean``, ``noisy`` (rows, columns) float64 in [0, 1];
        - beat_detection: ``signal`` (n,) float64 in mV, ``events`` (k,) int64 sample numbers;
        - link_prediction: ``observed_edges`` (m, 2), ``fit_pairs``, ``test_pairs`` (2K, 2) int64 node numbers,
          ``fit_labels``, ``test_labels`` (2K,) int64.
    facts : mapping of str to JSON value
        ``n_clusters``; ``cut``; ``sample_rate`` in Hz; ``n_nodes``; for retrieval ``documents``, ``document_ids``,
        ``queries``, ``query_ids`` (texts), ``relevant`` and ``excluded`` (document indices per query).

    Examples
    --------
    >>> import numpy as np
    >>> prepared = PreparedInput("toy", "forecasting", {"series": np.arange(4.0)}, {"cut": 3})
    >>> prepared.digest[:16]
    '3700d794cb4bbe56'
    """

    source: str
    family: str
    arrays: Mapping[str, Array]
    facts: Facts

    def __post_init__(self) -> None:
        frozen = {name: _frozen(array) for name, array in self.arrays.items()}
        object.__setattr__(self, "arrays", MappingProxyType(frozen))
        object.__setattr__(self, "facts", MappingProxyType(dict(self.facts)))

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the content: see `content_digest`."""
        return content_digest(self.arrays.items(), canonical_json(dict(self.facts)))

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.source, self.family, dict(self.arrays), dict(self.facts)))


def content_digest(arrays: Iterable[tuple[str, Array]], facts: bytes) -> str:
    """SHA-256 over arrays in name order (name, dtype, shape, C-order bytes) and the canonical JSON of the facts.

    It does not depend on how the content is packed in a file.

    Parameters
    ----------
    arrays : iterable of (str, ndarray)
        Names and arrays in any order.
    facts : bytes
        Canonical JSON (see `whatworked.storage.canonical.canonical_json`).

    Returns
    -------
    str
        64 lower-case hexadecimal digits.
    """
    digest = hashlib.sha256()
    for name, array in sorted(arrays, key=lambda item: item[0]):
        digest.update(canonical_json([name, array.dtype.str, list(array.shape)]))
        digest.update(np.ascontiguousarray(array).data)
    digest.update(facts)
    return digest.hexdigest()


def _frozen(array: Array) -> Array:
    """A contiguous, read-only array that nobody else can write to, not even through another view of its memory."""
    contiguous = np.ascontiguousarray(array)
    private = contiguous.base is None and not contiguous.flags.writeable
    if np.may_share_memory(contiguous, array) and not private:
        contiguous = contiguous.copy()
    contiguous.setflags(write=False)
    return contiguous
