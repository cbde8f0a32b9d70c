"""``whatworked process convert``, and readers that other packages bring."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from written_logs import session, stream, write

from whatworked.cli import cli
from whatworked.errors import PluginError, UnknownNameError, WhatWorkedError
from whatworked.process.records import Draft, LogReader, Source, convert, reader, reader_names


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["process", "convert", *map(str, arguments)])


def test_a_table_of_runs_with_what_was_left_out(tmp_path: Path) -> None:
    write(stream(), tmp_path / "a")
    write(session(), tmp_path / "b")
    (tmp_path / "notes.md").write_text("nothing")
    (tmp_path / "b" / "short.jsonl").write_text(
        '{"type": "user", "uuid": "u", "message": {"role": "user", "content": "hi"}}\n'
    )
    shown = run(tmp_path)
    assert shown.exit_code == 0, shown.output
    rows = {
        line.split()[0].split("/")[-1]: line.split()[1:]
        for line in shown.output.splitlines()
        if "claude-code  " in line
    }
    assert rows["stream.jsonl"] == ["claude-code", "3", "2", "2", "2"]
    assert rows["session.jsonl"] == ["claude-code", "3", "2", "2", "1"]
    assert " ".join(rows["short.jsonl"][5:]) == "cannot be judged: no actions are recorded, only messages"
    assert "2 claude-code: line of type comet" in shown.output
    assert "1 claude-code: mcp__a__b" in shown.output
    assert f"{tmp_path.name}/notes.md: no known format: text" in shown.output
    assert "2 of 3 runs can be judged, 6 steps; no known format: 1 file" in shown.output
    assert "looked for" not in shown.output


def test_json_holds_the_same(tmp_path: Path) -> None:
    path = write(stream(), tmp_path)
    (row,) = json.loads(run(path, "--json").output)
    assert (row["format"], row["refused"], row["file"]) == ("claude-code", None, None)
    assert row["counts"]["unknown"] == {"line of type comet": 1}
    assert "started" in row["not_recorded"]


def test_nothing_is_written_without_out_and_the_same_bytes_with_it(tmp_path: Path) -> None:
    path = write(stream(), tmp_path / "log")
    before = sorted(tmp_path.rglob("*"))
    assert run(path).exit_code == 0
    assert sorted(tmp_path.rglob("*")) == before
    for name in ("x", "y"):
        assert "written: 1 record below" in run(path, "--out", tmp_path / name).output
    written = [{file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in ("x", "y")]
    assert written[0] == written[1]
    assert sorted(written[0]) == ["stream.jsonl.record.jsonl", "stream.jsonl.world.json"]


def test_a_named_file_of_no_known_format_is_told_what_was_looked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"alpha": 1, "beta": 2}')
    shown = run(path)
    assert shown.exit_code == 1
    assert "no known format: a JSON object with fields alpha, beta" in shown.output
    for name in reader_names():
        assert f"  {name}: " in shown.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("{none}",), "there is no "),
        (("{log}", "--from", "claude"), "unknown format 'claude'; did you mean claude-code"),
        (("{log}", "--from", "pi", "--mapping", "{log}"), "--from and --mapping both say"),
        (("{log}", "--mapping", "{log}"), "mapping "),
    ],
)
def test_mistakes_are_named(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    path = write(stream(), tmp_path)
    given = [part.format(log=path, none=tmp_path / "none") for part in arguments]
    shown = run(*given)
    assert isinstance(shown.exception, WhatWorkedError)
    assert message in str(shown.exception)


def test_a_log_that_is_said_to_be_another(tmp_path: Path) -> None:
    path = write(stream(), tmp_path)
    shown = run(path, "--from", "swe-agent", "--json")
    assert shown.exit_code == 1
    assert json.loads(shown.output)[0]["refused"].startswith("it is no swe-agent: that is an object with a trajectory")


def test_a_file_that_two_readers_know_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    twin = LogReader("twin", "what the other looks for", lambda source: source.shape == "lines", lambda source: [])
    bring(monkeypatch, twin=twin)
    (found,) = convert([write(stream(), tmp_path)])
    assert found.refused == "it could be claude-code or twin; say which with --from"


def bring(monkeypatch: pytest.MonkeyPatch, **brought: object) -> None:
    class Point:
        def __init__(self, name: str) -> None:
            self.name, self.value = name, f"somewhere:{name}"

        def load(self) -> object:
            if isinstance(brought[self.name], Exception):
                raise brought[self.name]
            return brought[self.name]

    def points(*, group: str) -> list[Point]:
        return [Point(name) for name in brought] if group == "whatworked.record_readers" else []

    monkeypatch.setattr(importlib.metadata, "entry_points", points)


def test_a_reader_from_another_package_takes_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def drafts(source: Source) -> Iterator[Draft]:
        draft = Draft("tea", source.name, {})
        draft.call("pour", source.text, where="all", observation="hot")
        yield draft

    bring(monkeypatch, tea=LogReader("tea", "the word tea", lambda source: source.text.startswith("tea"), drafts))
    path = tmp_path / "a.txt"
    path.write_text("tea for two")
    (found,) = convert([path])
    assert found.record is not None
    assert (found.format, found.record.steps[0].action) == ("tea", "tea for two")
    assert found.record.header.counts.unknown_tools == {"pour": 1}
    assert reader_names()[-1] == "tea"


def test_a_reader_that_fails_is_named_and_the_rest_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(source: Source) -> Iterator[Draft]:
        raise ZeroDivisionError("oh")

    bring(monkeypatch, bad=LogReader("bad", "x", lambda source: source.text.startswith("bad"), broken))
    (tmp_path / "a.txt").write_text("bad")
    write(stream(), tmp_path)
    first, second = convert([tmp_path])
    assert first.refused == "the reader of bad cannot follow it (ZeroDivisionError: oh)"
    assert second.refused is None


@pytest.mark.parametrize(("thing", "message"), [(ImportError("gone"), "ImportError: gone"), (object(), "has no name")])
def test_a_reader_that_cannot_be_loaded_is_named(thing: object, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bring(monkeypatch, bad=thing)
    with pytest.raises(PluginError, match=message):
        reader("bad")
    with pytest.raises(UnknownNameError):
        reader("worse")


def test_asking_for_help_imports_nothing_heavy() -> None:
    heavy = ("numpy", "inspect_ai", "pydantic", "pandas", "whatworked.process.records")
    script = (
        "from click.testing import CliRunner; from whatworked.cli import cli; import sys\n"
        "assert CliRunner().invoke(cli, ['process', 'convert', '--help']).exit_code == 0\n"
        f"print(*[name for name in {heavy!r} if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == ""
