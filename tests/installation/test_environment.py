"""What `make` does before it installs: interpreters and environments that are not as they should be, by stubs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = ("make", "sh", "awk", "cat", "cksum", "dirname", "grep", "head", "ls", "rm", "sort", "mkdir", "touch", "cp")

INTERPRETER = """#!/bin/sh
# An interpreter of another version: it answers questions, and makes an environment that only notes what it is told.
here={here}
if [ "$1" = -c ]; then
    exec {real} -c 'import sys
sys.version_info, sys.version = (*{version}, "final", 0), "{version} stub"
for name in {lacks}:
    sys.modules[name] = None
exec(sys.argv.pop(1))' "$2"
fi
echo "{name} $*" >> "$here/log"
for folder; do :; done
mkdir -p "$folder/bin"
touch "$folder/pyvenv.cfg"
cp "$here/pip" "$folder/bin/python"
"""

PIP = """#!/bin/sh
echo "pip $*" >> {here}/log
[ ! -e {here}/no-network ]
"""


class Checkout:
    """A copy of what `make` reads, with stubs in place of interpreters."""

    def __init__(self, root: Path, here: Path) -> None:
        self.here = here
        shutil.copy(root / "Makefile", here)
        shutil.copy(root / "pyproject.toml", here)
        (here / "tools").mkdir()
        for script in (root / "tools").glob("*.sh"):
            shutil.copy(script, here / "tools")
        self.bin = here / "path"
        self.bin.mkdir()
        for tool in TOOLS:
            found = shutil.which(tool)
            assert found is not None, tool
            (self.bin / tool).symlink_to(found)
        self.write(here / "pip", PIP.format(here=here))

    def write(self, path: Path, text: str) -> Path:
        path.write_text(text)
        path.chmod(0o755)
        return path

    def interpreter(self, name: str, version: tuple[int, ...], lacks: tuple[str, ...] = ()) -> str:
        text = INTERPRETER.format(
            here=self.here, real=sys.executable, version=version, lacks=json.dumps(lacks), name=name
        )
        return str(self.write(self.here / name, text))

    def make(self, python: str, *more: str, target: str = "env/bin/.installed") -> subprocess.CompletedProcess[str]:
        command = ["make", f"PYTHON={python}", "VENV=env", *more, target]
        environment = {"PATH": str(self.bin), "HOME": str(self.here)}
        return subprocess.run(command, cwd=self.here, env=environment, capture_output=True, text=True, check=False)

    def log(self) -> list[str]:
        """What was run since the last look."""
        path = self.here / "log"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines


@pytest.fixture
def checkout(root: Path, tmp_path: Path) -> Checkout:
    return Checkout(root, tmp_path)


MADE = ["new -m venv --clear env", "pip -m pip install --quiet --disable-pip-version-check --editable .[dev,report]"]


@pytest.mark.parametrize("version", [(3, 10, 13), (3, 9, 0), (2, 7, 18)])
@pytest.mark.parametrize("target", ["rebuild", "test"])
def test_an_interpreter_that_is_too_old_is_refused_before_anything_is_installed(
    checkout: Checkout, version: tuple[int, ...], target: str
) -> None:
    done = checkout.make(checkout.interpreter("old", version), target=target)
    assert done.returncode != 0
    assert f"is Python {'.'.join(map(str, version))}; WhatWorked needs 3.11 or newer" in done.stderr
    assert "apt install python3 python3-venv" in done.stderr
    assert (checkout.log(), (checkout.here / "env").exists()) == ([], False)


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_an_interpreter_without_venv_is_refused_with_what_to_install(checkout: Checkout, module: str) -> None:
    done = checkout.make(checkout.interpreter("bare", (3, 12, 4), lacks=(module,)))
    assert done.returncode != 0
    assert "lacks the module venv or ensurepip (Debian, Ubuntu: apt install python3.12-venv)" in done.stderr
    assert checkout.log() == []


def test_no_interpreter_at_all_is_named(checkout: Checkout) -> None:
    done = checkout.make("nowhere")
    assert done.returncode != 0
    assert "'nowhere' is no Python interpreter that runs here; install Python 3.11 or newer" in done.stderr


def test_another_interpreter_that_would_do_is_offered(checkout: Checkout) -> None:
    (checkout.bin / "python3.13").symlink_to(checkout.interpreter("new", (3, 13, 0)))
    done = checkout.make(checkout.interpreter("old", (3, 10, 13)))
    assert f"take the one that is here: make PYTHON={sys.executable} rebuild" in done.stderr


def test_a_good_environment_is_made_once(checkout: Checkout) -> None:
    new = checkout.interpreter("new", (3, 11, 7))
    assert checkout.make(new).returncode == 0
    assert checkout.log() == MADE
    again = checkout.make(new)
    assert (again.returncode, again.stdout, checkout.log()) == (0, "", [])


def test_an_environment_left_half_made_is_made_again(checkout: Checkout) -> None:
    new = checkout.interpreter("new", (3, 11, 7))
    (checkout.here / "no-network").touch()
    assert checkout.make(new).returncode != 0
    assert checkout.log() == MADE
    (checkout.here / "no-network").unlink()
    assert checkout.make(new).returncode == 0
    assert checkout.log() == MADE


def test_a_failure_leaves_no_mark_of_an_earlier_success(checkout: Checkout) -> None:
    new, other = checkout.interpreter("new", (3, 11, 7)), checkout.interpreter("other", (3, 12, 0))
    checkout.make(new)
    (checkout.here / "no-network").touch()
    assert checkout.make(other).returncode != 0
    (checkout.here / "no-network").unlink()
    checkout.log()
    checkout.make(new)
    assert checkout.log() == MADE


def test_an_environment_of_another_interpreter_is_made_again(checkout: Checkout) -> None:
    checkout.make(checkout.interpreter("other", (3, 12, 1)))
    checkout.log()
    assert checkout.make(checkout.interpreter("new", (3, 13, 0))).returncode == 0
    assert checkout.log() == MADE


@pytest.mark.parametrize("mark", [None, "", "Python 3.10"])
def test_an_environment_without_a_mark_of_ours_is_made_again(checkout: Checkout, mark: str | None) -> None:
    new = checkout.interpreter("new", (3, 11, 7))
    checkout.make(new)
    checkout.log()
    path = checkout.here / "env" / "bin" / ".installed"
    path.unlink() if mark is None else path.write_text(mark)
    checkout.make(new)
    assert checkout.log() == MADE


def test_other_requirements_and_constraints_make_it_again(checkout: Checkout) -> None:
    new = checkout.interpreter("new", (3, 11, 7))
    checkout.make(new)
    (checkout.here / "pyproject.toml").write_text("[project]\n")
    (checkout.here / "my limits.txt").write_text("numpy==2.4.6\n")
    checkout.log()
    checkout.make(new)
    assert checkout.log() == MADE
    checkout.make(new, "CONSTRAINTS=my limits.txt")
    assert [line for line in checkout.log() if "--constraint my limits.txt --editable" in line] != []
    assert "cannot be read" in checkout.make(new, "CONSTRAINTS=nowhere.txt").stderr


def test_a_folder_that_is_no_environment_is_left_alone(checkout: Checkout) -> None:
    (checkout.here / "env").mkdir()
    (checkout.here / "env" / "thesis.tex").write_text("mine")
    done = checkout.make(checkout.interpreter("new", (3, 11, 7)))
    assert done.returncode != 0
    assert "'env' is not empty and is no Python environment" in done.stderr
    assert [path.name for path in (checkout.here / "env").iterdir()] == ["thesis.tex"]
