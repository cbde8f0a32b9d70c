"""Running checks in a worker process, which a plug-in may end without ending the caller."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from whatworked.plugins import Plugin
from whatworked.plugins.guard import describe
from whatworked.plugins.limits import TimeLimitError, opened, overrun
from whatworked.testing import checks_of
from whatworked.testing.kit import TIME_LIMIT, Check, CheckResult, run_check
from whatworked.workers.call import Call
from whatworked.workers.pool import DEFAULT_BACKEND, open_pool
from whatworked.workers.profile import pinned_profile


def run_checks_apart(
    plugin: Plugin, dimensions: tuple[int, ...], time_limit: float = TIME_LIMIT
) -> Iterator[CheckResult]:
    """Results of all checks of a plug-in's kind, as they come.

    Parameters
    ----------
    plugin : Plugin
        Loaded from a text, or an object that can be pickled, so that it can be sent to a process.
    dimensions : tuple of int
        Numbers of options to try.
    time_limit : float
        Seconds for each case of a check. A plug-in that cannot be interrupted then is ended with its process; that and
        a plug-in that ends its process itself are failures like others.
    """
    checks = checks_of(plugin.kind)
    with (
        tempfile.TemporaryDirectory(prefix="whatworked-") as folder,
        open_pool(DEFAULT_BACKEND, 1, pinned_profile(), len(checks)) as pool,
    ):
        note = Path(folder) / "step"
        waiting = iter(range(len(checks)))

        def supply(lane: int) -> Call[Check] | None:
            del lane
            for position in waiting:
                return Call(checks[position], _run, (plugin, position, dimensions, time_limit, note))
            return None

        for answer in pool.run(supply):
            yield _failed(answer.call.subject, overrun(note), time_limit) if answer.died else answer.value


def _failed(check: Check, ended: tuple[str, str] | None, time_limit: float) -> CheckResult:
    if ended is None:
        return CheckResult(check.name, check.what, "it ended the process, or ran out of memory")
    (case,) = json.loads(ended[0])
    problem = f"{describe(TimeLimitError(time_limit))}, and could not be interrupted ({case})"
    return CheckResult(check.name, check.what, problem, ended[1])


def _run(plugin: Plugin, position: int, dimensions: tuple[int, ...], time_limit: float, note: Path) -> CheckResult:
    return run_check(checks_of(plugin.kind)[position], plugin, dimensions, time_limit, opened(note))
