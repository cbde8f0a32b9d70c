"""The README's commands, as printed, in the order printed; its Python; its links."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from whatworked.catalog import conditions
from whatworked.cli import COMMANDS


def commands(root: Path) -> list[str]:
    """Lines of the indented blocks that call the program."""
    return re.findall(r"^    (whatworked .+)$", (root / "README.md").read_text(), flags=re.MULTILINE)


def test_the_three_jobs_and_the_look_around_are_there(root: Path) -> None:
    names = [line.split()[1] for line in commands(root)]
    assert names[:2] == ["rebuild", "verify"]
    assert {"bench", "compare", "report", "list", "show", "effects", "plot", "controls", "leaderboard"} <= set(names)
    assert set(names) <= set(COMMANDS)


def test_every_command_works_as_printed(root: Path, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(root / "examples")
    environment = {**os.environ, "WHATWORKED_OFFLINE": "1"}
    for line in commands(root):
        _, *arguments = shlex.split(line, comments=True)
        shown = subprocess.run(
            [sys.executable, "-m", "whatworked", *arguments],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert shown.returncode == 0, (line, shown.stderr)
        assert shown.stdout.strip(), line
    assert (tmp_path / "out" / "mine.html").stat().st_size > 10_000
    assert (tmp_path / "out" / "astronaut.png").stat().st_size > 10_000


def test_the_python_prints_what_it_says(root: Path) -> None:
    result = doctest.testfile(str(root / "README.md"), module_relative=False)
    assert result.attempted > 3
    assert result.failed == 0


def pages(root: Path) -> list[Path]:
    return [root / "README.md", *sorted((root / "docs").glob("*.md")), *sorted(root.glob("*/README.md"))]


def test_every_link_leads_somewhere(root: Path) -> None:
    for page in pages(root):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), (page.name, target)


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_pages_named_in_words_exist(root: Path, name: str) -> None:
    for target in re.findall(r"`((?:docs|examples|benchmarks|tools|tests)/[\w./-]+)`", (root / name).read_text()):
        assert (root / target).exists(), target


def test_the_words_are_defined_before_they_are_used_and_count_what_there_is(root: Path) -> None:
    text = (root / "README.md").read_text()
    words = text.split("## Words\n")[1].split("\n## ")[0]
    assert text.index("## Words") < text.index("## Three jobs")
    for word in ("anchors", "credit", "spent", "Recovery", "Strict", "Exact", "Tracks", "rules"):
        assert f"**{word}**" in words, word
    tracks = [one.track for one in conditions()]
    counts = {name: int(count) for name, count in re.findall(r"`(\w+)` \([^)]*?(\d+)[^)]*\)", words)}
    assert counts == {track: tracks.count(track) for track in ("four", "paired", "added")}


@pytest.mark.parametrize("name", ["README.md", "docs/bench.md"])
def test_every_track_is_named_where_tracks_are_defined(root: Path, name: str) -> None:
    text = " ".join((root / name).read_text().split())
    defined = re.search(r"racks(?:\*\*: | are )`four` \([^)]+\), `paired` \([^)]+\),? (?:and )?`added` \([^)]+\)", text)
    assert defined is not None
    assert re.search(r"anchors?\b[^.]{0,40}0…0 (?:and|or) 1…1, (?:are|is) measured for free", text)


def test_no_target_of_make_is_taken_for_a_folder_that_exists(root: Path) -> None:
    text = (root / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z-]+):.*## ", text, flags=re.MULTILINE))
    phony = set(re.search(r"^\.PHONY: (.+)$", text, flags=re.MULTILINE)[1].split())
    assert phony == targets
