"""Running checks in a worker process, which a plug-in may end without ending the caller."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from whatworked.plugins import Plugin
from whatworked.plugins.guard import describe
from whatworked.plugins.limits import TimeLimitError, opened, overrun
from whatworked.testing import checks_of
from whatworked.testing.kit import TIME_LIMIT, Check, CheckResult, run_check
from whatworked.workers.processes import end_processes, first_finished, start_processes
from whatworked.workers.profile import pinned_profile


def run_checks_apart(
    plugin: Plugin, dimensions: tuple[int, ...], time_limit: float = TIME_LIMIT
) -> Iterator[CheckResult]:
    """Results of all checks of a plug-in's kind, as they come.

    Parameters
    ----------
    plugin : Plugin
        Loaded from a text, so that it can be sent to a process.
    dimensions : tuple of int
        Numbers of options to try.
    time_limit : float
        Seconds for each case of a check. A plug-in that cannot be interrupted then is ended with its process; that and
        a plug-in that ends its process itself are failures like others.
    """
    with tempfile.TemporaryDirectory(prefix="whatworked-") as folder:
        worker = _Worker(Path(folder) / "step")
        try:
            for position in range(len(checks_of(plugin.kind))):
                yield worker.run(plugin, position, dimensions, time_limit)
        finally:
            worker.close()


class _Worker:
    """One process, replaced when a check ends it."""

    def __init__(self, note: Path) -> None:
        self._note = note
        self._executor = start_processes(pinned_profile())

    def run(self, plugin: Plugin, position: int, dimensions: tuple[int, ...], time_limit: float) -> CheckResult:
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        future: Any = self._executor.submit(_run, plugin, position, dimensions, time_limit, self._note)
        try:
            first_finished([future])
            result: CheckResult = future.result()
        except TerminatedWorkerError:
            self.close()
            self._executor = start_processes(pinned_profile())
            return _failed(checks_of(plugin.kind)[position], overrun(self._note), time_limit)
        return result

    def close(self) -> None:
        end_processes(self._executor)


def _failed(check: Check, ended: tuple[str, str] | None, time_limit: float) -> CheckResult:
    if ended is None:
        return CheckResult(check.name, check.what, "it ended the process, or ran out of memory")
    (case,) = json.loads(ended[0])
    problem = f"{describe(TimeLimitError(time_limit))}, and could not be interrupted ({case})"
    return CheckResult(check.name, check.what, problem, ended[1])


def _run(plugin: Plugin, position: int, dimensions: tuple[int, ...], time_limit: float, note: Path) -> CheckResult:
    return run_check(checks_of(plugin.kind)[position], plugin, dimensions, time_limit, opened(note))
