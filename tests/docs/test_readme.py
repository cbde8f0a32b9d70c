"""The README's commands, as printed, in the order printed; its Python; its links."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest
from command_line import run_apart, run_here

from whatworked.catalog import conditions
from whatworked.cli import COMMANDS

README = Path(__file__).parents[2] / "README.md"


def blocks() -> list[list[str]]:
    """The indented blocks that call the program, each with its lines."""
    found = re.findall(r"(?:^    whatworked .+\n)+", README.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [[line.strip() for line in block.splitlines()] for block in found]


def commands() -> list[str]:
    return [line for block in blocks() for line in block]


def test_the_four_jobs_and_the_look_around_are_there() -> None:
    names = [line.split()[1] for line in commands()]
    assert names[:2] == ["rebuild", "verify"]
    assert {"bench", "compare", "report", "list", "show", "effects", "plot", "controls", "leaderboard"} <= set(names)
    assert {"play", "episode", "serve"} <= set(names)
    assert set(names) <= set(COMMANDS)


WRITTEN = {"report": "out/mine.html", "plot": "out/astronaut.png"}


@pytest.mark.parametrize("block", blocks(), ids=lambda block: block[0].split()[1])
def test_every_command_works_as_printed(
    block: list[str], root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "examples").symlink_to(root / "examples")
    monkeypatch.chdir(tmp_path)
    for line in block:
        _, *arguments = shlex.split(line, comments=True)
        shown = run_here(*arguments, WHATWORKED_CACHE=str(tmp_path / "cache"))
        assert shown.returncode == 0, (line, shown.stderr)
        assert shown.stdout.strip(), line
        if written := WRITTEN.get(arguments[0]):
            assert written in arguments
            assert (tmp_path / written).stat().st_size > 10_000


def test_the_program_itself_runs() -> None:
    shown = run_apart("list")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout == run_here("list").stdout


def test_the_python_prints_what_it_says(root: Path) -> None:
    result = doctest.testfile(str(root / "README.md"), module_relative=False)
    assert result.attempted > 3
    assert result.failed == 0


def pages(root: Path) -> list[Path]:
    return [root / "README.md", *sorted((root / "docs").glob("*.md")), *sorted(root.glob("*/README.md"))]


def test_every_link_leads_somewhere(root: Path) -> None:
    links = [
        (page, target) for page in pages(root) for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text())
    ]
    assert len(links) > 20
    assert [(page.name, target) for page, target in links if not (page.parent / target).exists()] == []


def test_pages_named_in_words_exist(root: Path) -> None:
    found = [
        target
        for page in (*pages(root), root / "CONTRIBUTING.md")
        for target in re.findall(r"`((?:docs|examples|benchmarks|tools|tests)/[\w./-]+)`", page.read_text())
    ]
    assert len(found) >= 3
    assert [target for target in found if not (root / target).exists()] == []


def test_the_words_are_defined_before_they_are_used_and_count_what_there_is(root: Path) -> None:
    text = (root / "README.md").read_text()
    words = text.split("## Words\n")[1].split("\n## ")[0]
    assert text.index("## Words") < text.index("## Four jobs")
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
