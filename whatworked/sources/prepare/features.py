"""Tables: duplicates dropped, labels numbered, a hold-out split that keeps equal feature vectors together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from whatworked.catalog.manifest_layout import Manifest, TablePreparation
from whatworked.declaration.prepared import PreparedInput
from whatworked.errors import RawDataError
from whatworked.sources.raw import RawTable
from whatworked.surfaces.masks import FloatArray, IntArray
from whatworked.wording import first_few


def prepare_table(manifest: Manifest, how: TablePreparation, raw: RawTable) -> PreparedInput:
    """Prepare a classification, regression or clustering source.

    Exact duplicates of features and target go, the first stays, the order is kept. Class labels become integers in the
    sorted order of the labels. The split is one `GroupShuffleSplit` whose group ids are ranks of the feature vectors in
    `numpy.unique(X, axis=0)`. Clustering keeps all rows and splits nothing.

    Raises
    ------
    RawDataError
        If a column is missing, a cell is no finite number, or the family is none of the three.
    """
    if manifest.family not in ("classification", "regression", "clustering"):
        raise RawDataError(f"source {manifest.id}: a table cannot be prepared for family {manifest.family!r}")
    features = _feature_names(how, raw)
    X = np.column_stack([numbers(raw, name) for name in features])
    y = numbers(raw, how.target) if manifest.family == "regression" else _codes(raw.columns[how.target])
    kept = _first_of_equal(X, y)
    X, y = X[kept], y[kept]
    if manifest.family == "clustering":
        return PreparedInput(manifest.id, manifest.family, {"X": X, "labels": y}, {"n_clusters": len(np.unique(y))})
    train, test = _split(X, how)
    arrays = {"X_train": X[train], "y_train": y[train], "X_test": X[test], "y_test": y[test]}
    return PreparedInput(manifest.id, manifest.family, arrays, {})


def numbers(raw: RawTable, name: str, empty: float | None = None) -> FloatArray:
    """Column `name` as float64 of shape (rows,); an empty cell becomes `empty` if that is given.

    Raises
    ------
    RawDataError
        If there is no such column, or a cell is no finite number.
    """
    _require(raw, [name])
    values = np.empty(raw.rows)
    for row, cell in enumerate(raw.columns[name]):
        try:
            values[row] = float(cell) if cell or empty is None else empty
        except ValueError:
            values[row] = np.inf
        if np.isinf(values[row]) or (np.isnan(values[row]) and (cell or empty is None)):
            raise RawDataError(f"{raw.origin}: column {name!r}, row {row + 1}: {cell!r} is no finite number")
    return values


def _feature_names(how: TablePreparation, raw: RawTable) -> list[str]:
    _require(raw, [how.target, *how.features])
    return list(how.features) or [name for name in raw.columns if name != how.target and name not in how.drop]


def _require(raw: RawTable, names: Sequence[str]) -> None:
    missing = [name for name in names if name not in raw.columns]
    if missing:
        there = first_few(list(raw.columns), 12)
        raise RawDataError(f"{raw.origin}: missing column {', '.join(map(repr, missing))}; it has {there}")


def _codes(labels: Sequence[str]) -> IntArray:
    order = {label: code for code, label in enumerate(sorted(set(labels)))}
    return np.array([order[label] for label in labels], dtype=np.int64)


def _first_of_equal(X: FloatArray, y: FloatArray | IntArray) -> IntArray:
    _, first = np.unique(np.column_stack([X, y]), axis=0, return_index=True)
    return np.sort(first)


def _split(X: FloatArray, how: TablePreparation) -> tuple[IntArray, IntArray]:
    from sklearn.model_selection import GroupShuffleSplit

    _, groups = np.unique(X, axis=0, return_inverse=True)
    splitter = GroupShuffleSplit(n_splits=1, test_size=how.test_fraction, random_state=how.seed)
    train, test = next(splitter.split(X, groups=groups.ravel()))
    return train, test
