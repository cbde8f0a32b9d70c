"""`whatworked cite` says what CITATION.cff and the manifests say."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from command_line import run_here

from whatworked.catalog import manifest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import lowest


def test_the_software_and_the_paper(root: Path) -> None:
    said = run_here("cite").stdout
    stated = (root / "CITATION.cff").read_text()
    titles = re.findall(r'title: "(.+)"', stated)
    authors = re.findall(r'- name: "(.+)"', stated)
    (version,) = re.findall(r"^version: (.+)$", stated, re.MULTILINE)
    assert (len(titles), len(authors)) == (2, 2)
    for text in (*titles, *authors, f"{{{version}}}"):
        assert text in said


def test_the_data_of_sources_and_conditions() -> None:
    done = run_here("cite", "wine__d6", "wine", "nile")
    said = " ".join(done.stdout.split())
    for name in ("wine", "nile"):
        assert " ".join(manifest(name).citation.split()) in said
        assert said.count(f" {name}: ") == 1
    wrong = run_here("cite", "wune")
    assert (wrong.returncode, wrong.stdout, "did you mean wine" in wrong.stderr) == (2, "", True)


def test_the_lowest_versions() -> None:
    assert lowest.lowest(["click>=8.1,!=8.2.0", "scikit-image>=0.24"]) == ["click==8.1", "scikit-image==0.24"]
    with pytest.raises(ValueError, match="states no lowest version"):
        lowest.lowest(["click"])
