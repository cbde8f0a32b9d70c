"""A scanner for Inspect Scout, as a file that ``scout scan`` takes.

Nothing else in the package imports it, because Scout takes seconds to import.
"""

from __future__ import annotations

from pathlib import Path

from inspect_scout import Result, Scanner, Transcript, scanner

from whatworked.errors import JudgeError
from whatworked.judging import InspectJudge, same_model_warning
from whatworked.process.juries import score_run
from whatworked.process.measures import measure
from whatworked.process.records import unjudgeable
from whatworked.process.scout.results import results_of
from whatworked.process.scout.transcripts import record_of


@scanner(name="process", messages="all", events=["model", "tool"], version=1)
def process(jobs: int = 6, cheap: bool = False, calls: str = "") -> Scanner[Transcript]:
    """Scan for process scores: axes and measures, each with links to what decided it.

    The judge is the model of the scan.

    Parameters
    ----------
    jobs : int
        Calls that are under way at once for one transcript.
    cheap : bool
        One pass and one vote.
    calls : str
        Folder of journals of calls, one a transcript; empty keeps none. With it, a scan that is run again asks only
        what is missing.

    Returns
    -------
    inspect_scout.Scanner
        From a transcript to a result for each axis and measure. A run that cannot be judged gives one result without a
        value, and the reason. A run with questions that got no reply is an error of the scan, to be scanned again.
    """

    async def scan(transcript: Transcript) -> Result | list[Result]:
        from inspect_ai.model import get_model

        record, world = record_of(transcript)
        reason = unjudgeable(record)
        if reason is not None:
            return Result(value=None, answer="cannot be judged", explanation=f"cannot be judged: {reason}")
        judge = InspectJudge(get_model())
        scoring = await score_run(record, world, judge, journal=_journal(calls, transcript), jobs=jobs, cheap=cheap)
        if not scoring.finished:
            raise JudgeError(f"some questions about {transcript.transcript_id} got no reply; scan it again")
        warning = same_model_warning(judge.name, record.header.model)
        found = results_of(measure(scoring.graph), record, transcript)
        return [_marked(result, judge.name, cheap=cheap, warning=warning) for result in found]

    return scan


def _journal(folder: str, transcript: Transcript) -> Path | None:
    if not folder:
        return None
    Path(folder).mkdir(parents=True, exist_ok=True)
    return Path(folder) / f"{transcript.transcript_id}.calls"


def _marked(result: Result, judge: str, *, cheap: bool, warning: str | None) -> Result:
    """A result that says who judged, and how."""
    told = {"judge": judge, "cheap": cheap, **({} if warning is None else {"warning": warning})}
    return result.model_copy(update={"metadata": {**(result.metadata or {}), **told}})
