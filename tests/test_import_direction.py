"""The contract on imports leaves no room out: what stands in no layer fails."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def copied(root: Path, tmp_path: Path) -> Path:
    """The package's modules, its contracts and the tool that checks them."""

    def others(folder: str, names: list[str]) -> list[str]:
        return [name for name in names if not (name.endswith(".py") or (Path(folder) / name).is_dir())]

    mapped = runpy.run_path(str(root / "tools" / "links.py"))["MAPPED"]
    for part in ("whatworked", "tools", *mapped):
        shutil.copytree(root / part, tmp_path / part, ignore=others)
    shutil.copy(root / ".importlinter", tmp_path)
    return tmp_path


def test_a_package_that_stands_in_no_layer_fails(copied: Path) -> None:
    pytest.importorskip("importlinter", reason="import-linter is not installed: pip install -e '.[dev]'")
    (copied / "whatworked" / "attic").mkdir()
    (copied / "whatworked" / "attic" / "__init__.py").write_text("")
    command = [sys.executable, str(copied / "tools" / "lint_imports.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "attic" in done.stdout + done.stderr
