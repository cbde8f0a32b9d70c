"""Tables: duplicates dropped, labels numbered, a hold-out split that keeps equal feature vectors together."""

from __future__ import annotations

import numpy as np

from whatworked.catalog.manifest_layout import Manifest, TablePreparation
from whatworked.declaration.prepared import PreparedInput
from whatworked.errors import RawDataError
from whatworked.sources.prepare.cells import class_codes, numbers, require_columns
from whatworked.sources.raw import RawTable
from whatworked.surfaces.masks import FloatArray, IntArray


def prepare_table(manifest: Manifest, how: TablePreparation, raw: RawTable) -> PreparedInput:
    """Prepare a classification, regression or clustering source.

    Exact duplicates of features and target go, the first stays, the order is kept. Class labels become integers in the
    sorted order of the labels. The split is one `GroupShuffleSplit` whose group ids are ranks of the feature vectors in
    `numpy.unique(X, axis=0)`. Clustering keeps all rows and splits nothing.

    Raises
    ------
    RawDataError
        If a column is missing, a cell is no finite number, a label is missing or ambiguous, no feature varies, a part
        of the split would be empty, or the family is none of the three.
    """
    if manifest.family not in ("classification", "regression", "clustering"):
        raise RawDataError(f"source {manifest.id}: a table cannot be prepared for family {manifest.family!r}")
    features = _feature_names(how, raw)
    X = np.column_stack([numbers(raw, name) for name in features])
    y = numbers(raw, how.target) if manifest.family == "regression" else class_codes(raw, how.target)
    kept = _first_of_equal(X, y)
    X, y = X[kept], y[kept]
    if manifest.family == "clustering":
        return PreparedInput(manifest.id, manifest.family, {"X": X, "labels": y}, {"n_clusters": len(np.unique(y))})
    train, test = _split(X, how, raw.origin)
    arrays = {"X_train": X[train], "y_train": y[train], "X_test": X[test], "y_test": y[test]}
    return PreparedInput(manifest.id, manifest.family, arrays, {})


def _feature_names(how: TablePreparation, raw: RawTable) -> list[str]:
    require_columns(raw, [how.target, *how.features])
    names = list(how.features) or [name for name in raw.columns if name != how.target and name not in how.drop]
    if not names:
        raise RawDataError(f"{raw.origin}: no column is left as a feature beside the target {how.target!r}")
    return names


def _first_of_equal(X: FloatArray, y: FloatArray | IntArray) -> IntArray:
    _, first = np.unique(np.column_stack([X, y]), axis=0, return_index=True)
    return np.sort(first)


def _split(X: FloatArray, how: TablePreparation, origin: str) -> tuple[IntArray, IntArray]:
    from sklearn.model_selection import GroupShuffleSplit

    different, groups = np.unique(X, axis=0, return_inverse=True)
    splitter = GroupShuffleSplit(n_splits=1, test_size=how.test_fraction, random_state=how.seed)
    try:
        train, test = next(splitter.split(X, groups=groups.ravel()))
    except ValueError as error:
        raise RawDataError(
            f"{origin}: {len(different)} different rows of features cannot be divided into a part to train on and "
            f"{how.test_fraction:g} of them to test on; more rows or another test_fraction are needed"
        ) from error
    return train, test
