"""Whatever stands in a file, converting it ends in records and named refusals, and never in a traceback."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from written_logs import BUILDERS, FIRST, stream, write

from whatworked.process.records import convert, record_bytes
from whatworked.process.records.source import FILE_LIMIT, LINE_LIMIT, Source

BUILD = st.sampled_from(BUILDERS)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
QUICK = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def converted(path: Path) -> None:
    """Convert, and hold every outcome to be a record or a reason that is no exception's bare name."""
    for found in convert([path]):
        assert (found.refused is None) <= (found.record is not None)
        if found.refused is not None:
            assert found.refused.strip()
            assert "cannot follow it" not in found.refused, found.refused
        if found.record is not None:
            record_bytes(found.record)


@QUICK
@given(BUILD, st.data())
def test_cut_anywhere(tmp_path: Path, build: Any, data: st.DataObject) -> None:
    log = build()
    name = data.draw(st.sampled_from(sorted(log.files)))
    body = log.files[name]
    log.files[name] = body[: data.draw(st.integers(0, len(body)))]
    converted(write(log, tmp_path))


@QUICK
@given(BUILD, st.data())
def test_a_character_changed_anywhere(tmp_path: Path, build: Any, data: st.DataObject) -> None:
    log = build()
    name = data.draw(st.sampled_from(sorted(log.files)))
    body = log.files[name]
    place = data.draw(st.integers(0, len(body) - 1))
    log.files[name] = body[:place] + data.draw(st.characters(exclude_categories=["Cs"])) + body[place + 1 :]
    converted(write(log, tmp_path))


def replaced(value: Any, data: st.DataObject) -> Any:
    """A JSON value with some part of it another value, of whatever type."""
    if not isinstance(value, dict | list) or not value or data.draw(st.integers(0, 4)) == 0:
        return data.draw(JSON)
    key = data.draw(st.sampled_from(sorted(value) if isinstance(value, dict) else range(len(value))))
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    if data.draw(st.booleans()) and isinstance(copy, dict):
        del copy[key]
    else:
        copy[key] = replaced(copy[key], data)
    return copy


@settings(QUICK, max_examples=150)
@given(BUILD, st.data())
def test_a_value_of_another_type_anywhere(tmp_path: Path, build: Any, data: st.DataObject) -> None:
    log = build()
    name = data.draw(st.sampled_from(sorted(log.files)))
    rows = [json.loads(line) for line in log.files[name].splitlines()] if name.endswith("jsonl") else None
    if rows is not None:
        rows[place] = replaced(rows[place := data.draw(st.integers(0, len(rows) - 1))], data)
        log.files[name] = "".join(json.dumps(row) + "\n" for row in rows)
    elif name.endswith(("json", "traj", "ipynb")):
        log.files[name] = json.dumps(replaced(json.loads(log.files[name]), data))
    path = write(log, tmp_path)
    converted(path)
    for found in convert([path], log.format):  # and so where the format is said to be this one
        assert found.refused is None or "cannot follow it" not in found.refused, found.refused


@QUICK
@given(st.binary(max_size=300))
def test_any_bytes(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(body)
    converted(path)


def refused(path: Path) -> str:
    (found,) = convert([path])
    assert found.refused is not None
    return found.refused


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    path = write(stream(), tmp_path)
    rows = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*rows[:3], "{broken\n", *rows[3:]]))
    assert "line 4 is no JSON (Expecting property name" in refused(path)


def test_a_last_line_that_is_cut_short_is_counted(tmp_path: Path) -> None:
    path = write(stream(), tmp_path)
    path.write_text(path.read_text() + '{"type": "assis')
    (found,) = convert([path])
    assert found.record is not None
    assert found.record.header.counts.dropped["last line, cut short"] == 1


