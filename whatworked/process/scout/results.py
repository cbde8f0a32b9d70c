"""Scores as results of Scout: one for each measure, with links to the messages that decided it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whatworked.process.measures import AxisScore, MeasureScore, Scores
from whatworked.process.records import Record

if TYPE_CHECKING:
    from inspect_scout import Reference, Result, Transcript


def results_of(scores: Scores, record: Record, transcript: Transcript) -> list[Result]:
    """Scores as results of a scanner.

    Parameters
    ----------
    scores : Scores
        Of the run.
    record : Record
        The run, as `record_of` read it from the transcript.
    transcript : inspect_scout.Transcript
        Where the links lead.

    Returns
    -------
    list of inspect_scout.Result
        One for each axis and for each measure, labelled by its id. A value of None abstains, and the explanation says
        why.
    """
    cited = _Citations(record, transcript)
    return [*map(_axis_result, scores.axes), *(_measure_result(entry, cited) for entry in scores.measures)]


class _Citations:
    """From steps to the messages that they were read from."""

    def __init__(self, record: Record, transcript: Transcript) -> None:
        places = {message.id: number for number, message in enumerate(transcript.messages, start=1)}
        self._cites: dict[int, tuple[str, str]] = {}
        for step in record.steps:
            for name in (f"step {step.id}", _message_id(step.where, transcript)):
                if name is not None and name in places:
                    self._cites[step.id] = (name, f"[M{places[name]}]")

    def cite(self, step: int) -> str:
        """How a step is named in a text; a link where its message is known."""
        return self._cites[step][1] if step in self._cites else f"step {step}"

    def references(self, steps: set[int]) -> list[Reference]:
        from inspect_scout import Reference

        known = [self._cites[step] for step in sorted(steps) if step in self._cites]
        return [Reference(type="message", id=name, cite=cite) for name, cite in known]


def _message_id(where: str, transcript: Transcript) -> str | None:
    """The id of the message that a reader of Inspect's logs says a step stands in."""
    kind, _, number = where.partition(" ")
    if kind != "message" or not number.isdecimal() or int(number) >= len(transcript.messages):
        return None
    return transcript.messages[int(number)].id


def _axis_result(axis: AxisScore) -> Result:
    from inspect_scout import Result

    told = axis.abstains if axis.score is None else _interval(axis.low, axis.high)
    return Result(value=axis.score, label=axis.id, explanation=f"{axis.name}: {told}", metadata={"form": "axis"})


def _measure_result(entry: MeasureScore, cited: _Citations) -> Result:
    from inspect_scout import Result

    lines = [f"{entry.taken} of {entry.offered}{_interval(entry.low, entry.high, before=', ')}"]
    lines += [f"abstains: {entry.abstains}"] if entry.abstains else []
    lines += list(entry.notes)
    steps: set[int] = set()
    for chance in entry.opportunities:
        quoted = sorted({quote.step for quote in chance.quotes})
        steps.update(quoted)
        places = " ".join(map(cited.cite, quoted))
        lines.append(f"{'taken' if chance.taken else 'not taken'}: {chance.node} {places} {chance.why}".strip())
    return Result(
        value=entry.score,
        label=entry.id,
        explanation="\n".join(lines),
        references=cited.references(steps),
        metadata={"form": entry.form, "axis": entry.axis, "averaged": entry.averaged},
    )


def _interval(low: float | None, high: float | None, before: str = "") -> str:
    return "" if low is None or high is None else f"{before}95 % interval {low:.2f} to {high:.2f}"
