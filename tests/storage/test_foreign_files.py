"""Commands that write fixed names leave files of other people alone, whole and unchanged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from run_helpers import lowest, mean, synthetic_task

from whatworked import bench
from whatworked.cli import cli
from whatworked.errors import JournalError, StorageError
from whatworked.runs.journal import JOURNAL, refuse_unfinished

OF_A_RUN = (
    "plan.json",
    "software.json",
    "records.jsonl",
    "records.csv",
    "surfaces.json",
    "costs.csv",
    "plugins.log",
    "manifest.json",
)
CONTENTS = (b"my own\n", b'{"name": "mine", "version": 3}\n', b"a;b\n1;2\n", b"", b"\xff\xfe\0")


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def run(folder, **how):
    return bench([mean], [lowest], 1, out=folder, tasks=synthetic_task("one", 2, 1), **how)


@pytest.mark.parametrize("name", ["surfaces.json", "records.csv"])
def test_a_file_that_no_memory_would_hold_is_somebody_elses_and_not_read(tmp_path, name):
    with (tmp_path / name).open("wb") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(StorageError, match=f"has {name}, which whatworked bench did not write"):
        run(tmp_path)
    assert (tmp_path / name).stat().st_size == 1 << 40


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("name", OF_A_RUN)
def test_bench_refuses_what_it_did_not_write(tmp_path, name, fresh):
    for content in CONTENTS:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(StorageError, match=f"has {name}, which whatworked bench did not write"):
            run(tmp_path, fresh=fresh)
        assert snapshot(tmp_path) == {name: content}


@pytest.mark.parametrize("name", OF_A_RUN)
def test_bench_refuses_folders_and_links_that_lead_nowhere(tmp_path, name):
    (tmp_path / "a" / name).mkdir(parents=True)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / name).symlink_to(tmp_path / "nowhere")
    for folder in ("a", "b"):
        with pytest.raises(StorageError, match=name):
            run(tmp_path / folder)
    assert not (tmp_path / "nowhere").exists()


def test_fresh_replaces_a_run_of_its_own_and_nothing_else(tmp_path):
    first = run(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "costs.csv").write_text("condition;method\n")
    assert run(tmp_path, fresh=True).records == first.records
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_fresh_keeps_what_the_user_put_in_place_of_a_finished_runs_file(tmp_path):
    run(tmp_path)
    for name in OF_A_RUN[1:-2]:
        written = (tmp_path / name).read_bytes()
        contents = [b'{"name": "mine"}\n'] if name == "software.json" else [b"my own\n", b"a;b\n1;2\n", b"\x89PNG"]
        for content in contents:
            (tmp_path / name).write_bytes(content)
            with pytest.raises(StorageError, match=f"has {name}, which whatworked bench did not write"):
                run(tmp_path, fresh=True)
            assert (tmp_path / name).read_bytes() == content
        (tmp_path / name).write_bytes(b"" if name == "records.csv" else written)
    assert run(tmp_path, fresh=True).records
    assert (tmp_path / "records.csv").read_bytes()


@pytest.mark.parametrize("content", [*CONTENTS, b'{"entries": [], "mine": 1}', b'{"entries": {}}', b"[" * 100_000])
def test_leaderboard_update_refuses_what_it_did_not_write(tmp_path, content):
    path = tmp_path / "leaderboard.json"
    path.write_bytes(content)
    done = invoke("leaderboard", "--results", tmp_path, "--update")
    assert "leaderboard.json, which whatworked leaderboard did not write" in str(done.exception) + done.output
    assert path.read_bytes() == content
    path.unlink()
    for _ in range(2):
        assert invoke("leaderboard", "--results", tmp_path, "--update").exit_code == 0


def test_a_table_of_the_users_own_beside_an_unfinished_run_is_kept(tmp_path):
    run(tmp_path)
    (tmp_path / "manifest.json").unlink()
    assert run(tmp_path).records
    (tmp_path / "manifest.json").unlink()
    (tmp_path / "records.csv").write_text("mine\n")
    for fresh in (False, True):
        with pytest.raises(StorageError, match=r"records\.csv"):
            run(tmp_path, fresh=fresh)
    assert (tmp_path / "records.csv").read_text() == "mine\n"


def invoke(*arguments: object):
    return CliRunner().invoke(cli, [str(one) for one in arguments])


@pytest.mark.parametrize("name", ["wine.tsv", "index.json", "machine.json", "failures.log"])
@pytest.mark.parametrize("fresh", [[], ["--fresh"]])
def test_rebuild_refuses_what_it_did_not_write(tmp_path, name, fresh):
    for content in CONTENTS:
        (tmp_path / name).write_bytes(content)
        done = invoke("rebuild", "wine", "--out", tmp_path, *fresh)
        assert done.exit_code != 0
        assert name in str(done.exception) + done.output
        assert isinstance(done.exception, StorageError | SystemExit)
        assert snapshot(tmp_path) == {name: content}


@pytest.mark.parametrize("name", ["wine.jsonl", "index.json"])
def test_controls_run_refuses_what_it_did_not_write(tmp_path, name):
    for content in CONTENTS:
        (tmp_path / name).write_bytes(content)
        done = invoke("controls", "run", "wine", "--out", tmp_path, "--fresh")
        assert done.exit_code != 0
        assert name in str(done.exception) + done.output
        assert snapshot(tmp_path) == {name: content}


@pytest.mark.parametrize("name", ["reversals.csv", "catalog_summary.csv", "pair_interactions.dictionary.csv"])
def test_export_refuses_what_it_did_not_write(tmp_path, name):
    for content in CONTENTS:
        (tmp_path / name).write_bytes(content)
        done = invoke("export", tmp_path)
        assert done.exit_code != 0
        assert name in str(done.exception) + done.output
        assert snapshot(tmp_path) == {name: content}


def test_export_replaces_what_it_wrote(tmp_path):
    assert invoke("export", tmp_path).exit_code == 0
    before = snapshot(tmp_path)
    (tmp_path / "reversals.csv").write_bytes(before["reversals.csv"].partition(b"\n")[0] + b"\n")
    assert invoke("export", tmp_path).exit_code == 0
    assert snapshot(tmp_path) == before


def test_two_names_do_not_lead_submit_to_one_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "run"
    assert invoke("bench", "--method", "D1", "--condition", "wine", "--budgets", "4", "--out", folder).exit_code == 0
    assert invoke("submit", folder, "--name", "our forest").exit_code == 0
    packed = (tmp_path / "our-forest.json.gz").read_bytes()
    assert invoke("submit", folder, "--name", "our forest").exit_code == 0
    for name in ("our-forest", "our/forest", "our:forest"):
        done = invoke("submit", folder, "--name", name)
        assert done.exit_code != 0
        assert "the packed run 'our forest'" in str(done.exception) + done.output
    assert (tmp_path / "our-forest.json.gz").read_bytes() == packed
    (tmp_path / "mine.json.gz").write_bytes(b"mine")
    assert "no packed run" in str((done := invoke("submit", folder, "--name", "mine")).exception) + done.output
    assert (tmp_path / "mine.json.gz").read_bytes() == b"mine"
    assert invoke("submit", folder, "--name", "our:forest", "--out", tmp_path / "our-forest.json.gz").exit_code == 0

    (folder / JOURNAL).write_bytes(b"left\n")
    assert "not finished" in str((done := invoke("submit", folder, "--name", "x")).exception) + done.output
    with pytest.raises(JournalError, match="not finished"):
        refuse_unfinished(folder)
    (folder / JOURNAL).unlink()
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["plan"]["seeds"] += 1
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert "altered" in str((done := invoke("submit", folder, "--name", "x")).exception) + done.output
