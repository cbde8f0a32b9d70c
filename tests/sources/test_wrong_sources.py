"""A source of a user's own that is wrong in any way fails alone, with the reason, and the others are built."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from own_source import MANIFEST, TABLE, Own
from PIL import Image

from whatworked.catalog import condition, conditions, manifest, manifests
from whatworked.catalog.fit import problem_of
from whatworked.catalog.manifest_files import FOLDERS_VARIABLE
from whatworked.errors import ManifestError
from whatworked.execution.inputs import load_inputs
from whatworked.sources.prepare import features
from whatworked.sources.status import check, fetch, status


def _rows(*columns: object) -> bytes:
    lines = [",".join(str(column(row)) for column in columns if callable(column)) for row in range(20)]
    return ("a,b,y\n" + "\n".join(lines) + "\n").encode()


def _bomb() -> bytes:
    stream = io.BytesIO()
    Image.new("1", (20000, 20000)).save(stream, "PNG")
    return stream.getvalue()


def _constant(_: int) -> int:
    return 1


def _number(row: int) -> int:
    return row


CLASSES = 'family = "classification"'
PICTURE = ('kind = "table"\ntarget = "y"', 'kind = "image"')
WRONG: dict[str, tuple[bytes, list[tuple[str, str]], str]] = {
    "fraction": (TABLE, [('target = "y"', 'target = "y"\ntest_fraction = 2.0')], "test_fraction is 2.0; allowed: more"),
    "delimiter": (TABLE, [('{{ kind = "table" }}', '{{ kind = "table", delimiter = ";;" }}')], "delimiter is ';;'"),
    "seed": (TABLE, [('target = "y"', 'target = "y"\nseed = -1')], "seed is -1; allowed: 0 to"),
    "unknown_key": (TABLE, [('target = "y"', 'target = "y"\ntest_size = 0.3')], "test_size"),
    "wrong_type": (TABLE, [('target = "y"', "target = 5")], "got `int`"),
    "one_row": (b"a,b,y\n1,2,3\n", [], "1 different rows of features cannot be divided"),
    "one_class": (_rows(_number, _number, _constant), [('family = "regression"', CLASSES)], "y_train holds one class"),
    "one_value": (_rows(_number, _number, _constant), [], "y_train holds one value"),
    "constant": (_rows(_constant, _constant, _number), [], "cannot be divided"),
    "empty": (b"", [], "no rows of data"),
    "only_target": (b"y\n1\n2\n", [], "no column is left as a feature"),
    "bomb": (
        _bomb(),
        [PICTURE, ('reader = {{ kind = "table" }}', 'reader = {{ kind = "image" }}'), ("regression", "restoration")],
        "50,000,000",
    ),
    "wrong_reader": (TABLE, [('reader = {{ kind = "table" }}', 'reader = {{ kind = "gml" }}')], "GML"),
    "unknown_family": (TABLE, [("regression", "astrology")], "unknown workflow family 'astrology'"),
}


def _declare(folder: Path, name: str, text: str) -> None:
    data, changes, _ = WRONG[name]
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    text = text.replace("shapes = {{ X_train = [14, 2], y_test = [6] }}", "shapes = {{}}").replace(
        '"mine"', f'"{name}"'
    )
    (folder / "raw" / name).mkdir(parents=True)
    (folder / "raw" / name / "data.csv").write_bytes(data)
    sha256 = hashlib.sha256(data).hexdigest()
    more = "shipped = true"
    (folder / f"{name}.toml").write_text(text.format(digest="0" * 64, size=len(data), sha256=sha256, more=more))


@pytest.fixture
def wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of all the wrong sources, and two manifests that cannot be read far enough to know their source."""
    folder = tmp_path / "wrong"
    folder.mkdir()
    for name in WRONG:
        _declare(folder, name, MANIFEST)
    (folder / "No Manifest.toml").write_text("this is = = no TOML")
    (folder / "binary.toml").write_bytes(b"\xff\xfe\x00")
    monkeypatch.setenv(FOLDERS_VARIABLE, str(folder))
    return folder


def test_wrong_sources_fail_alone_and_the_others_are_built(wrong: Path, tmp_path: Path) -> None:
    names = [*WRONG, "no_manifest", "binary", "nile"]
    places = ["--out", str(tmp_path / "out"), "--cache", str(tmp_path / "cache"), "--offline", "--jobs", "1"]
    command = [sys.executable, "-m", "whatworked", "rebuild", *names, *places, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    results = {one["condition"]: one for one in json.loads(done.stdout)["conditions"]}
    assert results.keys() == set(names)
    assert results["nile"]["status"] == "built"
    for name, (_, _, told) in WRONG.items():
        assert results[name]["status"] == "failed"
        assert told in results[name]["reason"]
    for name, file in (("no_manifest", "No Manifest.toml"), ("binary", "binary.toml")):
        assert results[name]["status"] == "failed"
        assert file in results[name]["reason"]


def test_every_command_on_sources_goes_on(wrong: Path, own: Own) -> None:
    library = own.library()
    library.probe(["fraction", "nile"])
    assert "test_fraction is 2.0" in status(library, "fraction").problem
    assert status(library, "nile").problem == ""
    assert fetch(library, "fraction").outcome == "wrong"
    assert [finding.outcome for finding in check(library, "fraction")] == ["wrong"]
    assert fetch(library, "nile").outcome == "right"


def test_the_catalog_lists_wrong_sources_with_their_problem(wrong: Path) -> None:
    right_manifests = [name for name in WRONG if not _manifest_problem(name)]
    assert len([one for one in conditions() if not one.problem]) == 36 + len(right_manifests)
    assert condition("fraction").family == "regression"
    assert "test_fraction is 2.0" in problem_of(condition("fraction"))
    assert condition("no_manifest").family == "unknown"
    assert manifest("nile").id == "nile"
    with pytest.raises(ManifestError, match=r"test_fraction is 2\.0; allowed: more than 0 and less than 1"):
        manifest("fraction")
    with pytest.raises(ManifestError):
        manifests()


def _manifest_problem(name: str) -> str:
    """What is wrong with a manifest itself; empty where only its data are."""
    try:
        manifest(name)
    except ManifestError as error:
        return str(error)
    return ""


def test_a_wrong_manifest_never_takes_the_place_of_another(wrong: Path) -> None:
    (wrong / "wine.toml").write_text("this is = = no TOML")
    with pytest.raises(ManifestError, match=r"'wine' is declared twice.*Expected"):
        conditions()


def test_whatever_a_preparation_raises_is_the_source_s_own(own: Own, monkeypatch: pytest.MonkeyPatch) -> None:
    own.declare()
    own.put()

    def broken(*_: object) -> object:
        raise ZeroDivisionError("nobody thought of this")

    monkeypatch.setattr(features, "prepare_table", broken)
    inputs = load_inputs(["mine", "nile"], own.library().prepared)
    assert list(inputs.prepared) == ["nile"]
    assert "ZeroDivisionError: nobody thought of this" in inputs.broken["mine"]
    assert str(own.mirror) in inputs.broken["mine"]


def test_whatever_preparing_raises_stops_no_other_source() -> None:
    def prepared(source: str) -> object:
        raise MemoryError("too much")

    inputs = load_inputs(["one", "two"], prepared)  # type: ignore[arg-type]
    assert inputs.broken == {
        name: f"source {name} cannot be prepared: MemoryError: too much" for name in ("one", "two")
    }
