"""The commands rebuild, verify, list and show, as a user runs them."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Ended, run_here, settings
from shared_folders import made_once

from whatworked import references
from whatworked.catalog import condition, conditions, manifest

ABSENT = "absent-mirror"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def rebuilt(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, cache: Path) -> Path:
    """A folder where nile was rebuilt, to go on with."""

    def make(folder: Path) -> None:
        done = whatworked("rebuild", "nile", "--jobs", "1", "--out", str(folder / "out"), cache=cache)
        assert done.returncode == 0, done.stderr

    made = made_once(tmp_path_factory, "nile", make)
    return Path(shutil.copytree(made / "out", tmp_path / "rebuilt"))


def whatworked(*arguments: str, cache: Path | None = None) -> Ended:
    """Run the command line offline, away from the user's own cache and mirror."""
    return run_here(*arguments, **({"WHATWORKED_CACHE": str(cache)} if cache else {}))


def test_rebuild_verify_and_rebuild_again(tmp_path: Path, cache: Path) -> None:
    out = str(tmp_path / "out")
    done = whatworked("rebuild", "nile", "sunspots", "--jobs", "1", "--out", out, "--json", cache=cache)
    assert done.returncode == 0, done.stderr
    built = {one["condition"]: one for one in json.loads(done.stdout)["conditions"]}
    assert {name: one["status"] for name, one in built.items()} == {"nile": "built", "sunspots": "built"}
    assert built["nile"]["digest"] == references.table_digest("nile", tmp_path / "out")
    for name, one in built.items():
        assert one["as_shipped"] is (one["digest"] == references.table_digest(name))

    checked = whatworked("verify", "nile", "--references", out, "--sample", "0.25", "--jobs", "1", cache=cache)
    assert checked.returncode == 0
    assert "4 records of 1 condition: 4 identical, 0 equal, 0 different, 0 failed" in checked.stdout

    again = whatworked("rebuild", "nile", "--out", out, cache=cache)
    assert "1 condition: 0 built, 1 unchanged, 0 skipped, 0 failed; 16 records" in again.stdout
    same = f"{int(built['nile']['as_shipped'])} of 1 table has the same bytes as the package's"
    assert same in again.stdout


def test_the_committed_tables_verify_on_this_machine(cache: Path) -> None:
    how = ("--sample", "0.2", "--cold", "--jobs", "1", "--json")
    done = whatworked("verify", "nile", "wine", "graph_lesmis__d6", *how, cache=cache)
    counts = json.loads(done.stdout)["conditions"]
    assert done.returncode == 0, counts
    assert [one["identical"] + one["equal"] for one in counts] == [4, 4, 13]


def carried() -> dict[str, list[str]]:
    """By family the conditions whose raw data come with the package or with one that it depends on."""
    found: dict[str, list[str]] = {}
    for one in conditions():
        if any(file.shipped or file.package for form in manifest(one.source).forms for file in form.files):
            found.setdefault(one.family, []).append(one.id)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("family", carried())
def test_every_record_of_the_committed_tables_verifies_on_this_machine(family: str, cache: Path) -> None:
    names = carried()[family]
    done = whatworked("verify", *names, "--json", cache=cache)
    counts = json.loads(done.stdout)["conditions"]
    assert (done.returncode, [one["condition"] for one in counts]) == (0, names), counts
    assert [one["identical"] + one["equal"] for one in counts] == [1 << condition(name).dimensions for name in names]


def test_absent_sources_are_skipped_with_what_to_do_and_fail_only_when_strict(rebuilt: Path, cache: Path) -> None:
    arguments = ("rebuild", "nile", "mitdb_100__d6", "--out", str(rebuilt))
    done = whatworked(*arguments, cache=cache)
    assert done.returncode == 0
    assert "mitdb_100__d6 skipped: source mitdb_100 is not on this machine" in done.stdout
    assert "--mirror DIR" in done.stdout
    assert whatworked(*arguments, "--strict", cache=cache).returncode == 1


def test_several_absent_sources_share_one_paragraph(rebuilt: Path, cache: Path) -> None:
    names = ("banknote", "seeds", "arguana", "scifact", "scifact__d6")
    built = whatworked("rebuild", "nile", *names, "--out", str(rebuilt), cache=cache).stdout
    checked = whatworked("verify", "nile", *names, "--sample", "0.1", "--jobs", "1", cache=cache).stdout
    for text, what in ((built, "skipped"), (checked, "not checked")):
        (line,) = (line for line in text.splitlines() if line.startswith("- 5 conditions"))
        assert line.startswith(
            f"- 5 conditions {what}, for 4 sources that are not on this machine (no mirror is given; "
            "archive.ics.uci.edu, zenodo.org, public.ukp.informatik.tu-darmstadt.de: offline): "
            "banknote, seeds, arguana, scifact. "
        )
        assert "--mirror DIR" in line
        assert "`whatworked sources`" in line


