"""The page about sources: its example, its recipe for a source of one's own, its tables."""

from __future__ import annotations

import doctest
import hashlib
import json
import re
import shlex
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner
from command_line import run_here

from whatworked import catalog
from whatworked.catalog import manifests
from whatworked.catalog.manifest_files import FOLDERS_VARIABLE
from whatworked.catalog.manifest_layout import Preparation, RawFile, Reader
from whatworked.cli.sources import sources


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "sources.md").read_text(encoding="utf-8")


def test_example(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHATWORKED_CACHE", str(tmp_path))
    result = doctest.testfile(str(root / "docs" / "sources.md"), module_relative=False)
    assert result.attempted == 3
    assert result.failed == 0


def test_a_source_of_ones_own_in_two_checks(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = re.findall(r"```toml\n(.*?)```", page, flags=re.S)[0]
    data = ("id,a,y\n" + "".join(f"{n},{n % 7},{n * n}\n" for n in range(40))).encode()
    (tmp_path / "raw" / "mine").mkdir(parents=True)
    (tmp_path / "raw" / "mine" / "data.csv").write_bytes(data)
    monkeypatch.delenv("WHATWORKED_MIRROR", raising=False)

    def check(step: int, declared: str) -> str:
        folder = tmp_path / str(step)
        folder.mkdir()
        (folder / "mine.toml").write_text(declared)
        (folder / "raw").symlink_to(tmp_path / "raw")
        monkeypatch.setenv(FOLDERS_VARIABLE, str(folder))
        done = CliRunner().invoke(
            sources,
            ["check", "mine", "--json", "--offline", "--cache", str(tmp_path / "cache")],
            catch_exceptions=False,
        )
        (row,) = json.loads(done.stdout)
        return "" if row["outcome"] == "right" else row["message"]

    raw = hashlib.sha256(data).hexdigest()
    message = check(1, text)
    assert f"SHA-256 {raw} ({len(data)} bytes), expected {'0' * 64}; if this file is the right one, write" in message
    assert str(tmp_path / "1" / "mine.toml") in message
    declared = text.replace('sha256 = "' + "0" * 64, f'sha256 = "{raw}')
    message = check(2, declared)
    assert message.endswith(f"if it is as you meant it, write this digest into {tmp_path / '2' / 'mine.toml'}")
    prepared = re.search(r"has digest ([0-9a-f]{64})", message)
    assert prepared is not None
    assert check(3, declared.replace("0" * 64, prepared.group(1))) == ""
    assert [one.id for one in catalog.conditions() if one.source == "mine"] == ["mine", "mine__d6"]

    monkeypatch.chdir(tmp_path)
    printed = {}
    for line in re.findall(r"^    whatworked ((?:rebuild|bench) .*)\n", page, flags=re.M):
        arguments = shlex.split(line, comments=True)
        done = run_here(*arguments, WHATWORKED_CACHE=str(tmp_path / "cache"), **{FOLDERS_VARIABLE: str(tmp_path / "3")})
        assert done.returncode == 0, done.stderr
        printed[arguments[0]] = done.stdout
    assert set(printed) == {"rebuild", "bench"}
    assert "16 records in tables" in printed["rebuild"]
    assert (tmp_path / "run" / "records.jsonl").stat().st_size > 0


def test_tables_name_every_kind_and_every_key(page: str) -> None:
    for declared in (*get_args(Preparation), *get_args(Reader)):
        assert f"`{declared.__struct_config__.tag}`" in page
        assert all(f"`{field}`" in page for field in declared.__struct_fields__)
    named = set(re.findall(r"`(\w+)`", page))
    assert set(RawFile.__struct_fields__) <= named | {"zenodo", "tree"}


def test_where_shipped_files_are_from(page: str) -> None:
    table = page[page.index("## Where the shipped files are from") :]
    for one in manifests().values():
        shipped = [file for form in one.forms for file in form.files if file.shipped]
        assert all(one.id in table and file.provenance for file in shipped)
    numbers = re.findall(r"(\d+) sources and (\d+) conditions", page)
    carried = {
        one.id
        for one in manifests().values()
        if any(file.shipped or file.package for form in one.forms for file in form.files)
    }
    conditions = [one for one in catalog.conditions() if one.source in carried]
    assert numbers == [(str(len(carried)), str(len(conditions)))]
