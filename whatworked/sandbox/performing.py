"""Running the programs that a host is asked to run: a request in plain JSON, an outcome in plain JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whatworked.errors import InvalidCodeError, SandboxUnavailableError
from whatworked.sandbox.bubblewrap import BubblewrapSandbox
from whatworked.sandbox.interface import Execution, Limits, Sandbox

UNAVAILABLE = "this host has no working sandbox; the people who run it can ask `whatworked doctor` for the cure"
"""What a player is told. The cause names folders of the host, so it is not for players."""


class SandboxPerformer:
    """Runs programs of players in a sandbox.

    Parameters
    ----------
    sandbox : Sandbox, optional
        By bubblewrap if not given.
    limits : Limits, optional
        What each program may use.
    """

    def __init__(self, sandbox: Sandbox | None = None, limits: Limits | None = None) -> None:
        self._sandbox: Sandbox = BubblewrapSandbox() if sandbox is None else sandbox
        self._limits = Limits() if limits is None else limits

    def perform(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Run one program.

        Parameters
        ----------
        request : mapping
            ``code``; and, where they are wanted, ``preamble``, ``files`` and ``modules``, each a mapping from names to
            texts; see `Sandbox.run`.

        Returns
        -------
        dict
            ``exit`` (None where a signal or a limit ended the program), ``signal``, ``limit``, ``stdout``, ``stderr``,
            ``truncated`` (which of both streams lack a part), ``result`` (JSON text or None), ``result_problem`` and
            ``times``; or only ``unavailable``, with the reason.
        """
        try:
            done = self._sandbox.run(
                request["code"],
                preamble=request.get("preamble", ""),
                files={name: text.encode() for name, text in request.get("files", {}).items()},
                modules=request.get("modules", {}),
                limits=self._limits,
            )
        except SandboxUnavailableError:
            return {"unavailable": UNAVAILABLE}
        except InvalidCodeError as error:
            return _not_run(str(error))
        return _outcome(done)


def _outcome(done: Execution) -> dict[str, Any]:
    return {
        "exit": done.status,
        "signal": done.signal,
        "limit": done.limit,
        "stdout": done.stdout,
        "stderr": done.stderr,
        "truncated": [name for name, cut in (("stdout", done.stdout_cut), ("stderr", done.stderr_cut)) if cut],
        "result": done.result,
        "result_problem": done.result_problem,
        "times": {"wall": round(done.wall_seconds, 3), "cpu": round(done.cpu_seconds, 2)},
    }


def _not_run(reason: str) -> dict[str, Any]:
    """The outcome of a text that is no program, as if Python had refused it."""
    said = {"stdout": "", "stderr": f"The program was not run: {reason}.\n", "truncated": []}
    return {"exit": 1, "signal": None, "limit": None, **said, "result": None, "result_problem": None, "times": {}}
