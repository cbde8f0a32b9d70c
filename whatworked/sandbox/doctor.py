"""What works on this machine, and for what does not the exact thing to do."""

from __future__ import annotations

import importlib.metadata
import operator
import platform
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from whatworked.errors import SandboxUnavailableError
from whatworked.sandbox.bubblewrap import BubblewrapSandbox
from whatworked.sandbox.cures import INSTALL, bubblewrap_version, find_bubblewrap, too_old
from whatworked.sandbox.interface import Limits
from whatworked.sandbox.layout import PACKAGES
from whatworked.storage.json_text import parse_json

LEAST_PYTHON = (3, 11)
PROJECT = "whatworked"
NOT_FOR_USERS = frozenset({"dev", "docs", "test"})
"""Extras for work on the package itself."""
_PROBE = """
import os, socket
refused = 0
for forbidden in (os.fork, socket.socket):
    try:
        forbidden()
    except PermissionError:
        refused += 1
import numpy, scipy, sklearn
deliver([refused, numpy.__version__, scipy.__version__, sklearn.__version__])
"""
_CALCULATIONS = "calculations of players in episodes, which are refused without it"
_FORBIDDEN = 2
_FILTER = "run a kernel with seccomp filters (CONFIG_SECCOMP_FILTER)"
_COMPARISONS: dict[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]] = {
    ">=": operator.ge,
    "<": operator.lt,
    "!=": operator.ne,
}


@dataclass(frozen=True)
class Check:
    """One thing that was looked at.

    Attributes
    ----------
    name : str
        What it is.
    needed : bool
        Whether the main job, which is benchmarks and grades, depends on it.
    works : bool
        Whether it is as it should be.
    found : str
        What is there.
    purpose : str
        What it is for.
    fix : str or None
        What to do where it does not work; None where it does.
    """

    name: str
    needed: bool
    works: bool
    found: str
    purpose: str
    fix: str | None = None


def examine() -> tuple[Check, ...]:
    """Look at this machine: Python, packages, extras, worker processes, the sandbox; a program is run in it.

    Returns
    -------
    tuple of Check
        What is needed first.
    """
    return (_python(), _packages(), *_extras(), _semaphores(), *_sandbox())


def _python() -> Check:
    wanted, works = ".".join(map(str, LEAST_PYTHON)), sys.version_info[:2] >= LEAST_PYTHON
    return Check(
        name="Python",
        needed=True,
        works=works,
        found=f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        purpose="everything",
        fix=None if works else f"install Python {wanted} or newer, and whatworked under it",
    )


def _packages() -> Check:
    try:
        requirements = list(_requirements(None))
    except importlib.metadata.PackageNotFoundError:
        return Check("packages", True, False, "whatworked is not installed", "everything", "pip install whatworked")
    wrong = [problem for requirement in requirements if (problem := _problem(requirement)) is not None]
    return Check(
        name="packages",
        needed=True,
        works=not wrong,
        found="; ".join(wrong) or f"all {len(requirements)}",
        purpose="everything",
        fix=f"pip install --upgrade {PROJECT}" if wrong else None,
    )


def _extras() -> Iterator[Check]:
    purposes = {
        "report": "figures of conditions",
        "dask": "workers on several machines",
        "inspect": "episodes as Inspect tasks, and Inspect's logs",
        "mcp": "episodes for agents that speak MCP",
    }
    try:
        extras = importlib.metadata.metadata(PROJECT).get_all("Provides-Extra") or []
    except importlib.metadata.PackageNotFoundError:
        return
    for extra in sorted(set(extras) - NOT_FOR_USERS):
        requirements = list(_requirements(extra))
        wrong = [problem for requirement in requirements if (problem := _problem(requirement)) is not None]
        there = (f"{name} {importlib.metadata.version(name)}" for name, _ in requirements)
        yield Check(
            name=f"extra {extra}",
            needed=False,
            works=not wrong,
            found="; ".join(wrong or there),
            purpose=purposes.get(extra, "see the documentation"),
            fix=f'pip install "{PROJECT}[{extra}]"' if wrong else None,
        )


def _semaphores() -> Check:
    problem = None
    try:
        from multiprocessing import get_context

        get_context("spawn").Semaphore()
    except (OSError, ImportError) as error:
        problem = str(error)
    return Check(
        name="semaphores",
        needed=False,
        works=problem is None,
        found=problem or "can be made",
        purpose="several worker processes of one pool; without them workers are spoken to through pipes",
        fix=None
        if problem is None
        else "mount a tmpfs on /dev/shm that can be written to (docker run --tmpfs /dev/shm)",
    )


def _sandbox() -> Iterator[Check]:
    path = find_bubblewrap()
    version = None if path is None else bubblewrap_version(path)
    fix = INSTALL if path is None else too_old(version)
    yield Check(
        name="bubblewrap",
        needed=False,
        works=fix is None,
        found="not found" if path is None else f"{'.'.join(map(str, version or ())) or 'unknown version'}, {path}",
        purpose="the sandbox",
        fix=fix,
    )
    yield _probe() if fix is None else Check("sandbox", False, False, "not tried", _CALCULATIONS, fix)


def _probe() -> Check:
    """Run a program that tries two forbidden things and imports what programs may import."""
    try:
        done = BubblewrapSandbox().run(_PROBE, limits=Limits(wall_seconds=120.0))
    except SandboxUnavailableError as error:
        return Check("sandbox", False, False, error.reason, _CALCULATIONS, error.fix)
    if done.result is None:
        said = (done.stderr.strip().splitlines() or [f"status {done.status}, limit {done.limit}"])[-1]
        return Check(
            "sandbox", False, False, f"a program did not end well: {said}", _CALCULATIONS, "install whatworked again"
        )
    refused, *versions = parse_json(done.result.encode())
    if refused < _FORBIDDEN:
        return Check(
            "sandbox",
            False,
            False,
            "the filter of system calls lets a process or a socket pass",
            _CALCULATIONS,
            _FILTER,
        )
    names = ", ".join(f"{name} {version}" for name, version in zip(PACKAGES, versions, strict=True))
    return Check("sandbox", False, True, f"a program ran in {done.wall_seconds:.1f} s, with {names}", _CALCULATIONS)


def _requirements(extra: str | None) -> Iterator[tuple[str, str]]:
    """Names and version bounds of the distributions that this package, or one of its extras, requires."""
    for line in importlib.metadata.requires(PROJECT) or ():
        requirement, _, marker = line.partition(";")
        named = re.search(r"extra *== *['\"]([^'\"]+)", marker)
        matched = re.match(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*\(?([^)]*)", requirement.strip())
        if matched and (named[1] if named else None) == extra:
            yield matched[1], matched[2].strip()


def _problem(requirement: tuple[str, str]) -> str | None:
    name, bounds = requirement
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return f"{name} is not installed"
    for bound in filter(None, bounds.split(",")):
        matched = re.match(r"\s*(>=|<|!=)\s*([\d.]+)", bound)
        if matched and not _COMPARISONS[matched[1]](_numbers(version), _numbers(matched[2])):
            return f"{name} {version} is not {bound.strip()}"
    return None


def _numbers(version: str) -> tuple[int, ...]:
    """The first four numbers of a version, with zeros for those it does not have."""
    found = [int(number) for number in re.findall(r"\d+", version.split("+")[0])][:4]
    return (*found, *[0] * (4 - len(found)))
