from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from whatworked.declaration import PreparedInput

ARRAYS = st.dictionaries(
    st.sampled_from(["X", "y", "labels"]),
    hnp.arrays(st.sampled_from([np.dtype("<f8"), np.dtype("<i8")]), hnp.array_shapes(max_dims=2, max_side=4)),
    min_size=1,
)


@given(ARRAYS)
def test_the_digest_depends_on_content_alone(arrays: dict[str, np.ndarray]) -> None:
    one = PreparedInput("a", "f", arrays, {"cut": 3, "name": "é"})
    turned = {name: np.asfortranarray(array) for name, array in reversed(arrays.items())}
    assert PreparedInput("b", "g", turned, {"name": "é", "cut": 3}).digest == one.digest


@given(ARRAYS, st.data())
def test_the_digest_tells_every_change(arrays: dict[str, np.ndarray], data: st.DataObject) -> None:
    before = PreparedInput("a", "f", arrays, {"cut": 3}).digest
    name = data.draw(st.sampled_from(sorted(arrays)))
    changed = {key: array.copy() for key, array in arrays.items()}
    changed[name].view(np.uint8).reshape(-1)[0] ^= 1
    renamed = {("z" if key == name else key): array for key, array in arrays.items()}
    reshaped = arrays | {name: arrays[name].reshape(1, *arrays[name].shape)}
    retyped = arrays | {name: arrays[name].view(np.dtype("<u8"))}
    others = [PreparedInput("a", "f", other, {"cut": 3}).digest for other in (changed, renamed, reshaped, retyped)]
    others.append(PreparedInput("a", "f", arrays, {"cut": 4}).digest)
    assert len({before, *others}) == 6


def test_content_cannot_be_changed_and_does_not_follow_the_caller() -> None:
    array = np.arange(3.0)
    one = PreparedInput("a", "f", {"X": array}, {"cut": 3})
    array[0] = 7
    assert one.arrays["X"][0] == 0
    with pytest.raises(ValueError, match="read-only"):
        one.arrays["X"][0] = 1
    with pytest.raises(TypeError):
        one.arrays["y"] = array  # type: ignore[index]
    with pytest.raises(TypeError):
        one.facts["cut"] = 4  # type: ignore[index]


def test_content_does_not_follow_another_view_of_its_memory(tmp_path: Path) -> None:
    array = np.arange(3.0)
    view = array[:]
    view.flags.writeable = False
    mapped = np.memmap(tmp_path / "x", dtype=np.float64, mode="w+", shape=(3,))
    one = PreparedInput("a", "f", {"X": view, "Y": mapped}, {})
    array[0] = mapped[0] = 7
    assert one.arrays["X"][0] == one.arrays["Y"][0] == 0


def test_it_travels_to_another_process() -> None:
    one = PreparedInput("a", "f", {"X": np.arange(3.0)}, {"cut": 3})
    other = pickle.loads(pickle.dumps(one))
    assert (other.source, other.family, other.digest) == ("a", "f", one.digest)