def test_a_condition_that_cannot_be_checked_is_not_a_count_of_nothing(cache: Path) -> None:
    done = whatworked("verify", "banknote", cache=cache)
    assert done.returncode == 1
    first, second = done.stdout.splitlines()
    assert first == "No record was checked."
    assert second.startswith("- banknote not checked: source banknote is not on this machine (")


def test_many_conditions_without_a_table_are_one_line(rebuilt: Path, cache: Path) -> None:
    out = str(rebuilt)
    names = ("glass", "wine", "wine__d6", "sunspots")
    how = ("--sample", "0.1", "--jobs", "1", "--references", out)
    few = whatworked("verify", "wine", "glass", *how, cache=cache).stdout
    many = whatworked("verify", "nile", *names, *how, cache=cache).stdout
    assert few.splitlines()[-1] == f"- glass, wine not checked: no table in {out}"
    assert many.splitlines()[-1] == f"- 4 conditions not checked: no table in {out} (glass, wine, sunspots, wine__d6)"


def test_an_altered_raw_file_fails_its_condition_and_no_other(tmp_path: Path, cache: Path) -> None:
    mirror = tmp_path / "mirror" / "seeds"
    mirror.mkdir(parents=True)
    (mirror / "seeds_dataset.txt").write_text("1 2 3\n")
    arguments = ("rebuild", "seeds", "nile", "--out", str(tmp_path / "out"), "--mirror", str(tmp_path / "mirror"))
    done = whatworked(*arguments, "--jobs", "1", cache=cache)
    assert done.returncode == 1
    assert "1 built, 0 unchanged, 0 skipped, 1 failed" in done.stdout
    assert str(mirror / "seeds_dataset.txt") in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rebuild", "spambas"), "unknown condition 'spambas'; did you mean spambase"),
        (("rebuild", "--family", "clusters"), "unknown family 'clusters'; did you mean clustering"),
        (("rebuild", "nile", "--backend", "lokki"), "unknown backend 'lokki'; did you mean loky"),
        (("rebuild", "nile", "--jobs", "0"), "0 is not in the range"),
        (("rebuild", "nile", "--mirror", ABSENT), "is no folder"),
        (("rebuild", "nile", "--out", "/dev/null/out"), "cannot write /dev/null/out"),
        (("verify", "nile", "--sample", "0"), "share of the records"),
        (("verify", "nil"), "did you mean nile"),
        (("show", "win"), "unknown condition 'win'; did you mean wine"),
    ],
)
def test_bad_input_is_one_line_that_says_what_is_allowed(arguments: tuple[str, ...], message: str, cache: Path) -> None:
    done = whatworked(*arguments, cache=cache)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_disk_that_takes_no_more_is_a_named_error_and_nothing_is_half_written(tmp_path: Path, rebuilt: Path) -> None:
    cache = tmp_path / "cache"
    assert whatworked("sources", "check", "nile", cache=cache).returncode == 0
    # A limit is of a whole process, so the command has one of its own; `nile` was prepared before it.
    environment = {**os.environ, **settings({"WHATWORKED_CACHE": str(cache)})}
    done = subprocess.run(
        [sys.executable, "-m", "whatworked", "rebuild", "nile", "--jobs", "1", "--out", str(tmp_path / "out")],
        env={name: value for name, value in environment.items() if value is not None},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)),
    )
    assert done.returncode == 2
    assert "error: cannot write" in done.stderr
    assert "free space or choose another folder" in done.stderr
    assert {path.name for path in (tmp_path / "out").iterdir()} == {".rebuild.journal"}
    # Where there is room the same command goes through.
    assert len((rebuilt / "nile.tsv").read_bytes()) > 3000


def test_list_has_every_condition() -> None:
    listed = json.loads(whatworked("list", "--json").stdout)
    assert len(listed) == 36
    assert sum(one["records"] for one in listed) == 1248
    text = whatworked("list", "--family", "clustering").stdout.splitlines()
    assert [line.split()[0] for line in text[1:6]] == ["dry_bean", "glass", "seeds", "wine", "wine__d6"]
    assert text[-1] == "5 conditions of 4 sources, 128 records"


def test_show_says_options_settings_source_range_and_reversals() -> None:
    shown = json.loads(whatworked("show", "astronaut__d6", "--json").stdout)
    surface = references.load_surface("astronaut__d6")
    assert shown["utility"]["range"] == surface.range
    assert shown["classes"] == 36
    assert [option["letter"] for option in shown["options"]] == list(surface.options)
    for option, row in zip(shown["options"], surface.effects(), strict=True):
        assert option["effects"]["helps"] == (row > 1e-12).sum()
        assert option["effects"]["reverses"] == bool((row > 1e-12).any() and (row < -1e-12).any())
    text = whatworked("show", "astronaut__d6").stdout
    for option in shown["options"]:
        assert option["off"] in text
        assert option["on"] in text
    assert shown["licence"] in text
