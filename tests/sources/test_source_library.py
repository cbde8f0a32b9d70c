from __future__ import annotations

import errno
import hashlib
import io
import logging
import os
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from own_source import DIGEST, MANIFEST, TABLE, Own

from whatworked.catalog import manifest
from whatworked.errors import (
    DigestMismatchError,
    InvalidOptionError,
    RawDataError,
    SourceUnavailableError,
    StorageError,
    TooLargeError,
    UnknownNameError,
)
from whatworked.sources import Library, prepared
from whatworked.sources.library import CACHE_VARIABLE, MIRROR_VARIABLE, OFFLINE_VARIABLE
from whatworked.sources.routes import Route


def _zip(**members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)  # no time of writing: the same bytes in every worker
    return stream.getvalue()


ARCHIVED = 'archive = "data.zip"\nmember = "folder/data.csv"'


def test_a_source_is_prepared_once_and_then_taken_from_the_store(own: Own) -> None:
    one = own.declare()
    raw = own.put()
    first = own.library().prepared("mine")
    raw.unlink()
    second = own.library().prepared("mine")
    assert first.digest == second.digest == DIGEST
    assert list((own.cache / "prepared").iterdir()) == [own.library().store_path(one)]
    assert own.library().is_present(one)


def test_a_manifest_that_prepares_otherwise_is_not_served_from_the_store(own: Own) -> None:
    own.declare()
    own.put()
    own.library().prepared("mine")
    own.declare(text=MANIFEST.replace('target = "y"', 'target = "yy"'))
    with pytest.raises(RawDataError, match="yy"):
        own.library().prepared("mine")
    own.declare(text=MANIFEST.replace('target = "y"', 'target = "y"\nseed = 1'))
    with pytest.raises(DigestMismatchError):
        own.library().prepared("mine")
    own.declare(text=MANIFEST.replace('title = "Mine"', 'title = "Still mine"'))
    (own.mirror / "mine" / "data.csv").unlink()
    assert own.library().prepared("mine").digest == DIGEST


def test_files_of_other_names_in_the_store_are_neither_read_nor_touched(own: Own) -> None:
    own.declare()
    own.put()
    left = own.cache / "prepared" / f"mine-{DIGEST[:16]}.npz"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"of an earlier version")
    assert own.library().prepared("mine").digest == DIGEST
    assert own.library().store_path(manifest("mine")) != left
    assert left.read_bytes() == b"of an earlier version"


def test_environment_gives_the_places(own: Own, monkeypatch: pytest.MonkeyPatch) -> None:
    own.declare()
    own.put()
    monkeypatch.setenv(CACHE_VARIABLE, str(own.cache))
    monkeypatch.setenv(MIRROR_VARIABLE, str(own.mirror))
    monkeypatch.setenv(OFFLINE_VARIABLE, "1")
    assert prepared("mine").digest == DIGEST
    assert (own.cache / "prepared").is_dir()


def _route(library: Library) -> tuple[Route, ...]:
    return library.acquire(manifest("mine")).routes


def test_routes_are_tried_in_order(own: Own, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "site" / "ownpackage" / "data").mkdir(parents=True)
    (tmp_path / "site" / "ownpackage" / "__init__.py").write_text("raise ImportError('never imported')")
    (tmp_path / "site" / "ownpackage" / "data" / "t.csv").write_bytes(TABLE)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    one = own.declare('package = "ownpackage/data/t.csv"\nshipped = true')
    own.put()
    shipped = own.put(folder=Path(one.path).parent / "raw")
    cached = own.put(folder=own.cache / "raw")
    library = own.library()
    assert _route(library) == ("cache",)
    cached.unlink()
    assert _route(library) == ("package",)
    (tmp_path / "site" / "ownpackage" / "data" / "t.csv").unlink()
    assert _route(library) == ("shipped",)
    shipped.unlink()
    assert _route(library) == ("mirror",)
    (own.mirror / "mine" / "data.csv").unlink()
    with pytest.raises(SourceUnavailableError, match=r"mine is not on this machine.*offline|mirror lacks it"):
        _route(library)


