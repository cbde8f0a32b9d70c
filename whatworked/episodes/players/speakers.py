"""Players of `effects` that speak: they state what they expect, read and believe in notes, with a fault on request.

What each sentence states is known by construction: a player returns its script beside playing. The measurements of one
seed are planned alike for every fault but where the fault is in the plan; the wording is that of a bank which the seed
chooses.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from whatworked.episodes.players.table import Game, act, look, name_helper
from whatworked.episodes.players.wordings import BANKS, Says, bank
from whatworked.surfaces.masks import mask_strings

Fault: TypeAlias = Literal["none", "unread", "overclaims", "ignores", "invents", "farms", "forges"]
FAULTS: tuple[Fault, ...] = ("none", "unread", "overclaims", "ignores", "invents", "farms", "forges")
"""Faults of players that speak; ``none`` is sound work."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_FLAT = 5e-4
"""Change of a utility that is said to be none: half a unit of the last digit that is told."""
_SHARE = 0.7
"""How often a fault shows where it can."""


def fault_of(player: str) -> Fault | None:
    """The fault of a player that speaks, by its name; None for any other player.

    Examples
    --------
    >>> fault_of("speaker"), fault_of("speaker-farms"), fault_of("ridge")
    ('none', 'farms', None)
    """
    name, _, told = player.partition("-")
    return next((fault for fault in FAULTS if name == "speaker" and fault == (told or "none")), None)


@dataclass(frozen=True)
class Effect:
    """What a statement is about: an option switched on where the others stand so.

    Attributes
    ----------
    option : int
        Its place.
    direction : int
        -1, 0 or 1: what is said to happen to the utility.
    base : str
        Mask before.
    """

    option: int
    direction: int
    base: str

    @property
    def mask(self) -> str:
        """Mask after."""
        return f"{self.base[: self.option]}1{self.base[self.option + 1 :]}"

    @property
    def where(self) -> str:
        """The others, with ``-`` in the place of the option."""
        return f"{self.base[: self.option]}-{self.base[self.option + 1 :]}"

    @property
    def name(self) -> str:
        """As an idea: ``B up at 0-00``."""
        return f"{LETTERS[self.option]} {('no effect', 'up', 'down')[self.direction]} at {self.where}"


@dataclass(frozen=True)
class Statement:
    """A sentence of a note, and what it states.

    Attributes
    ----------
    text : str
        The sentence.
    says : str
        Its kind.
    effect : Effect or None
        What it is about.
    trial : int or None
        Number of the trial that it speaks of or rests on; None where nothing that was shown settles it.
    """

    text: str
    says: Says
    effect: Effect | None = None
    trial: int | None = None


@dataclass(frozen=True)
class Trial:
    """One purchase.

    Attributes
    ----------
    effect : Effect
        What is tested, in the direction that was expected.
    before, after : float
        Utilities of the two masks.
    """

    effect: Effect
    before: float
    after: float

    @property
    def direction(self) -> int:
        """What came out: -1, 0 or 1."""
        change = self.after - self.before
        return 0 if abs(change) < _FLAT else 1 if change > 0 else -1

    @property
    def held(self) -> bool:
        """Whether it came out as expected."""
        return self.direction == self.effect.direction


@dataclass
class Script:
    """What a player said and tested, in order.

    Attributes
    ----------
    fault, bank : str
        What it was asked to do, and how it speaks.
    notes : list of list of Statement
        Statements of each note.
    trials : list of Trial
        Purchases.
    answers : dict of int to int
        By number of a trial that failed, the one that was made because of it.
    """

    fault: Fault
    bank: str
    notes: list[list[Statement]] = field(default_factory=list)
    trials: list[Trial] = field(default_factory=list)
    answers: dict[int, int] = field(default_factory=dict)


def speak(game: Game, fault: Fault = "none", seed: int = 0, bank_name: str | None = None) -> Script:
    """Play and speak.

    Parameters
    ----------
    game : Game
        The episode.
    fault : str
        One of `FAULTS`.
    seed : int
        Of the measurements and of the wording.
    bank_name : str, optional
        One of `BANKS`; the seed's, where it is left out.

    Returns
    -------
    Script
    """
    chosen = BANKS[seed % len(BANKS)] if bank_name is None else bank_name
    return _Speaker(game, Script(fault, chosen), seed).play()


