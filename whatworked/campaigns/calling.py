"""One call of a function in a file, in a process of its own.

Started as ``python -m whatworked.campaigns.calling FILE NAME LEVELS``. A crash or an endless loop then costs one run.
The result is written behind `RESULT` or `HOLE`, after what the function prints.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import traceback
from pathlib import Path
from typing import Any

from whatworked.campaigns.campaign import number_of
from whatworked.errors import InvalidOptionError
from whatworked.plugins.guard import describe

RESULT = "whatworked result: "
HOLE = "whatworked hole: "


def read_result(output: str) -> float | str:
    """The result in what such a process printed, or why there is none."""
    for line in reversed(output.splitlines()):
        if line.startswith(RESULT):
            return float(line.removeprefix(RESULT))
        if line.startswith(HOLE):
            return line.removeprefix(HOLE)
    return "the process ended before the function returned"


def load(file: Path, name: str) -> Any:
    """The function of that name in a file, which is run; raises `InvalidOptionError` if it has none."""
    found = importlib.util.spec_from_file_location("__whatworked_measured__", file)
    if found is None or found.loader is None:
        raise InvalidOptionError(f"{file} is not a Python file; its name must end in .py")
    sys.path.insert(0, str(file.resolve().parent))
    module = importlib.util.module_from_spec(found)
    sys.modules[found.name] = module
    found.loader.exec_module(module)
    function = getattr(module, name, None)
    if not callable(function):
        raise InvalidOptionError(f"{file} has no function {name!r}")
    return function


def main(arguments: list[str]) -> int:
    """Call the function once and write what came of it."""
    file, name, levels = arguments
    try:
        value = load(Path(file), name)(json.loads(levels))
        # A text would be taken for a reason; as a result it is no number.
        number, reason = number_of([value] if isinstance(value, str) else value)
    except Exception as error:
        traceback.print_exc()
        number, reason = 0.0, describe(error)
    text = f"{HOLE}{' '.join(reason.split())}" if reason else f"{RESULT}{number!r}"
    sys.stdout.write(f"\n{text}\n")
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
