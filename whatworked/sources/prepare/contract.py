"""What the workflows of the package need of a prepared input, whoever made it.

A family from outside has needs of its own, which its workflow checks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from whatworked.declaration.prepared import PreparedInput
from whatworked.errors import RawDataError

Array = npt.NDArray[Any]

_NEEDED: dict[str, dict[str, tuple[str, int]]] = {
    "classification": {"X_train": ("f8", 2), "y_train": ("i8", 1), "X_test": ("f8", 2), "y_test": ("i8", 1)},
    "regression": {"X_train": ("f8", 2), "y_train": ("f8", 1), "X_test": ("f8", 2), "y_test": ("f8", 1)},
    "clustering": {"X": ("f8", 2), "labels": ("i8", 1)},
    "forecasting": {"series": ("f8", 1)},
    "restoration": {"clean": ("f8", 2), "noisy": ("f8", 2)},
    "retrieval": {},
    "beat_detection": {"signal": ("f8", 1), "events": ("i8", 1)},
    "link_prediction": {
        "observed_edges": ("i8", 2),
        "fit_pairs": ("i8", 2),
        "fit_labels": ("i8", 1),
        "test_pairs": ("i8", 2),
        "test_labels": ("i8", 1),
    },
}
"""By family of the package: type and number of dimensions of each array (see `PreparedInput`)."""


def needed_arrays(family: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Arrays in the types that a family's workflow expects, where that changes no value.

    Parameters
    ----------
    family : str
        Name of the family; arrays for one from outside are left as they are.
    arrays : mapping of str to ndarray
        Arrays by name.

    Returns
    -------
    dict of str to ndarray

    Raises
    ------
    RawDataError
        If one is missing, has another number of dimensions, or holds values that its type cannot hold.
    """
    needed = _NEEDED.get(family, {})
    return {**arrays, **{name: _converted(name, arrays.get(name), *wanted) for name, wanted in needed.items()}}


def check_content(prepared: PreparedInput) -> None:
    """Refuse content on which no configuration of a family of the package can be scored.

    Raises
    ------
    RawDataError
        If an array, of any family, holds a value that is not finite; or, for families of the package, if arrays do not
        fit together, a part is empty, or there is nothing to tell apart: one class, one target value, equal features.
    """
    for name, array in prepared.arrays.items():
        if array.dtype.kind in "fc" and not (finite := np.isfinite(array)).all():
            place = [int(position) for position in np.argwhere(~finite)[0]]
            raise RawDataError(f"array {name!r} holds {array[tuple(place)]} at {place}; every value must be finite")
    if check := _CHECKS.get(prepared.family):
        check(prepared.arrays, prepared.facts)


def _converted(name: str, array: Array | None, kind: str, dimensions: int) -> Array:
    if array is None:
        raise RawDataError(f"array {name!r} is missing")
    if array.ndim != dimensions:
        raise RawDataError(f"array {name!r} has shape {list(array.shape)}, {dimensions} dimensions are needed")
    if array.dtype == np.dtype(kind):
        return array
    if array.dtype.kind not in "biuf":
        raise RawDataError(f"array {name!r} is of type {array.dtype}, numbers are needed")
    with np.errstate(all="ignore"):
        converted = array.astype(kind)
        # Back again to the same value, and not by way of a sign that changed twice.
        same = (converted.astype(array.dtype) == array) & ((converted < 0) == (array < 0))
        if kind == "f8" and array.dtype.kind == "f":
            same |= np.isnan(array)  # stays what it is, and is found later
    if not same.all():
        place = [int(position) for position in np.argwhere(~same)[0]]
        raise RawDataError(f"array {name!r} of type {array.dtype} holds values that {kind} cannot, at {place}")
    return converted


Facts = Mapping[str, Any]


def _classification(arrays: Mapping[str, Array], facts: Facts) -> None:
    del facts
    _check_split(arrays)
    _require_several(arrays["y_train"], "class", "y_train")


def _regression(arrays: Mapping[str, Array], facts: Facts) -> None:
    del facts
    _check_split(arrays)
    for name in ("y_train", "y_test"):
        _require_several(arrays[name], "value", name)


def _clustering(arrays: Mapping[str, Array], facts: Facts) -> None:
    X, labels = arrays["X"], arrays["labels"]
    _require_equal_length(X=X, labels=labels)
    _require_varying(X, "X")
    _require_several(labels, "class", "labels")
    clusters = _whole(facts, "n_clusters", 2, len(X))
    different = len(np.unique(X, axis=0))
    if different < clusters:
        raise RawDataError(f"{different} different rows of features are too few for {clusters} clusters")


def _forecasting(arrays: Mapping[str, Array], facts: Facts) -> None:
    series = arrays["series"]
    cut = _whole(facts, "cut", 1, len(series) - 1)
    _require_several(series[:cut], "value", "series up to its cut")