def test_a_form_may_draw_its_files_from_several_routes(own: Own) -> None:
    text = MANIFEST + '\n[[forms.files]]\nname = "more.csv"\nsize = {size}\nsha256 = "{sha256}"\n'
    own.declare(text=text)
    own.put()
    own.put("more.csv", folder=own.cache / "raw")
    assert _route(own.library()) == ("mirror", "cache")


def test_the_first_form_that_a_route_has_is_taken(own: Own) -> None:
    second = MANIFEST[MANIFEST.index("[[forms]]") :].replace("export", "second").replace("data.csv", "second.csv")
    own.declare(text=MANIFEST + second)
    own.put("second.csv")
    assert own.library().acquire(manifest("mine")).form.name == "second"
    own.put()
    assert own.library().acquire(manifest("mine")).form.name == "export"
    own.put("second.csv", folder=own.cache / "raw")
    assert own.library().acquire(manifest("mine")).form.name == "second"


@pytest.mark.parametrize("data", [TABLE[:-5], TABLE.replace(b"\r\n", b"\n"), TABLE[:-1] + b"x", b""])
@pytest.mark.parametrize("place", ["mirror", "cache"])
def test_altered_raw_files_are_named_and_left_alone(own: Own, data: bytes, place: str) -> None:
    own.declare('url = "https://example.org/data.csv"')
    path = own.put(data=data, folder=own.cache / "raw" if place == "cache" else None)
    with pytest.raises(DigestMismatchError) as caught:
        own.library().prepared("mine")
    message = str(caught.value)
    expected = manifest("mine").forms[0].files[0].sha256
    for part in (str(path), "mine", expected, f"({len(data)} bytes)", f"({len(TABLE)} bytes)", "example.org/data.csv"):
        assert part in message
    assert path.read_bytes() == data
    assert not (own.cache / "prepared").exists()


def test_another_version_of_a_package_is_passed_over_with_a_warning(
    own: Own, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "site" / "newpackage").mkdir(parents=True)
    (tmp_path / "site" / "newpackage" / "__init__.py").touch()
    (tmp_path / "site" / "newpackage" / "t.csv").write_bytes(b"other\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    own.declare('package = "newpackage/t.csv"')
    with pytest.raises(SourceUnavailableError, match=r"newpackage/t\.csv is not the expected"):
        own.library().prepared("mine")
    own.put()
    with caplog.at_level(logging.WARNING):
        assert own.library().prepared("mine").digest == DIGEST
    assert "newpackage" in caplog.text


def test_a_member_of_an_archive_serves_as_the_file(own: Own) -> None:
    own.declare(ARCHIVED)
    own.put("data.zip", _zip(**{"folder/data.csv": TABLE, "readme.txt": b""}))
    assert own.library().prepared("mine").digest == DIGEST


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (_zip(other=b""), "wrong zip archive, it has no folder/data.csv"),
        (b"<html>moved</html>", "not a readable zip"),
        (_zip(**{"folder/data.csv": TABLE})[:90], "not a readable zip"),
        (_zip(**{"folder/data.csv": TABLE}).replace(b"1,1,2.5", b"1,1,9.5"), "not a readable zip"),
    ],
    ids=["member missing", "page instead", "cut short", "wrong checksum"],
)
def test_wrong_archives_are_refused(own: Own, data: bytes, told: str) -> None:
    own.declare(ARCHIVED)
    path = own.put("data.zip", data)
    with pytest.raises(RawDataError, match=told) as caught:
        own.library().prepared("mine")
    for part in ("source mine", str(path), f"expected {hashlib.sha256(TABLE).hexdigest()}", "else correct the file"):
        assert part in str(caught.value)
    assert path.read_bytes() == data


def test_a_member_with_other_content_is_refused(own: Own) -> None:
    own.declare(ARCHIVED)
    own.put("data.zip", _zip(**{"folder/data.csv": TABLE + b"1,1,1\r\n"}))
    with pytest.raises(DigestMismatchError, match=r"data\.zip:folder/data\.csv"):
        own.library().prepared("mine")


