"""A campaign: the runs of one plan, each on disk before the next is asked for."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from whatworked import arguments
from whatworked.campaigns.asking import Ask, next_settings
from whatworked.campaigns.known import encode_experience
from whatworked.campaigns.plan import Plan, read_plan
from whatworked.campaigns.run import Run
from whatworked.errors import InvalidOptionError, JournalError, StorageError
from whatworked.storage.canonical import canonical_json
from whatworked.storage.files import read_file, write_atomic
from whatworked.storage.journal import Journal
from whatworked.storage.lock import folder_lock
from whatworked.surfaces.masks import FloatArray, IntArray, any_mask_rank, mask_rank, mask_string
from whatworked.wording import first_few

PLAN = "campaign.json"
RUNS = "runs.jsonl"
KNOWN = "experience.json"
"""Surfaces of earlier campaigns, where the plan has any."""
Results = Mapping[str, float | str | None] | Sequence[tuple[str, float | str | None]]
"""Values by mask, or the reasons why there is none."""
_LARGEST_PLAN = 1_000_000
_LARGEST_EXPERIENCE = 500_000_000


class Campaign:
    """Ask which settings to run, tell what came of them; use as a context manager where there is a folder.

    Parameters
    ----------
    plan : Plan
        What the campaign is about.
    folder : Path, optional
        Where it is kept. Without one it lives in memory.

    Raises
    ------
    JournalError
        On entering: the folder holds another campaign, or its journal is damaged.
    StorageError
        On entering: another process holds the folder, or it cannot be read or written.
    """

    def __init__(self, plan: Plan, folder: Path | None = None) -> None:
        self.plan = plan
        self.folder = folder
        self._runs: list[Run] = []
        self._journal: Journal[Run] | None = None
        self._open = contextlib.ExitStack()

    def __enter__(self) -> Self:
        if self.folder is not None:
            with contextlib.ExitStack() as opening:
                opening.enter_context(folder_lock(self.folder))
                _refuse_other_experience(self.plan, self.folder)
                journal = Journal(self.folder / RUNS, "campaign", self.plan.digest(), Run, "remove the folder")
                self._journal = opening.enter_context(journal)
                self._take(journal.entries())
                if not (self.folder / PLAN).exists():
                    if self.plan.experience is not None:
                        write_atomic(self.folder / KNOWN, encode_experience(self.plan.experience))
                    write_atomic(self.folder / PLAN, canonical_json(self.plan.description()) + b"\n")
                self._open = opening.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._journal = None
        self._open.close()

    @property
    def runs(self) -> tuple[Run, ...]:
        """All runs in order; a hole that was filled later counts once, as what it became."""
        return tuple(self._runs)

    @property
    def holes(self) -> tuple[Run, ...]:
        """Runs without a result."""
        return tuple(run for run in self.runs if run.value is None)

    @property
    def measured(self) -> tuple[IntArray, FloatArray]:
        """Ranks and values of the runs with a result, in order; shapes (n,) and (n,). With noise, ranks may repeat."""
        pairs = [(mask_rank(run.mask), run.value) for run in self._runs if run.value is not None]
        ranks = np.array([rank for rank, _ in pairs], dtype=np.int64)
        return ranks, np.array([value for _, value in pairs], dtype=np.float64)

    def ask(self, n: int = 1) -> tuple[Ask, ...]:
        """The settings to run next, the most telling first; nothing is noted, so asking again gives the same.

        Parameters
        ----------
        n : int
            How many, at least 1.

        Returns
        -------
        tuple of Ask
            Fewer if fewer are left.
        """
        count = arguments.whole_number(n, "n", 1)
        holes = np.array([mask_rank(run.mask) for run in self.holes], dtype=np.int64)
        return next_settings(self.plan, *self.measured, holes, count)

    def ask_batch(self, size: int, most: float = math.inf) -> tuple[Ask, ...]:
        """What is left to run of the present batch, or all of the next one.

        Batches are counted from the first run on, and each is chosen from the results of those before it. How many
        settings run at a time, and where a campaign was interrupted, therefore changes nothing.

        Parameters
        ----------
        size : int
            Settings in a batch, at least 1.
        most : float
            What a single one may cost.

        Returns
        -------
        tuple of Ask
        """
        begun = len(self._runs) % size
        before = Campaign(self.plan)
        before._take(self._runs[: len(self._runs) - begun])
        left = self._runs[len(self._runs) - begun :]
        run = [mask_rank(entry.mask) for entry in before.holes]
        # What could be paid for when the batch was begun.
        paid = math.fsum(self.plan.cost(mask_rank(entry.mask)) for entry in left)
        asks = next_settings(self.plan, *before.measured, np.array(run, dtype=np.int64), size, most + paid)
        done = {entry.mask for entry in left}
        rest = tuple(ask for ask in asks if ask.mask not in done and self.plan.cost(mask_rank(ask.mask)) <= most)[
            : size - begun
        ]
        return rest or (self.ask_batch(1, most) if begun else ())

    @property
    def spent(self) -> float:
        """Cost of all runs; their number where settings cost nothing else."""
        return math.fsum(self.plan.cost(mask_rank(run.mask)) for run in self._runs)

    @property
    def seconds(self) -> float:
        """Seconds that all runs took together, as far as they are known."""
        return math.fsum(run.seconds or 0.0 for run in self._runs)

    def tell(self, results: Results | Run) -> tuple[Run, ...]:
        """Take in results and wait until they are on disk.

        Parameters
        ----------
        results : mapping, sequence of pairs, or Run
            From masks, as in ``"0110"``, to values; pairs may hold a mask several times. A text is the reason why there
            is no value, and so is None or a number that is not finite.

        Returns
        -------
        tuple of Run
            What is new: the same value told twice is taken once. With noise, it counts as two runs.

        Raises
        ------
        InvalidMaskError
            For what is no mask of the campaign.
        InvalidOptionError
            For an excluded setting, or another value for a setting that has one, unless the plan has noise. Nothing is
            taken in then.
        """
        held, new = list(self._runs), []
        for run in self._given(results):
            if self._is_new(run, held):
                _add(held, run)
                new.append(run)
        if self._journal is not None:
            self._journal.extend(new)
        elif self.folder is not None:
            raise InvalidOptionError(f"the campaign in {self.folder} is not open; use it in a with statement")
        self._take(new)
        return tuple(new)

    def run(self, mask: object, value: object, ran: Iterable[str] = (), seconds: float | None = None) -> Run:
        """The run of a mask for a value, or for the reason why there is none.

        Parameters
        ----------
        mask : str, int, or sequence of bits
            The setting.
        value : object
            A number, or a reason.
        ran : iterable of str
            Arguments of the program that ran.
        seconds : float, optional
            How long it took.

        Returns
        -------
        Run
            With a reason if the value is no finite number or outside what the scale allows.
        """
        text = mask_string(any_mask_rank(mask, self.plan.d), self.plan.d)
        number, reason = number_of(value)
        reason = reason or self.plan.scale.refusal(number)
        return Run(mask=text, value=None if reason else number, reason=reason, ran=list(ran), seconds=seconds)

    def _given(self, results: Results | Run) -> list[Run]:
        if isinstance(results, Run):
            return [results]
        pairs: Any = list(results.items()) if isinstance(results, Mapping) else results
        if not arguments.is_several(pairs) or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
            raise InvalidOptionError(f"results are {arguments.shown(results)}; give a mapping, as in {{'0110': 0.83}}")
        return [self.run(mask, value) for mask, value in pairs]

    def _is_new(self, run: Run, held: Sequence[Run]) -> bool:
        rank = mask_rank(run.mask, self.plan.d)
        if rank not in self.plan.allowed:
            raise InvalidOptionError(f"setting {run.mask} ({self.plan.words(rank)}) is excluded; tell another one")
        if self.plan.noise != 0:
            return True
        before = next((earlier for earlier in held if earlier.mask == run.mask), None)
        if before is None or (before.value is None and run.value is not None):
            return True
        if before.value is None or before.value == run.value:
            return False
        told = run.reason if run.value is None else f"{run.value:g}"
        raise InvalidOptionError(
            f"setting {run.mask} has the value {before.value:g} already, and {told} was told; "
            "tell each setting once, or begin the campaign with noise, which takes in repeats"
        )

    def _take(self, runs: Iterable[Run]) -> None:
        for run in runs:
            _add(self._runs, run)


def _add(held: list[Run], run: Run) -> None:
    """Add a run; the result of a setting that was a hole takes the place of the hole."""
    for place, earlier in enumerate(held):
        if run.value is not None and earlier.mask == run.mask and earlier.value is None:
            held[place] = run
            return
    held.append(run)


def open_campaign(folder: Path) -> Campaign:
    """The campaign kept in a folder; not yet open.

    Parameters
    ----------
    folder : Path
        Where it is kept.

    Returns
    -------
    Campaign

    Raises
    ------
    StorageError
        If no campaign is there.
    """
    if not (folder / PLAN).is_file():
        raise StorageError(f"no campaign is in {folder}: it has no {PLAN}; name its options to begin one there")
    return Campaign(_held_plan(folder), folder)


def _held_plan(folder: Path) -> Plan:
    known = read_file(folder / KNOWN, _LARGEST_EXPERIENCE) if (folder / KNOWN).exists() else None
    return read_plan(read_file(folder / PLAN, _LARGEST_PLAN), str(folder / PLAN), known)


def _refuse_other_experience(plan: Plan, folder: Path) -> None:
    """A campaign goes on with the experience that it was begun with: what it asked for rests on that."""
    if not (folder / PLAN).exists():
        return
    held = _held_plan(folder)
    if replace(held, experience=plan.experience).digest() != plan.digest() or held.digest() == plan.digest():
        return
    before, now = ({surface.digest: surface.source for surface in one.experience or ()} for one in (held, plan))
    new = [name for digest, name in now.items() if digest not in before]
    gone = [name for digest, name in before.items() if digest not in now]
    parts = [f"{what} {first_few(sorted(names))}" for what, names in (("new:", new), ("gone:", gone)) if names]
    raise JournalError(
        f"the campaign in {folder} was begun with other experience ({'; '.join(parts)}). Nothing was changed; give the "
        "experience of before, or another folder with --out"
    )


def number_of(value: object) -> tuple[float, str]:
    """A result as a float, or why it is none."""
    if isinstance(value, str):
        return math.nan, value.strip() or "no reason was told"
    if value is None:
        return math.nan, "there is no result"
    if isinstance(value, complex) or not hasattr(value, "__float__") or getattr(value, "shape", ()) != ():
        return math.nan, f"the result is {arguments.shown(value)}, which is no number"
    try:
        return float(value), ""
    except (TypeError, ValueError, OverflowError) as error:
        return math.nan, f"the result is {arguments.shown(value)}, which is no number: {error}"
