"""The examples in the pages about surfaces, effects, grades and averages."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("page", ["effects.md", "grading.md"])
def test_pages(root, page):
    result = doctest.testfile(str(root / "docs" / page), module_relative=False)
    assert result.attempted > 5
    assert result.failed == 0


def test_a_submitted_table_is_graded_as_printed(root, tmp_path):
    (script,) = re.findall(r"```shell\n(.*?)```", (root / "docs" / "grading.md").read_text(), re.DOTALL)
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-ec", script], cwd=tmp_path, capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    # The same prediction as in the page's first example, which prints a recovery of 0.87.
    assert re.search(r"effect recovery +0\.8699", done.stdout)
    assert '"effect_recovery": 0.8699' in done.stdout
