"""Why a machine has no working sandbox, read off its settings, and the exact thing to do about it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

LEAST_VERSION = (0, 8, 0)
"""Of bubblewrap; earlier ones cannot bound the size of a folder in memory, or forbid further namespaces."""
INSTALL = "install bubblewrap (apt-get install bubblewrap, dnf install bubblewrap, apk add bubblewrap)"
_APPARMOR = (
    "AppArmor keeps unprivileged programs from making user namespaces (Ubuntu 23.10 and later): put the lines "
    "`abi <abi/4.0>,`, `include <tunables/global>`, `profile bwrap {path} flags=(unconfined) {{ userns, }}` into "
    "/etc/apparmor.d/bwrap and run `sudo apparmor_parser -r /etc/apparmor.d/bwrap`, or allow it to all programs with "
    "`sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`"
)
_CONTAINER = (
    "a container's own filter keeps programs from making namespaces: start it with `--security-opt seccomp=unconfined "
    "--security-opt apparmor=unconfined` (docker, podman), or run whatworked outside of it"
)


def find_bubblewrap(program: str | None = None) -> str | None:
    """Path of ``bwrap``, or None."""
    return shutil.which(program or "bwrap")


def bubblewrap_version(path: str) -> tuple[int, ...] | None:
    """Version of the program at a path; None if it does not tell one."""
    try:
        told = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, check=False).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    numbers = told.split()[-1].split(".") if told.split() else []
    return tuple(map(int, numbers)) if numbers and all(number.isdigit() for number in numbers) else None


def too_old(version: tuple[int, ...] | None) -> str | None:
    """What to do about a version of bubblewrap that is too old; None if it is not, or not known."""
    if version is None or version >= LEAST_VERSION:
        return None
    return (
        f"bubblewrap {'.'.join(map(str, version))} is too old, {'.'.join(map(str, LEAST_VERSION))} or newer is needed: "
        "install that of a newer system (Debian 12, Ubuntu 24.04 and Fedora 38 have one), or build it from "
        "https://github.com/containers/bubblewrap"
    )


def cure(path: str, kernel: Path = Path("/proc/sys"), root: Path = Path("/")) -> str:
    """What to do where bubblewrap is there but cannot make a sandbox.

    Parameters
    ----------
    path : str
        Path of ``bwrap``.
    kernel : Path, optional
        Folder of the kernel's settings.
    root : Path, optional
        Folder in which a container leaves its mark.

    Returns
    -------
    str
        All that the settings say, most particular first.
    """
    known = []
    if (old := too_old(bubblewrap_version(path))) is not None:
        known.append(old)
    if _setting(kernel / "kernel/unprivileged_userns_clone") == "0":
        known.append(
            "user namespaces are switched off for unprivileged programs: `sudo sysctl -w "
            "kernel.unprivileged_userns_clone=1`"
        )
    if _setting(kernel / "user/max_user_namespaces") == "0":
        known.append("user namespaces are switched off: `sudo sysctl -w user.max_user_namespaces=10000`")
    if _setting(kernel / "kernel/apparmor_restrict_unprivileged_userns") == "1":
        known.append(_APPARMOR.format(path=path))
    if any((root / mark).exists() for mark in (".dockerenv", "run/.containerenv")):
        known.append(_CONTAINER)
    return "; or ".join(known) or (
        "the kernel has to allow unprivileged user namespaces (CONFIG_USER_NS) and seccomp filters "
        "(CONFIG_SECCOMP_FILTER), and the machine's policy (AppArmor, SELinux, a container) has to let bwrap use them"
    )


def _setting(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None