def test_a_member_larger_than_expected_is_not_unpacked(own: Own) -> None:
    own.declare(ARCHIVED)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/data.csv", TABLE + bytes(1 << 24))
    own.put("data.zip", stream.getvalue())
    tracemalloc.start()
    try:
        with pytest.raises(DigestMismatchError, match=f"more than the {len(TABLE)} bytes"):
            own.library().prepared("mine")
        assert tracemalloc.get_traced_memory()[1] < 1 << 23
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("place", ["mirror", "cache"])
def test_a_file_larger_than_expected_is_not_read(own: Own, place: str) -> None:
    own.declare('url = "https://example.org/data.csv"')
    path = own.put(folder=own.cache / "raw" if place == "cache" else None)
    with path.open("r+b") as stream:
        stream.truncate(1 << 40)  # no memory would hold it
    with pytest.raises(TooLargeError, match=f"more than the {len(TABLE)} bytes.*example.org/data.csv") as caught:
        own.library().prepared("mine")
    assert str(path) in str(caught.value)
    assert path.stat().st_size == 1 << 40


def test_a_file_that_states_no_size_is_read_no_further_than_expected(own: Own, monkeypatch: pytest.MonkeyPatch) -> None:
    own.declare()
    path = own.put(data=TABLE + bytes(1 << 24))
    real = Path.stat

    def stat(self: Path, **how: bool) -> os.stat_result:
        found = real(self, **how)
        return os.stat_result((*found[:6], 0, *found[7:10])) if self == path else found

    monkeypatch.setattr(Path, "stat", stat)
    tracemalloc.start()
    try:
        with pytest.raises(TooLargeError, match=f"more than the {len(TABLE)} bytes"):
            own.library().prepared("mine")
        assert tracemalloc.get_traced_memory()[1] < 1 << 23
    finally:
        tracemalloc.stop()


def test_a_stored_input_that_no_memory_would_hold_is_not_read(own: Own) -> None:
    own.declare()
    own.put()
    own.library().prepared("mine")
    path = own.library().store_path(manifest("mine"))
    with path.open("r+b") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(StorageError, match="more than the"):
        own.library().prepared("mine")


def test_a_compressed_member_of_the_store_is_damage(own: Own) -> None:
    own.declare()
    own.put()
    own.library().prepared("mine")
    path = own.library().store_path(manifest("mine"))
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("more.npy", bytes(1 << 24))
    with pytest.raises(DigestMismatchError, match="is damaged: it cannot be unpacked"):
        own.library().prepared("mine")


def test_a_right_file_of_other_content_is_refused(own: Own) -> None:
    other = TABLE.replace(b"a,b,y", b"a,b,z")
    own.declare(data=other)
    own.put(data=other)
    with pytest.raises(RawDataError, match="missing column 'y'"):
        own.library().prepared("mine")


def test_another_prepared_input_than_expected_is_refused(own: Own) -> None:
    own.declare(digest="1" * 64)
    own.put()
    with pytest.raises(DigestMismatchError, match=DIGEST):
        own.library().prepared("mine")
    assert not (own.cache / "prepared").exists()


def test_an_absent_source_says_what_to_do(own: Own) -> None:
    own.declare('url = "https://example.org/data.csv"')
    with pytest.raises(SourceUnavailableError, match=r"no mirror is given; example\.org: offline.*--mirror DIR"):
        own.library(mirror=False).prepared("mine")


def test_unknown_source_and_mirror(own: Own) -> None:
    with pytest.raises(UnknownNameError, match="did you mean wine"):
        own.library().prepared("wines")
    with pytest.raises(InvalidOptionError, match="nowhere is no folder"):
        Library(own.cache, own.root / "nowhere", True)


