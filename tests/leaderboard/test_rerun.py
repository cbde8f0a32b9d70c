"""Running packed runs again, and the commands around them."""

from __future__ import annotations

import copy
import gzip
import json

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from packed_runs import altered, finished, record, sealed

from whatworked.cli.leaderboard import leaderboard
from whatworked.cli.submit import submit, verify_run
from whatworked.errors import InvalidOptionError, PluginError, RunError
from whatworked.grading import grade
from whatworked.leaderboard import pack, unpack, verified
from whatworked.leaderboard.board import entries_of
from whatworked.leaderboard.packing import claims_of
from whatworked.leaderboard.rerunning import plan_of, plugin_files, rerun
from whatworked.runs import catalog_tasks


def test_running_again_tells_identical_rounded_and_different(run, tmp_path, content):
    def change(new):
        one, two = record(new, "wine"), record(new, "wine", "class-gp/design-main")
        one[6][5] = float(np.nextafter(one[6][5], 1)) if 5 not in one[4] else one[6][5]
        hidden = next(r for r in range(1, 15) if r not in two[4] and r not in two[5])
        two[6][hidden] = min(1.0, two[6][hidden] + 1e-7)

    new = copy.deepcopy(content)
    change(new)
    two = record(new, "wine", "class-gp/design-main")
    (task,) = catalog_tasks(["wine"], rules=True)
    for one in (record(new, "wine"), two):
        one[8] = list(claims_of(grade(task.surface, one[6], [0, 15, *one[4]])))
    found = rerun(verified(unpack(sealed(new), "file")), tmp_path / "again")
    # The run was made in this process and is made again in pinned workers, so last digits may differ.
    assert sum(map(len, found.values())) == 24
    assert len(found["equal"]) >= 1
    assert found["different"] == ["class-gp/design-main on wine, budget 3, seed 0"]


def test_what_is_said_of_seeds_must_be_so_when_it_runs_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "seeded.py").write_text(
        "import numpy as np\n"
        "def noisy(masks, utilities, cube, random_state=0):\n"
        "    return np.random.default_rng(random_state).random(len(cube))\n"
    )
    chance = finished(tmp_path / "run", catalog_tasks(["wine"]), ["./seeded.py:noisy"], ["design-main"])
    assert {one.seed for one in chance.records} == {0, 1}

    def change(new):
        new["plan"]["estimators"]["noisy"]["stochastic"] = False
        new["records"] = [one for one in new["records"] if one[3] == 0]

    # Nothing in the file itself speaks against it, and what is in another file is not loaded to grade it.
    run = verified(unpack(altered(json.loads(gzip.decompress(pack(chance, "ours"))), change), "file"))
    with pytest.raises(RunError, match="wrong about whether seeds change noisy"):
        rerun(run, tmp_path / "again")


def test_python_objects_cannot_be_run_again(tmp_path):
    def mean(masks, utilities, cube):
        return np.full(len(cube), 0.5)

    run = finished(tmp_path, catalog_tasks(["wine"]), [mean], ["design-main"])
    with pytest.raises(RunError, match="mean cannot be run again"):
        plan_of(run.description)


def test_entries_are_for_whole_tracks_and_budgets_that_leave_something(run, tmp_path):
    assert entries_of(run, "digest") == []
    whole = finished(tmp_path, catalog_tasks(tracks=["paired"]), ["mean"], ["design-main"], budgets=(8, 62))
    (entry,) = entries_of(whole, "digest")
    assert (entry.track, entry.budget, entry.method, entry.sources, entry.rules) == (
        "paired",
        8,
        "mean/design-main",
        6,
        False,
    )
    assert entry.low <= entry.recovery <= entry.high


