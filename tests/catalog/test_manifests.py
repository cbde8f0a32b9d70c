from __future__ import annotations

import hashlib
import types
from pathlib import Path

import msgspec
import pytest

from whatworked.catalog import condition, manifest, manifests
from whatworked.catalog.manifest_files import FOLDERS_VARIABLE, decode
from whatworked.errors import ManifestError, UnknownNameError

MINIMAL = """
schema = 1
id = "mine"
title = "Mine"
family = "regression"
tracks = ["four"]
licence = "CC0-1.0"
attribution = "Me"
citation = "None"
homepage = "https://example.org"

[preparation]
kind = "table"
target = "y"

[expected]
digest = "0000000000000000000000000000000000000000000000000000000000000000"
shapes = { X_train = [7, 1] }

[[forms]]
name = "export"
reader = { kind = "table" }

[[forms.files]]
name = "data.csv"
sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
"""


def test_all_thirty_are_complete() -> None:
    assert len(manifests()) == 30
    for name, one in manifests().items():
        assert one.id == name == Path(one.path).stem
        assert all((one.title, one.licence, one.attribution, one.citation, one.homepage))
        assert one.expected.shapes
        assert len(one.expected.digest) == 64
        files = [file for form in one.forms for file in form.files]
        assert all(file.size > 0 or file.tree for file in files)
        assert any(all(file.address for file in form.files) for form in one.forms), "no official address"


def test_shipped_files_are_what_their_manifests_say_and_small() -> None:
    shipped = {
        one.shipped_folder / file.name: file
        for one in manifests().values()
        for form in one.forms
        for file in form.files
        if file.shipped
    }
    folder = Path(manifest("wine").path).parent / "raw"
    assert set(shipped) == {path for path in folder.rglob("*") if path.is_file()}
    assert len(shipped) == 9
    for path, file in shipped.items():
        data = path.read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (file.size, file.sha256)
        assert file.provenance
    assert sum(file.size for file in shipped.values()) < 1_000_000


def test_sources_without_a_shipped_copy() -> None:
    shipped = {one.id for one in manifests().values() if any(file.shipped for form in one.forms for file in form.files)}
    packaged = {
        one.id for one in manifests().values() if any(file.package for form in one.forms for file in form.files)
    }
    assert len(shipped | packaged) == 20
    absent = set(manifests()) - shipped - packaged
    assert absent == {
        "banknote", "energy_efficiency", "seeds", "dry_bean", "scifact", "arguana",
        "mitdb_100", "mitdb_101", "mitdb_102", "mitdb_103",
    }  # fmt: skip


def test_minimal_manifest_decodes() -> None:
    one = decode(MINIMAL, "/somewhere/mine.toml")
    assert one.shipped_folder == Path("/somewhere/raw/mine")
    assert one.forms[0].files[0].address == ""
    with pytest.raises(AttributeError):
        one.title = "other"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("schema = 1", "schema = 2", "schema"),
        ("title =", "titel =", "titel"),
        ('title = "Mine"', "", "title"),
        ('title = "Mine"', "title = 3", "title"),
        ('tracks = ["four"]', 'tracks = ["five"]', r"'five' .*allowed: four, paired, added"),
        ('tracks = ["four"]', "tracks = []", "tracks"),
        ('tracks = ["four"]', 'tracks = ["paired"]', "tracks"),
        ('tracks = ["four"]', 'tracks = ["four", "added"]', "added"),
        ('sha256 = "0', 'sha256 = "X', "sha256"),
        ('kind = "table"\ntarget', 'kind = "chair"\ntarget', "chair.*allowed: table, series, image"),
        ('reader = { kind = "table" }', 'reader = { kind = "tabel" }', "tabel.*allowed: table, gml, edges"),
        ('id = "mine"', 'id = "../../up"', r"id '\.\./\.\./up' must be lower-case letters"),
        ('id = "mine"', 'id = "/tmp/up"', "id '/tmp/up' must be"),
        ('id = "mine"', 'id = "Mine"', "id 'Mine' must be"),
        ('id = "mine"', 'id = "mine\\n"', "must be lower-case"),
        ('id = "mine"', 'id = ""', "id '' must be"),
        ('id = "mine"', 'id = "mine__d6"', "not end in __d6"),
        ('name = "data.csv"', 'name = "../../up.csv"', r"name '\.\./\.\./up\.csv' of a raw file must be a path below"),
        ('name = "data.csv"', 'name = "/tmp/up.csv"', "name '/tmp/up.csv' of a raw file"),
        ('name = "data.csv"', 'name = ""', "name '' of a raw file"),
        ('name = "data.csv"', 'name = "data.csv"\narchive = "a/../../b.zip"', "archive 'a/../../b.zip' of a raw file"),
        ('target = "y"', "", "target"),
        ('title = "Mine"', 'title = "Mine', "manifest"),
    ],
)
def test_wrong_manifests_are_refused(old: str, new: str, told: str) -> None:
    assert old in MINIMAL
    with pytest.raises(ManifestError, match=told):
        decode(MINIMAL.replace(old, new, 1), "mine.toml")


