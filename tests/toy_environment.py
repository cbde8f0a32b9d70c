"""A toy environment with all that the engine must not take for granted.

A well: every draw costs a bucket and brings the rain; drawing from a well of no such name costs a bucket as well.
`leave` closes, but not before two draws. `sum` is work for the sandbox, with five calls of it. Time is looked at.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from whatworked.environments.protocol import (
    Call,
    Effect,
    Event,
    Json,
    Opening,
    Refusal,
    Score,
    Step,
    Tool,
    WorldEvent,
)
from whatworked.errors import InvalidOptionError, UnknownNameError


@dataclass(frozen=True)
class Wells:
    """The secret: how deep each well is."""

    name: str
    depths: tuple[int, ...]

    @property
    def digest(self) -> str:
        return hashlib.sha256(repr(self.depths).encode()).hexdigest()


@dataclass(frozen=True)
class Ground:
    drawn: tuple[int, ...] = ()
    rain: int = 0
    notes: tuple[str, ...] = ()
    left: bool = False


TOOLS = (
    Tool(name="look", purpose="Everything drawn so far, free."),
    Tool(name="draw", purpose="Draw from a well.", parameters={"well": {"type": "integer"}}, required=("well",)),
    Tool(name="note", purpose="Write something down.", parameters={"text": {"type": "string"}}, required=("text",)),
    Tool(name="sum", purpose="Run a program.", parameters={"code": {"type": "string"}}, required=("code",)),
    Tool(
        name="leave",
        purpose="Say how deep the wells are together.",
        parameters={"depth": {"type": "integer"}},
        required=("depth",),
        after_deadline=True,
    ),
    Tool(name="crash", purpose="A fault of the rules."),
)


class Toy:
    name = "toy"
    version = "1"

    def find(self, name: str, salt: bytes | None = None) -> Wells:
        if name not in ("three", "four"):
            raise UnknownNameError(f"no wells of the name {name}")
        shift = 0 if salt is None else salt[0]
        return Wells(name, tuple(depth + shift for depth in range(3 if name == "three" else 4)))

    def options_of(self, given: Mapping[str, Json]) -> Mapping[str, Json]:
        if set(given) - {"budget", "seconds"}:
            raise InvalidOptionError(f"options {sorted(given)}; allowed are budget, seconds")
        return {"budget": int(given.get("budget", 4)), "seconds": int(given.get("seconds", 100))}

    def start(self, instance: Wells, options: Mapping[str, Json]) -> Opening[Ground]:
        return Opening(
            state=Ground(),
            text="There are some wells.",
            facts={"wells": len(instance.depths)},
            budgets={"buckets": options["budget"], "sums": 5, "seconds": options["seconds"]},
        )

    def tools(self, state: Ground) -> Sequence[Tool]:
        return TOOLS

    def closed(self, state: Ground) -> bool:
        return state.left

    def apply(self, instance: Wells, state: Ground, call: Call, elapsed: float) -> Step[Ground]:
        act: Any = getattr(self, f"_{call.tool}")
        step: Step[Ground] = act(instance, state, call.arguments, elapsed)
        return step

    def finish(
        self, instance: Wells, state: Ground, call: Call, outcome: Mapping[str, Json], elapsed: float
    ) -> Step[Ground]:
        if "unavailable" in outcome:
            return Step(state=state, refusal=Refusal(code="unavailable", message=outcome["unavailable"]))
        return Step(state=state, result=outcome, charges={"sums": 1})

    def score(self, events: Sequence[Event], instance: Wells, options: Mapping[str, Json]) -> Score:
        said = [event.call.arguments["depth"] for event in events if event.call.tool == "leave" and not event.refusal]
        exact = said == [sum(instance.depths)]
        return Score(delivered=bool(said), primary="right", values={"right": float(exact), "exact": exact})

    def _look(self, instance: Wells, state: Ground, given: Any, elapsed: float) -> Step[Ground]:
        return Step(state=state, result={"drawn": list(state.drawn), "rain": state.rain, "notes": list(state.notes)})

    def _draw(self, instance: Wells, state: Ground, given: Any, elapsed: float) -> Step[Ground]:
        well = given.get("well")
        wet = replace(state, rain=state.rain + 1)
        rain = (WorldEvent(kind="rain", facts={"fallen": wet.rain}),)
        if type(well) is not int or not 0 <= well < len(instance.depths):
            refusal = Refusal(code="no_well", message=f"well is {well!r:.40}; there are {len(instance.depths)}")
            return Step(state=wet, refusal=refusal, charges={"buckets": 1}, events=rain)
        drawn = replace(wet, drawn=(*wet.drawn, well))
        return Step(state=drawn, result={"depth": instance.depths[well]}, charges={"buckets": 1}, events=rain)

    def _note(self, instance: Wells, state: Ground, given: Any, elapsed: float) -> Step[Ground]:
        text = given.get("text")
        if not isinstance(text, str):
            return Step(state=state, refusal=Refusal(code="bad_argument", message="text is a text"))
        return Step(state=replace(state, notes=(*state.notes, text)), result={"revision": len(state.notes) + 1})

    def _sum(self, instance: Wells, state: Ground, given: Any, elapsed: float) -> Step[Ground]:
        effect = Effect(kind="python", request={"code": given.get("code")})
        return Step(state=state, charges={"sums": 1}, effect=effect)

    def _leave(self, instance: Wells, state: Ground, given: Any, elapsed: float) -> Step[Ground]:
        if len(state.drawn) < 2:
            return Step(state=state, refusal=Refusal(code="too_early", message="draw twice first"))
        return Step(state=replace(state, left=True), result={"after": len(state.drawn)})

    def _crash(self, instance: Wells, state: Ground, given: Any, elapsed: float) -> Step[Ground]:
        raise RuntimeError(f"secret: {instance.depths}")


class Slow:
    """Work that takes a while, and leaves a file when it begins."""

    def perform(self, request: Mapping[str, Json]) -> Mapping[str, Json]:
        Path(request["code"]).touch()
        time.sleep(1.5)
        return {"out": "done"}


class Loud(Toy):
    """Writes on standard output, and has slow work of its own."""

    performers: Mapping[str, Slow] = MappingProxyType({"slow": Slow()})

    def apply(self, instance: Wells, state: Ground, call: Call, elapsed: float) -> Step[Ground]:
        os.write(1, b"printed by the rules\n")
        sys.stdout.write("printed by the rules, buffered\n")
        return super().apply(instance, state, call, elapsed)

    def _sum(self, instance: Wells, state: Ground, given: Any, elapsed: float) -> Step[Ground]:
        return Step(state=state, charges={"sums": 1}, effect=Effect(kind="slow", request=given))
