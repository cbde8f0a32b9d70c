"""Files of a finished run that were damaged, edited, or saved by another program."""

from __future__ import annotations

import json
import logging

import pytest
from run_helpers import lowest, mean, synthetic_task

from whatworked import bench
from whatworked.errors import RunError
from whatworked.runs.folder import COST_TABLE, MANIFEST, PLAN, RECORDS, SOFTWARE, SURFACES, read_run


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / "x"
    bench([mean], [lowest], [1, 2], out=folder, tasks=synthetic_task("one", 2, 1))
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def folder(finished, tmp_path):
    for name, data in finished.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


@pytest.mark.parametrize(
    "edit",
    [
        lambda data: data.replace(b",", b";"),
        lambda data: data.replace(b"0.", b"0,"),
        lambda data: data.replace(b",1,0,", b',"1,234",0,'),
        lambda data: data.replace(b",1,0,", b",01/02/2026,0,"),
        lambda data: data.replace(b"one", b"\xff\xfe"),
        lambda data: data.decode().encode("utf-16"),
        lambda data: data.replace(b"\n", b",,\n"),
        lambda data: b"\n".join(data.split(b"\n")[:2]) + b"\n",
        lambda data: data + data.split(b"\n")[1] + b"\n",
        lambda data: data.replace(b"one", b"two"),
        lambda data: data[: len(data) * 2 // 3],
        lambda data: data.replace(b"0.", b"-0.", 1).replace(b",0.", b",nan", 1),
        lambda data: b'"' + data,
        lambda data: b"",
        lambda data: b"\0" * 40,
    ],
)
def test_a_damaged_table_of_costs_is_named_and_left_out(folder, edit, caplog):
    path = folder / COST_TABLE
    path.write_bytes(edit(path.read_bytes()))
    with caplog.at_level(logging.WARNING):
        run = read_run(folder)
    assert run.costs == ()
    assert len(run.records) == 2
    assert str(path) in caplog.text
    assert "left out" in caplog.text


@pytest.mark.parametrize(
    "edit",
    [
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.replace(b"\n", b"\n\n"),
        lambda data: data.replace(b"one", b'"one"'),
        lambda data: data + b",,,,,,,\n",
    ],
)
def test_what_a_spreadsheet_saves_without_loss_is_read(folder, edit, caplog):
    expected = read_run(folder).costs
    path = folder / COST_TABLE
    path.write_bytes(edit(path.read_bytes()))
    assert read_run(folder).costs == expected != ()
    assert not caplog.text


def test_costs_that_are_no_file_are_left_out(folder, caplog):
    (folder / COST_TABLE).unlink()
    assert read_run(folder).costs == ()
    assert not caplog.text
    (folder / COST_TABLE).mkdir()
    assert read_run(folder).costs == ()
    assert "not a regular file" in caplog.text


def test_costs_that_cannot_be_read_are_left_out(folder, caplog):
    with (folder / COST_TABLE).open("wb") as stream:
        stream.truncate(1 << 40)
    run = read_run(folder)
    assert (run.costs, len(run.records)) == ((), 2)
    assert "left out, so no seconds are shown: " in caplog.text
    assert "more than the" in caplog.text


def edited(path, change):
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        (MANIFEST, lambda held: held["plan"].update(batch=2)),
        (MANIFEST, lambda held: held.update(plan_digest="0" * 64)),
        (MANIFEST, lambda held: held.pop("plan_digest")),
        (MANIFEST, lambda held: held.update(records=3)),
        (MANIFEST, lambda held: held.update(missing=1)),
        (MANIFEST, lambda held: held["software"].update(python="2.7")),
        (PLAN, lambda held: held.update(seeds=1)),
        (PLAN, lambda held: held.pop("seeds")),
        (SOFTWARE, lambda held: held.update(python="2.7")),
    ],
)
def test_an_edited_file_is_named(folder, name, change):
    edited(folder / name, change)
    with pytest.raises(RunError, match="altered since the run"):
        read_run(folder)


@pytest.mark.parametrize("name", [MANIFEST, PLAN, SOFTWARE, RECORDS, SURFACES])
@pytest.mark.parametrize("data", [b"", b"[1]", b"\xff\xfe{", b"[" * 100_000, b"{}"])
def test_a_damaged_file_is_named(folder, name, data):
    (folder / name).write_bytes(data)
    with pytest.raises(RunError, match=name):
        read_run(folder)


def test_a_run_of_another_schema_is_named(folder):
    edited(folder / MANIFEST, lambda held: held.update(schema=2))
    with pytest.raises(RunError, match=r"schema 2; this version reads schema 1; read it with the version that made it"):
        read_run(folder)
