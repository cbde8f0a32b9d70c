"""What ``whatworked doctor`` says of machines that have everything, and of those that lack something."""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path

import numpy
import pytest
import sklearn
from command_line import run_here

from whatworked.errors import SandboxUnavailableError
from whatworked.sandbox import BubblewrapSandbox
from whatworked.sandbox.cures import cure


def false_bubblewrap(folder: Path, version: str, said: str) -> Path:
    path = folder / "bwrap"
    path.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && echo "bubblewrap {version}" && exit\necho "{said}" >&2\nexit 1\n'
    )
    path.chmod(0o755)
    return path


def test_a_machine_that_has_everything(sandbox: BubblewrapSandbox) -> None:
    shown = run_here("doctor", "--json")
    told = json.loads(shown.stdout)
    assert (shown.returncode, told["ready"]) == (0, True)
    checks = {check["name"]: check for check in told["checks"]}
    assert checks["sandbox"]["works"], checks["sandbox"]
    assert f"numpy {numpy.__version__}, " in checks["sandbox"]["found"]
    assert checks["sandbox"]["found"].endswith(f"scikit-learn {sklearn.__version__}")
    assert all((check["fix"] is None) == check["works"] for check in checks.values())


def test_without_bubblewrap_the_main_job_is_ready_all_the_same() -> None:
    shown = run_here("doctor", PATH="/nonexistent")
    assert shown.returncode == 0
    assert "All that is needed is here." in shown.stdout
    assert shown.stdout.count("apt-get install bubblewrap") == 1


def test_a_package_that_is_needed_and_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = ["numpy>=99", "no-such-package>=1", "scipy<99,!=98.0", 'also-missing; extra == "more"']
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: wanted)
    shown = run_here("doctor", PATH="/nonexistent")
    assert shown.returncode == 1
    packages = next(line for line in shown.stdout.splitlines() if line.startswith("packages"))
    assert packages.split(None, 2)[1:] == [
        "missing",
        f"numpy {numpy.__version__} is not >=99; no-such-package is not installed",
    ]


@pytest.mark.parametrize(
    ("setting", "value", "command"),
    [
        ("kernel/unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0", "sysctl -w user.max_user_namespaces"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "apparmor_parser -r /etc/apparmor.d/bwrap"),
        (".dockerenv", "", "--security-opt seccomp=unconfined"),
        ("none", "", "CONFIG_USER_NS"),
    ],
)
def test_each_setting_of_a_machine_has_its_own_cure(tmp_path: Path, setting: str, value: str, command: str) -> None:
    path = false_bubblewrap(tmp_path, "0.9.0", "")
    (tmp_path / setting).parent.mkdir(exist_ok=True)
    (tmp_path / setting).write_text(f"{value}\n")
    told = cure(str(path), kernel=tmp_path, root=tmp_path)
    assert command in told
    assert "; or " not in told


def test_a_bubblewrap_that_cannot_work_is_named_with_what_it_says(tmp_path: Path) -> None:
    path = false_bubblewrap(tmp_path, "0.6.1", "bwrap: Unknown option --size")
    with pytest.raises(
        SandboxUnavailableError, match=r"here \(bwrap: Unknown option --size\); bubblewrap 0\.6\.1 is too old"
    ):
        BubblewrapSandbox(str(path)).run("print(1)")
    shown = run_here("doctor", PATH=str(tmp_path))
    assert shown.returncode == 0
    assert "0.6.1 is too old, 0.8.0 or newer is needed" in shown.stdout