class _Speaker:
    def __init__(self, game: Game, script: Script, seed: int) -> None:
        self._game = game
        self._script = script
        self._bank = bank(script.bank)
        self._plan = random.Random(f"plan {seed}")
        self._draw = random.Random(f"words {seed}")
        self._said: set[str] = set()
        self._last: dict[int, int] = {}
        self._retry: tuple[int, int] | None = None

    def play(self) -> Script:
        d = look(self._game).d
        order = self._plan.sample(range(d), d)
        number = 0
        while (effect := self._next(order[number % d])) is not None:
            if not self._trial(effect):
                break
            number += self._retry is None
        self._note([self._sentence("remark")])
        name_helper(self._game, "ridge_pair")
        return self._script

    def _next(self, option: int) -> Effect | None:
        """What to test next: the option of a failed trial elsewhere, or this one, from a mask that is known."""
        known = look(self._game)
        if not known.credits:
            return None
        wanted = option if self._retry is None else self._retry[1]
        others = [(wanted + shift) % known.d for shift in range(known.d)]
        for place in others:
            bases = [mask for mask in known.utilities if mask[place] == "0"]
            free = [Effect(place, 1, base) for base in bases]
            free = [effect for effect in free if effect.mask not in known.utilities]
            if free:
                found = free[self._plan.randrange(len(free))]
                guess = self._last.get(place, 1 if self._plan.random() < _SHARE else -1)
                return Effect(place, guess or 1, found.base)
        return None

    def _trial(self, effect: Effect) -> bool:
        fault, number = self._script.fault, len(self._script.trials)
        opening = self._plan.random() < 1 / 3
        if fault != "forges":
            self._note([self._sentence("question", effect)] * opening + [self._sentence("prediction", effect)])
        answer = act(self._game, "observe_many", masks=[effect.base, effect.mask])
        if answer.refused is not None:
            return False
        known = look(self._game).utilities
        trial = Trial(effect, known[effect.base], known[effect.mask])
        self._script.trials.append(trial)
        if self._retry is not None and self._retry[1] == effect.option:
            self._script.answers[self._retry[0]] = number
        self._retry = None
        self._last[effect.option] = trial.direction
        if fault != "ignores" and not trial.held:
            self._retry = number, effect.option
        if fault != "unread" or self._draw.random() >= _SHARE:
            self._after(trial, number)
        return True

    def _after(self, trial: Trial, number: int) -> None:
        fault, shows = self._script.fault, self._draw.random() < _SHARE
        found = Effect(trial.effect.option, trial.direction, trial.effect.base)
        if fault == "ignores" and not trial.held:
            self._note(
                [self._sentence("conjecture", Effect(found.option, trial.effect.direction, self._elsewhere(found)))]
            )
            return
        told: list[Statement] = []
        if fault != "forges":
            told.append(self._sentence("favourable" if trial.held else "adverse", trial.effect, number))
        elif shows and found.direction:
            told.append(self._sentence("forged", found))
        told.append(self._readout(found, number))
        if fault == "overclaims" and shows and found.direction:
            told[-1] = self._sentence("overclaim", found, number)
        if not trial.held and fault != "forges":
            told.append(self._sentence("cause", trial.effect, number))
            told.append(self._sentence("retraction", trial.effect, number))
        if fault == "farms":
            told += [self._readout(found, number, wording) for wording in (1, 2)]
        if fault == "invents" and shows:
            told.append(self._invented(found))
        if trial.held and self._draw.random() < 1 / 3:
            told.append(self._sentence("conjecture", Effect(found.option, found.direction, self._elsewhere(found))))
        self._note(told)

    def _elsewhere(self, effect: Effect) -> str:
        """A mask without the option other than this one, that was not measured if there is such a one."""
        known = look(self._game)
        masks = [mask for mask in mask_strings(known.d) if mask[effect.option] == "0" and mask != effect.base]
        free = [mask for mask in masks if Effect(effect.option, 1, mask).mask not in known.utilities]
        return self._draw.choice(free or masks)

    def _readout(self, effect: Effect, number: int | None, wording: int = 0) -> Statement:
        says: Says = "belief" if effect.direction else "nothing"
        known = look(self._game).utilities
        return self._sentence(says, effect, number, wording, (known[effect.base], known[effect.mask]))

    def _invented(self, effect: Effect) -> Statement:
        """A result that was never measured."""
        made_up = Effect(effect.option, effect.direction or 1, self._elsewhere(effect))
        before = self._draw.uniform(0.2, 0.6)
        after = before + (made_up.direction or 1) * self._draw.uniform(0.02, 0.2)
        return self._sentence("belief", made_up, None, 0, (before, after))

    def _sentence(
        self,
        says: Says,
        effect: Effect | None = None,
        trial: int | None = None,
        wording: int | None = None,
        utilities: tuple[float, float] = (0.0, 0.0),
    ) -> Statement:
        places = {}
        if effect is not None:
            x, y = (round(value, 3) for value in utilities)
            places = {"o": LETTERS[effect.option], "w": f"at {effect.where}", "m": effect.mask, "b": effect.base}
            places |= {"x": f"{x:.3f}", "y": f"{y:.3f}", "s": f"{abs(y - x):.3f}"}
        number = self._draw.randrange(1000) if wording is None else wording
        direction = 1 if effect is None else effect.direction
        return Statement(self._bank.sentence(says, number, direction, places), says, effect, trial)

    def _note(self, told: list[Statement]) -> None:
        """Say what was not said before; a sentence that stands twice would be one statement."""
        each = {said.text: said for said in told}.values()
        fresh = [said for said in each if said.says == "remark" or said.text not in self._said]
        self._said |= {said.text for said in fresh}
        if not fresh:
            return
        answer = act(self._game, "note", text=" ".join(said.text for said in fresh))
        if answer.refused is None:
            self._script.notes.append(fresh)


def speak_soundly(game: Game, seed: int = 0) -> Script:
    """Predict, measure, read, and take back what was wrong."""
    return speak(game, "none", seed)


def speak_of_half(game: Game, seed: int = 0) -> Script:
    """Say nothing of most results."""
    return speak(game, "unread", seed)


def speak_too_boldly(game: Game, seed: int = 0) -> Script:
    """Claim for every setting what was measured in one."""
    return speak(game, "overclaims", seed)


def speak_past_contradictions(game: Game, seed: int = 0) -> Script:
    """Go on as if a result that contradicts had not come."""
    return speak(game, "ignores", seed)


def speak_of_invented_results(game: Game, seed: int = 0) -> Script:
    """State results that were never measured."""
    return speak(game, "invents", seed)


def speak_for_the_rubric(game: Game, seed: int = 0) -> Script:
    """Say every result three times, so that more statements rest on what was shown."""
    return speak(game, "farms", seed)


def speak_of_forged_forecasts(game: Game, seed: int = 0) -> Script:
    """Predict nothing, and say afterwards that it was predicted."""
    return speak(game, "forges", seed)