def test_the_commands(tmp_path):
    finished(tmp_path / "run", catalog_tasks(tracks=["paired"]), ["mean", "ridge-main"], ["design-main"], budgets=(8,))
    out = tmp_path / "results" / "both.json.gz"
    packed = CliRunner().invoke(
        submit, [str(tmp_path / "run"), "--name", "both", "--note", "as they come", "--out", str(out)]
    )
    assert packed.exit_code == 0, packed.output
    assert "12 records, all graded again" in packed.output

    shown = CliRunner().invoke(verify_run, [str(out)])
    assert shown.exit_code == 0
    assert "note: as they come" in shown.output
    content = json.loads(CliRunner().invoke(verify_run, [str(out), "--json"]).output)
    assert (content["records"], content["missing"], content["rerun"]) == (12, 0, None)

    board = CliRunner().invoke(leaderboard, ["--results", str(out.parent), "--update", "--details"])
    assert board.exit_code == 0, board.output
    *table, written = board.output.splitlines()
    assert written == f"{out.parent / 'leaderboard.json'} written: 2 entries"
    lines = [line.split() for line in table[1:]]
    assert [line[3] for line in lines] == ["ridge-main/design-main", "mean/design-main"]
    assert float(lines[0][4]) >= float(lines[1][4])
    stored = json.loads((out.parent / "leaderboard.json").read_text())["entries"]
    assert [one["method"] for one in stored] == ["ridge-main/design-main", "mean/design-main"]
    none = CliRunner().invoke(leaderboard, ["--results", str(out.parent), "--track", "four"])
    assert none.output == "no results\n"
    unknown = CliRunner().invoke(leaderboard, ["--results", str(out.parent), "--budget", "9"])
    assert str(unknown.exception) == "unknown budget '9' (1 exist: 8)"
    assert isinstance(CliRunner().invoke(leaderboard, ["--update"]).exception, InvalidOptionError)

    (out.parent / "again.json.gz").write_bytes(out.read_bytes())
    assert "several runs called both" in str(CliRunner().invoke(leaderboard, ["--results", str(out.parent)]).exception)


def test_a_refused_file_is_an_error_of_the_command(tmp_path, content):
    path = tmp_path / "file.json.gz"
    path.write_bytes(altered(content, lambda new: new["records"].pop()))
    result = CliRunner().invoke(verify_run, [str(path)])
    assert isinstance(result.exception, RunError)


def test_a_plugin_file_must_travel_along(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    text = "import numpy as np\ndef half(masks, utilities, cube):\n    return np.full(len(cube), 0.5)\n"
    (tmp_path / "here" / "mine.py").write_text(text)
    finished(tmp_path / "run", catalog_tasks(["wine"]), ["./mine.py:half"], ["design-main"])
    packed = CliRunner().invoke(
        submit, [str(tmp_path / "run"), "--name", "half", "--out", str(tmp_path / "half.json.gz")]
    )
    assert packed.exit_code == 0, packed.output
    assert "./mine.py (SHA-256 " in packed.output
    monkeypatch.chdir(tmp_path)
    away = CliRunner().invoke(verify_run, ["half.json.gz", "--rerun", "--jobs", "1"])
    assert "half was run from the file ./mine.py with SHA-256" in str(away.exception)
    (tmp_path / "mine.py").write_text(text + "# edited\n")
    other = CliRunner().invoke(verify_run, ["half.json.gz", "--rerun", "--jobs", "1"])
    assert "is another file" in str(other.exception)


def test_files_beside_a_plugin_must_travel_along_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (
        "import numpy as np, helper_of_travel\ndef half(masks, utilities, cube):\n    return np.full(len(cube), 0.5)\n"
    )
    (tmp_path / "travel.py").write_text(text)
    (tmp_path / "helper_of_travel.py").write_text("")
    run = finished(tmp_path / "run", catalog_tasks(["wine"]), ["./travel.py:half"], ["design-main"])
    assert list(plugin_files(run.description)) == ["./travel.py", "./helper_of_travel.py"]
    assert plan_of(run.description).digest == run.manifest.plan_digest
    half = run.description.estimators["half"]
    own_file_only = msgspec.structs.replace(half, origin_text=half.origin_text.partition(",")[0])
    before = msgspec.structs.replace(run.description, estimators={"half": own_file_only})
    # It does not say what the file beside must be.
    with pytest.raises(PluginError, match=r"another file: half was run .*helper_of_travel\.py sha256"):
        plan_of(before)
    (tmp_path / "helper_of_travel.py").write_text("x = 1\n")
    with pytest.raises(PluginError, match=r"another file: half was run .*, and helper_of_travel\.py in its folder"):
        plan_of(run.description)