def _restoration(arrays: Mapping[str, Array], facts: Facts) -> None:
    del facts
    clean, noisy = arrays["clean"], arrays["noisy"]
    if clean.shape != noisy.shape or not clean.size:
        raise RawDataError(f"clean has shape {list(clean.shape)}, noisy {list(noisy.shape)}; they must be one picture")
    for name, array in (("clean", clean), ("noisy", noisy)):
        if array.min() < 0.0 or array.max() > 1.0:
            raise RawDataError(f"{name} has values from {array.min():g} to {array.max():g}, 0 to 1 are allowed")
    _require_several(clean, "value", "clean")


def _beat_detection(arrays: Mapping[str, Array], facts: Facts) -> None:
    signal, events = arrays["signal"], arrays["events"]
    rate = facts.get("sample_rate")
    if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 < rate < float("inf"):
        raise RawDataError(f"fact sample_rate is {rate!r}, a positive number is needed")
    _require_several(signal, "value", "signal")
    if not events.size or events.min() < 0 or events.max() >= len(signal) or (np.diff(events) <= 0).any():
        raise RawDataError(f"events must be sample numbers below {len(signal)}, at least one, each once and in order")


def _link_prediction(arrays: Mapping[str, Array], facts: Facts) -> None:
    nodes = _whole(facts, "n_nodes", 2, 1 << 31)
    for name in ("observed_edges", "fit_pairs", "test_pairs"):
        pairs = arrays[name]
        if pairs.shape[1] != 2 or not len(pairs) or pairs.min() < 0 or pairs.max() >= nodes:
            raise RawDataError(
                f"{name} has shape {list(pairs.shape)}; pairs of node numbers 0 to {nodes - 1} are needed"
            )
    for part in ("fit", "test"):
        labels = arrays[f"{part}_labels"]
        _require_equal_length(**{f"{part}_pairs": arrays[f"{part}_pairs"], f"{part}_labels": labels})
        if set(labels.tolist()) != {0, 1}:
            raise RawDataError(f"{part}_labels must hold 0 and 1, both; it holds {sorted(set(labels.tolist()))[:5]}")


def _retrieval(arrays: Mapping[str, Array], facts: Facts) -> None:
    del arrays
    for name in ("documents", "document_ids", "queries", "query_ids", "relevant", "excluded"):
        if not isinstance(facts.get(name), list | tuple) or not facts[name]:
            raise RawDataError(f"fact {name} must be a list that is not empty")
    for several, each in (("documents", "document_ids"), ("queries", "query_ids")):
        if len(facts[several]) != len(facts[each]) or not all(isinstance(text, str) for text in facts[several]):
            raise RawDataError(f"facts {several} and {each} must be texts, as many of one as of the other")
        if len(set(facts[each])) < len(facts[each]):
            raise RawDataError(f"fact {each} holds an id twice")
    for name in ("relevant", "excluded"):
        if len(facts[name]) != len(facts["queries"]) or not all(
            isinstance(place, int) and 0 <= place < len(facts["documents"])
            for places in facts[name]
            for place in places
        ):
            raise RawDataError(f"fact {name} must list numbers of documents for each query")
    lost = [
        name
        for name, relevant, excluded in zip(facts["query_ids"], facts["relevant"], facts["excluded"], strict=True)
        if not set(relevant) - set(excluded)
    ]
    if lost:
        raise RawDataError(f"query {lost[0]!r} has no relevant document left to be found")


_CHECKS: dict[str, Callable[[Mapping[str, Array], Facts], None]] = {
    "classification": _classification,
    "regression": _regression,
    "clustering": _clustering,
    "forecasting": _forecasting,
    "restoration": _restoration,
    "retrieval": _retrieval,
    "beat_detection": _beat_detection,
    "link_prediction": _link_prediction,
}


def _check_split(arrays: Mapping[str, Array]) -> None:
    for part in ("train", "test"):
        _require_equal_length(**{name: arrays[name] for name in (f"X_{part}", f"y_{part}")})
    columns = [arrays[name].shape[1] for name in ("X_train", "X_test")]
    if columns[0] != columns[1] or not columns[0]:
        raise RawDataError(
            f"X_train has {columns[0]} columns, X_test {columns[1]}; they must be the same, at least one"
        )
    _require_varying(arrays["X_train"], "X_train")


def _require_equal_length(**arrays: Array) -> None:
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1 or not min(lengths.values()):
        told = ", ".join(f"{name} has {length} rows" for name, length in lengths.items())
        raise RawDataError(f"{told}; they must have as many, at least one")


def _require_varying(X: Array, name: str) -> None:
    if (X[0] == X).all():
        raise RawDataError(f"all {len(X)} rows of {name} are equal: features that never vary tell nothing")


def _require_several(values: Array, what: str, name: str) -> None:
    if not values.size or (values == values.flat[0]).all():
        held = repr(values.flat[0].item()) if values.size else "none"
        raise RawDataError(f"{name} holds one {what} ({held}); at least two are needed")


def _whole(facts: Facts, name: str, low: int, high: int) -> int:
    value = facts.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise RawDataError(f"fact {name} is {value!r}, a whole number from {low} to {high} is needed")
    return value