def test_a_long_line_is_refused_with_its_limit(tmp_path: Path) -> None:
    path = write(stream(), tmp_path)
    path.write_text(path.read_text() + json.dumps({"type": "user", "x": "y" * LINE_LIMIT}) + "\n")
    assert f"line 9 is longer than {LINE_LIMIT:,} bytes" in refused(path)


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "huge.jsonl"
    with path.open("wb") as file:
        file.truncate(FILE_LIMIT + 1)
    assert f"at most {FILE_LIMIT:,} are read" in refused(path)


@pytest.mark.parametrize("depth", [500, 100_000])
def test_deep_nesting(depth: int, tmp_path: Path) -> None:
    path = write(stream(), tmp_path)
    deep = '{"type": "user", "message": ' + "[" * depth + "]" * depth + "}\n"
    path.write_text(path.read_text() + deep)
    (found,) = convert([path])
    assert found.refused is None or "nested too deeply" in found.refused
    path.write_text("[" * depth + "]" * depth)
    assert "nested too deeply" in refused(path) or "JSON list" in refused(path)


def test_deep_arguments_are_written(tmp_path: Path) -> None:
    path = write(stream(), tmp_path)
    given: Any = "leaf"
    for _ in range(400):
        given = [given]
    path.write_text(path.read_text().replace('{"command": "ls\\ncat a"}', json.dumps({"command": given})))
    (found,) = convert([path])
    assert found.record is not None
    assert any("leaf" in (step.action or "") for step in found.record.steps)


def test_half_a_surrogate_pair_is_shown_and_counted(tmp_path: Path) -> None:
    path = write(stream(), tmp_path)
    path.write_text(path.read_text().replace("0.75; let", "\\ud83d; let"))
    (found,) = convert([path])
    assert found.record is not None
    assert any("\ufffd; let" in (step.words or "") for step in found.record.steps)
    assert found.record.header.counts.dropped["half of a surrogate pair, shown as U+FFFD"] == 1


def test_bytes_that_are_no_utf8_are_counted(tmp_path: Path) -> None:
    path = write(stream(), tmp_path)
    path.write_bytes(path.read_bytes().replace(b"Done: 0.75", b"Done: \xff\xfe"))
    (found,) = convert([path])
    assert found.record is not None
    assert found.record.header.counts.dropped["character that is no UTF-8, shown as U+FFFD"] == 2


def test_utf16_and_byte_order_marks(tmp_path: Path) -> None:
    path = write(stream(), tmp_path)
    text = path.read_text(encoding="utf-8")
    plain = [step.observation for found in convert([path]) if found.record for step in found.record.steps]
    for encoding in ("utf-8-sig", "utf-16"):
        path.write_text(text, encoding=encoding)
        assert [step.observation for found in convert([path]) if found.record for step in found.record.steps] == plain
    assert FIRST in plain


def test_windows_line_ends(tmp_path: Path) -> None:
    path = write(stream(), tmp_path)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    (found,) = convert([path])
    assert found.refused is None


def test_results_without_calls_and_ids_used_twice_are_counted(tmp_path: Path) -> None:
    path = write(stream(), tmp_path)
    text = path.read_text()
    path.write_text(text.replace('"id": "t2"', '"id": "t1"'))
    (found,) = convert([path])
    assert found.record is not None
    assert found.record.header.counts.dropped == {
        "call id used again": 1,
        "machinery: result": 1,
        "machinery: system init": 1,
        "result without its call, kept as a step": 1,
    }
    assert any(step.action is None and step.observation for step in found.record.steps)


def test_a_folder_that_cannot_be_read_and_links_in_circles(tmp_path: Path) -> None:
    write(stream(), tmp_path)
    (tmp_path / "again").symlink_to(tmp_path)
    (tmp_path / "nowhere").symlink_to(tmp_path / "missing")
    assert [found.source.split("/")[-1] for found in convert([tmp_path])] == ["stream.jsonl"]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refused(tmp_path / "pipe") == "pipe is no regular file; save what it gives to one"


def test_the_source_of_a_record_has_the_files_digest(tmp_path: Path) -> None:
    import hashlib

    path = write(stream(), tmp_path)
    (file,) = Source(path, "a").files
    assert file.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
