"""The process of a player from a file: it has a pipe to the host, and nothing else of the episode.

Started as ``python -m whatworked.episodes.fronts.stranger FILE FUNCTION SEED REPORT``, with the host on the standard
streams; what the player broke on is written to the descriptor REPORT.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

from whatworked.episodes.fronts.connecting import LineHost
from whatworked.episodes.fronts.game import Game
from whatworked.episodes.hosts import take_output

_NAME = "_player_file"


def main(file: str, function: str, seed: str, report: str) -> int:
    """Play; returns the exit code."""
    output = take_output()
    answers = os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.set_inheritable(int(report), False)
    player = getattr(_module(Path(file)), function, None)
    if not callable(player):
        os.write(int(report), f"the file has no function {function}".encode())
        return 2
    from whatworked.episodes.playing import called

    with os.fdopen(answers, "rb") as source, os.fdopen(output, "wb") as sink:
        try:
            called(player, Game(LineHost(source, sink)), int(seed))
        except Exception as error:
            os.write(int(report), f"{type(error).__name__}: {error}"[:400].encode("utf-8", "replace"))
            raise
    return 0


def _module(path: Path) -> Any:
    # Behind everything else, and under a name of its own: a player called random.py must not stand for a library.
    sys.path.append(str(path.parent))
    spec = importlib.util.spec_from_file_location(_NAME, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[_NAME] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
