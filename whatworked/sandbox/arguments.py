"""Arguments of ``bwrap``: namespaces, mounts, environment."""

from __future__ import annotations

import os

from whatworked.sandbox.interface import Limits
from whatworked.sandbox.layout import LIBRARIES, WORK_FOLDER, Layout

_NAMESPACES = "/proc/sys/user/max_user_namespaces"
_EMPTY_BYTES = 4096
_SHARED_BYTES = 1 << 20
_DEVICES = ("null", "zero", "full", "random", "urandom")
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")


def separation() -> list[str]:
    """Namespaces of its own, nobody's rights, an end with ours."""
    arguments = ["--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534", "--hostname", "sandbox"]
    arguments += ["--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"]
    # In most containers this setting cannot be written; the filter refuses further namespaces in any case.
    return arguments if _read_only(_NAMESPACES) else [*arguments, "--disable-userns"]


def _read_only(path: str) -> bool:
    try:
        return bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    except OSError:
        return True


def mounts(layout: Layout, limits: Limits) -> list[str]:
    """What is seen: the layout read-only, five devices, and two folders in memory."""
    arguments: list[str] = []
    for source, shown in layout.binds:
        arguments += ["--ro-bind", source, shown]
    for folder in layout.masks:
        arguments += ["--size", str(_EMPTY_BYTES), "--tmpfs", folder, "--remount-ro", folder]
    for device in _DEVICES:
        arguments += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    # joblib looks for semaphores when it is imported.
    arguments += ["--size", str(_SHARED_BYTES), "--tmpfs", "/dev/shm"]  # noqa: S108 - in the sandbox
    arguments += ["--size", str(limits.folder_bytes), "--tmpfs", WORK_FOLDER]
    return [*arguments, "--symlink", WORK_FOLDER[1:], "/tmp"]  # noqa: S108 - in the sandbox


def environment(limits: Limits) -> list[str]:
    """All variables that the program has, but for PWD, which bubblewrap sets."""
    variables = {
        "HOME": WORK_FOLDER,
        "LANG": "C.UTF-8",
        "LD_LIBRARY_PATH": LIBRARIES,
        "PATH": "/python/bin",
        "TMPDIR": WORK_FOLDER,
        "TZ": "UTC",
        **dict.fromkeys(_THREAD_VARIABLES, str(limits.cores)),
    }
    return [part for name, value in variables.items() for part in ("--setenv", name, value)]


def kernel_limits(limits: Limits) -> tuple[int, ...]:
    """The limits that the runner sets, in its order."""
    return limits.cpu_seconds, limits.memory_bytes, limits.file_bytes, limits.open_files, limits.threads
