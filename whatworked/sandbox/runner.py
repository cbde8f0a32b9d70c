"""The only code of ours inside the sandbox: limits, names, the program, its result.

It is copied into the sandbox as a file and imports nothing of this package. What it has set is not to be trusted once
the program runs, so nothing outside depends on it but the limits, which cannot be raised again.
"""

from __future__ import annotations

import json
import os
import resource
import site
import sys
import types
from collections.abc import Callable
from typing import Any

PROGRAM = "/program.py"
PREAMBLE = "/preamble.py"
PACKAGES = "/packages"
WORK = "/work"


def main() -> None:
    """Run the program under the limits that stand in the arguments."""
    channel, *limits = map(int, sys.argv[1:])
    sys.argv[:] = [PROGRAM]
    _close_others(channel)
    _limit(*limits)
    sys.path += [PACKAGES, WORK]
    site.setquit()
    program = types.ModuleType("__main__")
    program.__file__ = PROGRAM
    sys.modules["__main__"] = program
    names = program.__dict__
    names["deliver"] = deliver = _deliverer(channel, limits[2])
    if _execute(PREAMBLE, names):
        sys.exit(1)
    try:
        status = _execute(PROGRAM, names)
    finally:
        if names.get("result") is not None:
            _deliver_last(deliver, names["result"])
    if status:
        sys.exit(status)


def _close_others(channel: int) -> None:
    os.closerange(3, channel)
    os.closerange(channel + 1, channel + 4096)
    os.set_inheritable(channel, False)


def _limit(cpu: int, memory: int, file: int, open_files: int, threads: int) -> None:
    for what, soft, hard in (
        (resource.RLIMIT_CPU, cpu, cpu + 1),
        (resource.RLIMIT_AS, memory, memory),
        (resource.RLIMIT_FSIZE, file, file),
        (resource.RLIMIT_NOFILE, open_files, open_files),
        # Counts within the sandbox alone, because it is set there; where the caller is root, the kernel ignores it.
        (resource.RLIMIT_NPROC, threads, threads),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_MEMLOCK, 0, 0),
    ):
        most = resource.getrlimit(what)[1]
        allowed = hard if most == resource.RLIM_INFINITY else min(hard, most)
        resource.setrlimit(what, (min(soft, allowed), allowed))


def _execute(path: str, names: dict[str, Any]) -> int:
    """Run a file in `names`; 1 if it raised, after its traceback was printed without our own frames."""
    with open(path, encoding="utf-8", newline="") as stream:  # noqa: PTH123 - pathlib would be one more import
        source = stream.read()
    try:
        exec(compile(source, path, "exec", dont_inherit=True), names)  # noqa: S102 - what this is for
    except SystemExit:
        raise
    except BaseException as error:
        own = error.__traceback__.tb_next if error.__traceback__ else None
        sys.excepthook(type(error), error.with_traceback(own), own)
        return 1
    return 0


def _deliverer(channel: int, most: int) -> Callable[[object], None]:
    def deliver(value: object) -> None:
        """Deliver a value as the program's result: numbers, texts, lists and dicts of them, arrays; the last counts."""
        text = json.dumps(value, allow_nan=False, default=_plain).encode()
        if len(text) > most:
            raise ValueError(f"the result is {len(text)} bytes long; at most {most} are allowed")
        os.ftruncate(channel, 0)
        written = 0
        while written < len(text):
            written += os.pwrite(channel, text[written:], written)

    return deliver


def _deliver_last(deliver: Callable[[object], None], value: object) -> None:
    try:
        deliver(value)
    except Exception as error:
        print(f"`result` was not delivered: {type(error).__name__}: {error}", file=sys.stderr)  # noqa: T201


def _plain(value: Any) -> object:
    """What JSON can hold of an array or a number of numpy's."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} cannot be delivered; numbers, texts, lists, dicts and arrays can")


if __name__ == "__main__":
    main()