@pytest.mark.parametrize("how", ["flipped array", "flipped fact", "cut", "empty", "text", "other source"])
def test_a_damaged_prepared_file_is_never_used(own: Own, how: str) -> None:
    own.declare()
    own.put()
    library = own.library()
    library.prepared("mine")
    path = library.store_path(manifest("mine"))
    data = path.read_bytes()
    wine = Library(own.cache, None, True)
    wine.prepared("wine")
    damaged = {
        "flipped array": data[:200] + bytes([data[200] ^ 1]) + data[201:],
        "flipped fact": data.replace(b"{}", b"[]"),
        "cut": data[: len(data) // 2],
        "empty": b"",
        "text": b"hello",
        "other source": wine.store_path(manifest("wine")).read_bytes(),
    }[how]
    assert damaged != data
    path.write_bytes(damaged)
    with pytest.raises(DigestMismatchError, match=r"is damaged.*`whatworked sources fetch mine --again`"):
        library.prepared("mine")
    assert path.read_bytes() == damaged
    assert library.prepared("mine", again=True).digest == DIGEST
    assert path.read_bytes() == data
    assert library.prepared("mine").digest == DIGEST


def test_without_a_cache_that_can_be_written_the_work_goes_on(own: Own, caplog: pytest.LogCaptureFixture) -> None:
    own.declare()
    own.put()
    own.cache.write_text("a file where the folder should be")
    with caplog.at_level(logging.WARNING):
        assert own.library().prepared("mine").digest == DIGEST
    assert str(own.cache) in caplog.text


def test_a_full_disk_leaves_nothing_behind_and_the_work_goes_on(
    own: Own, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    own.declare()
    own.put()
    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING):
        patch.setattr("os.fsync", full)
        assert own.library().prepared("mine").digest == DIGEST
    assert "No space left" in caplog.text
    assert list((own.cache / "prepared").iterdir()) == []
    assert own.library().prepared("mine").digest == DIGEST


def test_a_file_that_cannot_be_read_is_a_storage_error(own: Own, monkeypatch: pytest.MonkeyPatch) -> None:
    own.declare()
    raw, real = own.put(), os.open

    def broken(path: str | Path, *how: int) -> int:
        if path == raw:
            raise OSError(errno.EIO, "Input/output error", str(path))
        return real(path, *how)

    monkeypatch.setattr(os, "open", broken)
    with pytest.raises(StorageError, match=r"cannot read .*Input/output error"):
        own.library().prepared("mine")


def test_processes_at_once_do_not_disturb_each_other(own: Own) -> None:
    own.declare()
    own.put()
    code = (
        "import sys; from whatworked.sources import Library\n"
        "library = Library(*sys.argv[1:], offline=True)\n"
        "for again in (False, True, True): print(library.prepared('mine', again=again).digest)"
    )
    command = [sys.executable, "-c", code, str(own.cache), str(own.mirror)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    told = [process.communicate()[0].split() for process in running]
    assert told == [[DIGEST] * 3] * 2
    assert len(list((own.cache / "prepared").iterdir())) == 1


def test_equal_content_is_stored_in_equal_bytes(own: Own) -> None:
    own.declare()
    own.put()
    path = own.library().store_path(manifest("mine"))
    own.library().prepared("mine")
    first = path.read_bytes()
    own.library().prepared("mine", again=True)
    assert path.read_bytes() == first
    assert b"pickle" not in first


@pytest.mark.parametrize("which", ["cache", "mirror"])
def test_a_home_folder_that_is_not_known_is_a_wrong_option(which: str) -> None:
    with pytest.raises(InvalidOptionError, match="no home folder"):
        Library(**{which: "~nobody-of-that-name/x"})  # type: ignore[arg-type]


def test_probing_passes_over_a_folder_that_may_not_be_looked_into(own: Own, closed_mirror: None) -> None:
    own.library().probe(["mine", "nile"])
    with pytest.raises(StorageError, match=r"cannot look for .*mine.*: Permission denied"):
        own.library().prepared("mine")


def test_a_stored_array_larger_than_memory_is_damage(own: Own) -> None:
    one = own.declare()
    own.put()
    library = own.library()
    library.prepared("mine")
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000,), }"
    huge = b"\x93NUMPY\x01\x00v\x00" + header.ljust(117) + b"\n"
    library.store_path(one).write_bytes(_zip(**{"X_train.npy": huge, "facts.json": b"{}"}))
    with pytest.raises(DigestMismatchError, match="damaged: it cannot be unpacked"):
        library.prepared("mine")


def test_a_package_that_would_bring_it_is_named(own: Own) -> None:
    own.declare('package = "no_such_package:graph"')
    with pytest.raises(SourceUnavailableError) as raised:
        _route(own.library())
    assert "no_such_package, which has it, is not installed: pip install no_such_package" in str(raised.value)