def test_unknown_source_offers_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean spambase"):
        manifest("spambas")


def test_a_folder_of_manifests_joins_the_catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.toml").write_text(MINIMAL)
    monkeypatch.setenv(FOLDERS_VARIABLE, str(tmp_path))
    assert len(manifests()) == 31
    assert condition("mine").family == "regression"
    monkeypatch.delenv(FOLDERS_VARIABLE)
    assert "mine" not in manifests()


def test_two_sources_of_one_id_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other.toml").write_text(MINIMAL.replace('id = "mine"', 'id = "wine"'))
    monkeypatch.setenv(FOLDERS_VARIABLE, str(tmp_path))
    with pytest.raises(ManifestError, match=r"declared twice.*other\.toml"):
        manifests()


def test_a_missing_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDERS_VARIABLE, str(tmp_path / "nowhere"))
    with pytest.raises(ManifestError, match="nowhere"):
        manifests()


def test_a_binary_manifest_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.toml").write_bytes(b"\xff\xfe\x00")
    monkeypatch.setenv(FOLDERS_VARIABLE, str(tmp_path))
    with pytest.raises(ManifestError, match="cannot be read"):
        manifests()


class _Point:
    name = "theirs"
    value = "theirs"

    def __init__(self, target: object) -> None:
        self.target = target

    def load(self) -> object:
        if isinstance(self.target, Exception):
            raise self.target
        return self.target


def _with_entry_point(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, target: object) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [_Point(target)])
    # A setting of its own, so that nothing remembered from other tests is used.
    monkeypatch.setenv(FOLDERS_VARIABLE, str(tmp_path))


def test_another_package_brings_manifests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "mine.toml").write_text(MINIMAL)
    package = types.ModuleType("theirs")
    package.__path__ = [str(theirs)]
    (tmp_path / "empty").mkdir()
    _with_entry_point(monkeypatch, tmp_path / "empty", package)
    assert "mine" in manifests()


def test_a_function_of_another_package_names_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "mine.toml").write_text(MINIMAL)
    (tmp_path / "empty").mkdir()
    _with_entry_point(monkeypatch, tmp_path / "empty", lambda: theirs)
    assert "mine" in manifests()


@pytest.mark.parametrize("target", [ImportError("gone"), 3])
def test_a_broken_entry_point_is_named(target: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _with_entry_point(monkeypatch, tmp_path, target)
    with pytest.raises(ManifestError, match=r"'theirs'.*whatworked\.manifests"):
        manifests()


def test_manifests_survive_a_round_trip() -> None:
    one = manifest("scifact")
    assert msgspec.convert(msgspec.to_builtins(one), type(one)) == one
