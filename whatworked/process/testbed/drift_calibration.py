"""How good a judge of the drift is: precision and recall of statements and grounds, their times, and its errors."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from whatworked.judging import Caps, Judge, Prices, Reply, Request, Spent, read_answer
from whatworked.process.drift import Statement, judge_episode
from whatworked.process.testbed.calibration import ErrorRates, Share
from whatworked.process.testbed.drift_games import NOTE_BANKS, NOTE_FAULTS, KnownStatement, SpokenDrift
from whatworked.process.testbed.erring import Rates
from whatworked.statistics import Measurement, macro_interval
from whatworked.storage.canonical import canonical_json, sha256

_RESAMPLES = 2_000
_OPENING = 3


@dataclass(frozen=True)
class JudgedNotes:
    """An episode of the drift that a judge was tried on.

    Attributes
    ----------
    name, fault, bank : str
        Which.
    pairs : tuple of (KnownStatement, Statement)
        For each criterion, what is known and what the judge says.
    within : tuple of Statement or None
        What the judge within a judge that errs says; None without one.
    spent : Spent
        What was sent.
    money : float or None
        Likewise, where the price is known.
    finished : bool
        Whether every question got a reply.
    """

    name: str
    fault: str
    bank: str
    pairs: tuple[tuple[KnownStatement, Statement], ...]
    within: tuple[Statement, ...] | None
    spent: Spent
    money: float | None
    finished: bool


@dataclass(frozen=True)
class NoteQuality:
    """What a judge is worth for statements, or for grounds.

    Attributes
    ----------
    part : {"stated", "grounded"}
        Which.
    precision, recall : Share
        Of what the judge finds, what is so; of what is so, what it finds.
    on_time : Share
        Of what both say, what has the known time to the action.
    late, low, high : float or None
        Mean of judged minus known time in paid actions, with a 95 % interval over episodes.
    """

    part: Literal["stated", "grounded"]
    precision: Share
    recall: Share
    on_time: Share
    late: float | None
    low: float | None
    high: float | None


class ErringReader:
    """A judge of the drift that passes on what another answers, with errors.

    What happens to an answer depends on the seed, the episode and the criterion alone. A dropped answer is refused, a
    garbled one cut off. A flipped one finds nothing where there was a statement, and else takes the first words of the
    notes for one.

    Parameters
    ----------
    judge : Judge
        Who answers.
    rates : Rates
        How often it errs.
    seed : int
        Of the errors.
    of : str
        Name of the episode.
    """

    def __init__(self, judge: Judge, rates: Rates, seed: int = 0, of: str = "") -> None:
        self._judge = judge
        self._rates = rates
        self._seed = seed
        self._of = of
        told = ",".join(f"{name}={getattr(rates, name):g}" for name in Rates.__struct_fields__)
        self.name = f"{judge.name} with {told},seed={seed}"

    async def reply(self, request: Request) -> Reply:
        """Answer with errors.

        Parameters
        ----------
        request : Request
            What is asked.

        Returns
        -------
        Reply
        """
        reply = await self._judge.reply(request)
        if reply.kind != "answer":
            return reply
        asked = sha256(canonical_json([request.question, request.vote, msgspec.to_builtins(request.fields)]))
        draw = random.Random(f"{self._seed} {self._of} {asked}")
        if draw.random() < self._rates.garble:
            return msgspec.structs.replace(reply, text=reply.text[: len(reply.text) // 2])
        if draw.random() < self._rates.drop:
            return Reply(kind="refusal", model=reply.model, detail="dropped")
        if draw.random() < self._rates.flip:
            answer = _flipped(read_answer(reply.text), request)
            return msgspec.structs.replace(reply, text=canonical_json(answer).decode())
        return reply


def try_drift_judge(
    game: SpokenDrift,
    judge: Judge,
    *,
    within: Judge | None = None,
    journal: Path | None = None,
    jobs: int = 6,
    caps: Caps | None = None,
    prices: Prices | None = None,
) -> JudgedNotes:
    """Ask a judge about an episode of the drift whose notes are known.

    Parameters
    ----------
    game : SpokenDrift
        The episode.
    judge : Judge
        Who is tried.
    within : Judge, optional
        Of a judge that errs, the one that it passes on; asked apart, and not counted in what was sent.
    journal : Path, optional
        File of calls; what stands there is not asked again.
    jobs : int
        Calls that are under way at once.
    caps : Caps, optional
        What may be spent.
    prices : Prices, optional
        What the judge costs.

    Returns
    -------
    JudgedNotes

    Raises
    ------
    JudgeError
        If the judge cannot be asked on, or a cap is reached; the journal keeps what was answered.
    JournalError
        If the journal is damaged or of other notes.
    """
    episode = game.episode

    def asked(who: Judge, calls: Path | None) -> Any:
        return judge_episode(
            episode.name, episode.record.events, episode.instance, episode.options, who, calls=calls, jobs=jobs,
            caps=caps, prices=prices,
        )  # fmt: skip

    found = asked(judge, journal)
    statements = found.judgement.statements
    return JudgedNotes(
        name=episode.name,
        fault=game.known.fault,
        bank=game.known.bank,
        pairs=tuple(zip(game.statements, statements, strict=True)),
        within=None if within is None else asked(within, None).judgement.statements,
        spent=found.spent,
        money=found.money,
        finished=found.judgement.score is not None,
    )


def note_qualities(games: Sequence[JudgedNotes]) -> tuple[NoteQuality, NoteQuality]:
    """What a judge is worth for statements and for grounds.

    Parameters
    ----------
    games : sequence of JudgedNotes
        Any of them.

    Returns
    -------
    NoteQuality, NoteQuality
        Of statements, and of grounds.
    """
    return _quality("stated", games), _quality("grounded", games)


def note_error_rates(games: Iterable[JudgedNotes]) -> ErrorRates:
    """How often a judge read otherwise, gave no answer and wrote what cannot be read.

    Parameters
    ----------
    games : iterable of JudgedNotes
        Any of them.

    Returns
    -------
    ErrorRates
        Of a judge that errs at known rates these are the rates: what it says is held against the judge within. Without
        one it is held against what is known.
    """
    flipped = chosen = dropped = garbled = every = 0
    for game in games:
        meant = [known.stated_at is not None for known, _ in game.pairs]
        if game.within is not None:
            meant = [statement.stated for statement in game.within]
        for (_, said), stated in zip(game.pairs, meant, strict=True):
            every += 1
            garbled += said.reply in ("unparseable", "truncated")
            dropped += said.reply in ("refusal", "filtered", "unreachable")
            chosen += said.reply == "answer"
            flipped += said.reply == "answer" and said.stated != stated
    return ErrorRates(flip=Share(flipped, chosen), drop=Share(dropped, every - garbled), garble=Share(garbled, every))


def note_groups(games: Sequence[JudgedNotes]) -> Iterator[tuple[str, list[JudgedNotes]]]:
    """All episodes, those of each fault, and those of each bank.

    Parameters
    ----------
    games : sequence of JudgedNotes
        Any of them.

    Yields
    ------
    str
        Which.
    list of JudgedNotes
        At least one.
    """
    sorts: list[tuple[str, Callable[[JudgedNotes], bool]]] = [("all", lambda game: True)]  # noqa: ARG005
    sorts += [(f"fault {fault}", lambda game, fault=fault: game.fault == fault) for fault in NOTE_FAULTS]  # type: ignore[misc]
    sorts += [(f"bank {bank}", lambda game, bank=bank: game.bank == bank) for bank in NOTE_BANKS]  # type: ignore[misc]
    for name, belongs in sorts:
        members = [game for game in games if belongs(game)]
        if members:
            yield name, members


def _quality(part: Literal["stated", "grounded"], games: Sequence[JudgedNotes]) -> NoteQuality:
    field = f"{part}_at"
    found = so = right = on_time = 0
    rows: list[Measurement] = []
    for game in games:
        for known, said in game.pairs:
            true, told = getattr(known, field), getattr(said, field)
            so += true is not None
            found += told is not None
            if true is not None and told is not None:
                right += 1
                on_time += true == told
                rows.append(Measurement("episodes", game.name, told - true, known.criterion))
    late = macro_interval(rows, resamples=_RESAMPLES) if rows else None
    return NoteQuality(
        part=part,
        precision=Share(right, found),
        recall=Share(right, so),
        on_time=Share(on_time, right),
        late=None if late is None else late.estimate,
        low=None if late is None else late.low,
        high=None if late is None else late.high,
    )


def _flipped(answer: Any, request: Request) -> Any:
    nothing = {"hit": False, "quotes": [], "first_revision": 0, "grounded": False, "grounding_quotes": []}
    if answer["hit"]:
        return {**answer, **nothing}
    notes: Any = request.fields["notes"]
    words = " ".join(notes[0][1].split()[:_OPENING])
    return {**answer, **nothing, "hit": True, "quotes": [words], "first_revision": 1}
