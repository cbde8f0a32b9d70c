"""Records and world manifests on disk."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from command_line import run_here
from written_logs import BUILDERS, stream, write

from whatworked.errors import RecordError, StorageError
from whatworked.process.records import (
    Record,
    World,
    convert,
    read_record,
    read_world,
    record_bytes,
    write_conversions,
    write_record,
    write_world,
)
from whatworked.process.records.source import LINE_LIMIT


@pytest.fixture
def record(tmp_path: Path) -> Record:
    (found,) = convert([write(stream(), tmp_path / "log")])
    assert found.record is not None
    return found.record


@pytest.mark.parametrize("builder", BUILDERS, ids=lambda builder: builder.__name__)
def test_what_is_written_is_what_is_read(builder, tmp_path: Path) -> None:
    conversions = convert([write(builder(), tmp_path / "log")])
    for found, file in write_conversions(tmp_path / "out", conversions):
        assert file is not None
        assert read_record(file) == found.record
        world = file.with_name(file.name.replace(".record.jsonl", ".world.json"))
        assert read_world(world) == found.world


def test_the_lines_are_canonical_json(record: Record) -> None:
    for line in record_bytes(record).splitlines():
        assert json.dumps(json.loads(line), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() == line


def rows(record: Record) -> list[dict]:
    return [json.loads(line) for line in record_bytes(record).splitlines()]


def stored(path: Path, lines: list[dict]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda lines: lines[:2] + lines[3:], "holds step 2 where step 1 is due"),
        (lambda lines: lines[:-1], "counts 3 steps, and there are 2"),
        (lambda lines: lines + lines[-1:], "step id 2 stands there twice"),
        (lambda lines: [lines[0], {**lines[1], "shown_after": 9}, *lines[2:]], "after step 9, which is not there"),
        (lambda lines: [lines[0], {**lines[1], "parent": 9}, *lines[2:]], "descends from step 9, which is not there"),
        (
            lambda lines: [lines[0], {**lines[1], "kind": "magic"}, *lines[2:]],
            "line 2 is no step: Invalid enum value 'magic'",
        ),
        (lambda lines: [lines[0], {**lines[1], "extra": 1}, *lines[2:]], "unknown field `extra`"),
        (
            lambda lines: [lines[0], {k: v for k, v in lines[1].items() if k != "words"}, *lines[2:]],
            "required field `words`",
        ),
        (lambda lines: [{**lines[0], "schema": "whatworked-record/9"}, *lines[1:]], 'has schema "whatworked-record/9"'),
        (lambda lines: [{"a": 1}], "has schema none"),
        (lambda lines: [{k: v for k, v in lines[0].items() if k != "counts"}, *lines[1:]], "line 1 is no header"),
    ],
)
def test_damage_is_named(damage, message: str, record: Record, tmp_path: Path) -> None:
    path = stored(tmp_path / "a.record.jsonl", damage(rows(record)))
    with pytest.raises(RecordError) as told:
        read_record(path)
    assert message in str(told.value)
    assert str(path) in str(told.value)


@pytest.mark.parametrize("body", [b"", b"\n", b"no json\n", b"\xff\xfe\n", b"[" * 100_000 + b"\n", b'"text"\n'])
def test_what_is_no_record_is_named(body: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(body)
    with pytest.raises(RecordError):
        read_record(path)


def test_a_record_cut_anywhere_is_named(record: Record, tmp_path: Path) -> None:
    body, path = record_bytes(record), tmp_path / "a"
    for end in range(0, len(body), 97):
        path.write_bytes(body[:end])
        with pytest.raises(RecordError):
            read_record(path)


def test_lines_that_are_too_long_are_neither_written_nor_read(record: Record, tmp_path: Path) -> None:
    long = msgspec.structs.replace(record.steps[0], words="x" * LINE_LIMIT)
    grown = msgspec.structs.replace(record, steps=(long, *record.steps[1:]))
    with pytest.raises(RecordError, match="a line has at most 10,000,000"):
        write_record(tmp_path / "a", grown)
    assert not (tmp_path / "a").exists()
    lines = rows(record)
    path = stored(tmp_path / "b", [lines[0], {**lines[1], "words": "x" * LINE_LIMIT}, *lines[2:]])
    with pytest.raises(RecordError, match="line 2 has"):
        read_record(path)


def test_a_missing_record_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        read_record(tmp_path / "none")


def test_a_world_has_no_defaults(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        World()  # type: ignore[call-arg]
    world = World(
        schema="whatworked-world/1",
        task_prompt="t",
        authored_channel=None,
        feedback_polarity="lower is better",
        submission=None,
        measure_size=3,
        contract=None,
    )
    path = tmp_path / "a.world.json"
    write_world(path, world)
    assert read_world(path) == world
    said = json.loads(path.read_text())
    for field in said:
        path.write_text(json.dumps({name: value for name, value in said.items() if name != field}))
        with pytest.raises(RecordError, match=f"missing required field `{field}`"):
            read_world(path)
    for change in ({"feedback_polarity": "up"}, {"measure_size": "3"}, {"more": 1}, {"schema": "x"}, {"contract": {}}):
        path.write_text(json.dumps({**said, **change}))
        with pytest.raises(RecordError, match=r"a\.world\.json"):
            read_world(path)


def test_a_manifest_completed_by_hand_is_kept(tmp_path: Path) -> None:
    log = write(stream(), tmp_path / "log")
    ((_, file),) = write_conversions(tmp_path / "out", convert([log]))
    assert file is not None
    world = file.with_name("stream.jsonl.world.json")
    by_hand = msgspec.structs.replace(read_world(world), task_prompt="by hand")
    write_world(world, by_hand)
    list(write_conversions(tmp_path / "out", convert([log])))
    assert read_world(world) == by_hand


def test_runs_of_one_name_get_files_of_their_own(tmp_path: Path) -> None:
    logs = [write(stream(), tmp_path / name) for name in ("a", "b")]
    files = [file.name for _, file in write_conversions(tmp_path / "out", convert(logs)) if file is not None]
    assert files == ["stream.jsonl.record.jsonl", "stream.jsonl-2.record.jsonl"]


@pytest.mark.parametrize("content", [b"my own\n", b'{"name": "mine"}\n', b'{"schema":"mine/1"}\n', b"", b"[" * 100_000])
def test_convert_refuses_to_write_over_what_is_no_record(tmp_path: Path, content: bytes) -> None:
    ((name, text),) = stream().files.items()
    log = tmp_path / name
    log.write_text(text)
    asked = ("process", "convert", str(log), "--out", str(tmp_path / "out"))
    assert run_here(*asked).returncode == 0
    (file,) = (tmp_path / "out").glob("*.record.jsonl")
    written = file.read_bytes()
    for earlier in (written, written.replace(b"whatworked-record/1", b"whatworked-record/0")):
        file.write_bytes(earlier)
        assert run_here(*asked).returncode == 0
        assert file.read_bytes() == written
    file.write_bytes(content)
    refused = run_here(*asked)
    assert refused.returncode == 2
    assert f"has {file.name}, which whatworked process convert did not write" in refused.stderr
    assert file.read_bytes() == content
