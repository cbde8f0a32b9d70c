"""Where prepared inputs and downloads are kept, also for users without a home."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
from own_source import DIGEST, Own

from whatworked.catalog import manifest
from whatworked.sources.library import CACHE_VARIABLE, Library
from whatworked.sources.status import fetch, status

NOBODY = """
import pwd, sys
def nobody(number):
    raise KeyError(f"getpwuid(): uid not found: {number}")
pwd.getpwuid = nobody
from whatworked.cli import main
sys.argv = ["whatworked", *sys.argv[1:]]
main()
"""
"""The command line for a user of whom the system knows nothing."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv(CACHE_VARIABLE, raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_the_usual_folder_is_in_the_home(home: Path) -> None:
    assert Library().folders.cache == home / ".cache" / "whatworked"


def test_a_folder_for_caches_is_honoured(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    assert Library().folders.cache == tmp_path / "caches" / "whatworked"
    assert fetch(Library(offline=True), "nile").outcome == "right"
    assert (tmp_path / "caches" / "whatworked" / "prepared").is_dir()
    assert not home.exists()


@pytest.mark.parametrize("given", ["", "relative/caches", "~/caches"])
def test_one_that_is_no_full_path_is_ignored(home: Path, monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    """The XDG base directory specification says so."""
    monkeypatch.setenv("XDG_CACHE_HOME", given)
    assert Library().folders.cache == home / ".cache" / "whatworked"


def test_our_own_setting_comes_first(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "ours"))
    assert Library().folders.cache == tmp_path / "ours"
    assert Library(tmp_path / "given").folders.cache == tmp_path / "given"


@pytest.fixture
def homeless(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pwd

    def nobody(number: int) -> None:
        raise KeyError(f"getpwuid(): uid not found: {number}")

    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", nobody)


def test_without_a_home_the_work_goes_on_with_a_word(
    own: Own, homeless: None, caplog: pytest.LogCaptureFixture
) -> None:
    one = own.declare()
    own.put()
    with caplog.at_level(logging.WARNING):
        library = Library(mirror=own.mirror, offline=True)
    assert "no home folder is known" in caplog.text
    assert "XDG_CACHE_HOME" in caplog.text
    assert library.store_path(one) is None
    assert library.prepared("mine").digest == DIGEST
    assert library.is_present(manifest("nile"))
    assert status(library, "nile").route == "package"
    assert fetch(library, "nile", again=True).outcome == "right"


@pytest.mark.parametrize("given", ["", "relative"])
def test_a_home_that_is_no_full_path_is_none(home: Path, monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("HOME", given)
    assert Library().folders.cache is None


def test_a_user_without_a_home_rebuilds_what_the_package_holds(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_CACHE_HOME")}
    command = ["rebuild", "nile", "--offline", "--jobs", "1", "--out", str(tmp_path / "out")]
    done = subprocess.run(
        [sys.executable, "-c", NOBODY, *command], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "1 built" in done.stdout
    assert done.stderr.count("no home folder is known") == 1
    assert "Traceback" not in done.stderr
