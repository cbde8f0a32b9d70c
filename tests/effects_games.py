"""Playing an episode of the environment ``effects`` by its rules alone, without the engine."""

from __future__ import annotations

import functools
import pkgutil
import random

from whatworked.environments.effects.environment import EffectsEnvironment
from whatworked.environments.effects.instance import SurfaceInstance
from whatworked.environments.protocol import Call, Event, Score, Step
from whatworked.episodes.effects import effects_environment
from whatworked.episodes.players import PLAYERS
from whatworked.surfaces import ResponseSurface


@functools.cache
def environment() -> EffectsEnvironment:
    return effects_environment()


@functools.cache
def condition(name: str) -> SurfaceInstance:
    return environment().find(name)


def made_up(d: int, seed: int = 0) -> SurfaceInstance:
    """A surface that no workflow made; it has an opaque view only."""
    draw = random.Random(seed)
    letters = tuple("ABCDEFGH"[:d])
    return SurfaceInstance("made-up", ResponseSurface(letters, [draw.random() for _ in range(1 << d)]))


class Game:
    """Calls in a row; what happened is in `events`."""

    def __init__(self, instance: SurfaceInstance, rules: EffectsEnvironment | None = None, **options) -> None:
        self.rules, self.instance = rules or environment(), instance
        self.options = self.rules.options_of({"view": "opaque", **options})
        self.opening = self.rules.start(instance, self.options)
        self.state = self.opening.state
        self.events: list[Event] = []

    def call(self, tool: str, arguments=None, elapsed: float = 1.0, outcome=None, **named) -> Step:
        call = Call(tool=tool, arguments=named if arguments is None else arguments)
        step = self.rules.apply(self.instance, self.state, call, elapsed)
        if step.effect is not None and step.effect.kind in self.rules.performers:
            outcome = self.rules.performers[step.effect.kind].perform(step.effect.request)
        if step.effect is not None and outcome is not None:
            step = self.rules.finish(self.instance, step.state, call, outcome, elapsed)
        self.state = step.state
        happened = Event(
            number=len(self.events) + 1,
            call=call,
            result=step.result,
            charges=step.charges,
            refusal=step.refusal,
            events=step.events,
            outcome=outcome,
        )
        self.events.append(happened)
        return step

    def refused(self, tool: str, *arguments, **named) -> str:
        """Code of the refusal of a call; the state may change in nothing but what is kept."""
        before = self.state.with_(kept={})
        step = self.call(tool, *arguments, **named)
        assert step.refusal is not None, step.result
        assert not step.charges
        assert step.state.with_(kept={}) == before
        return step.refusal.code

    @property
    def score(self) -> Score:
        return self.rules.score(self.events, self.instance, self.options)


class Seat:
    """A game as a scripted player holds it."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def call(self, tool: str, /, **arguments) -> Answer:
        step = self.game.call(tool, arguments, outcome={"unavailable": "not here"})
        return Answer(step.result, step.refusal)


class Answer:
    def __init__(self, result, refused) -> None:
        self.result, self.refused = result, refused


def played(player: str, instance: SurfaceInstance, seed: int = 0, **options) -> Game:
    """The game that a scripted player played."""
    game = Game(instance, **options)
    pkgutil.resolve_name(PLAYERS[player])(Seat(game), seed=seed)
    return game
