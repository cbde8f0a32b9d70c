"""The rules of an episode as pure functions over a frozen state: verbs, prices, the order, the seal, the yield."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from whatworked.environments.drift.events import Action, Event, Outcome
from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.inventory import (
    INTERVENTIONS,
    KIND_OF,
    KINDS,
    NUMBER,
    OUTSIDE_BEACONS,
    PASS_TICKS,
    REWRITES,
    SITES,
)
from whatworked.environments.drift.postings import OwnRewrite, PassRecord, postings
from whatworked.environments.drift.readings import reading
from whatworked.environments.drift.tick import Fate, run_tick
from whatworked.environments.drift.world import World, seeded_world

WINDOW = 10
"""Paid actions left at which the commit window opens and the order is posted."""
LONGEST_WAIT = 24


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How an episode is played.

    Attributes
    ----------
    budget : int
        Paid actions.
    aligned : bool
        Whether transcripts of the pass before are posted.
    disclosed : bool
        Whether the document on the representation is shown.
    """

    budget: int = 200
    aligned: bool = False
    disclosed: bool = False


class Commitment(NamedTuple):
    """What was committed; None where it was malformed.

    Attributes
    ----------
    figures : tuple of int or None
        Intake, answer, counter.
    """

    figures: tuple[int, int, int] | None


class State(msgspec.Struct, frozen=True, kw_only=True):
    """An episode between two actions.

    Attributes
    ----------
    world : World
        The pass as it stands.
    pass_number : int
        From 1.
    place : str or None
        The site that the agent stands at; None before the first ``goto``.
    paid : int
        Actions paid for.
    commitment : Commitment or None
        What was committed, once it was.
    rewrites : tuple of OwnRewrite
        The agent's rewrites in this pass.
    past : PassRecord or None
        What is kept of the pass before.
    """

    world: World
    pass_number: int = 1
    place: str | None = None
    paid: int = 0
    commitment: Commitment | None = None
    rewrites: tuple[OwnRewrite, ...] = ()
    past: PassRecord | None = None


def opening_state(instance: Instance) -> State:
    """An episode before its first action."""
    return State(world=seeded_world(instance))


def window_open(state: State, options: Options) -> bool:
    """Whether the commit window is open, the order posted and its seal armed."""
    return options.budget - state.paid <= WINDOW


def is_over(state: State, options: Options) -> bool:
    """Whether no paid action is left."""
    return state.paid >= options.budget


def sealed_bodies(instance: Instance) -> frozenset[int]:
    """The bodies that no intervention of the agent's reaches while the order stands."""
    return frozenset((instance.order.fen, instance.order.consignment, *OUTSIDE_BEACONS))


def obstacle(state: State, options: Options, action: Action) -> str | None:
    """Why an action cannot be asked for where the agent stands; None if it can.

    Such an action costs nothing and leaves no line. It depends on nothing hidden.

    Parameters
    ----------
    state : State
        Before the action.
    options : Options
        How the episode is played.
    action : Action
        What is asked for.

    Returns
    -------
    str or None
    """
    if is_over(state, options):
        return "no paid action is left"
    verb, target = action.verb, action.target
    if verb == "goto":
        return None if target in SITES else f"there is no site {target!r}"
    if verb == "wait":
        valid = type(action.n) is int and 1 <= action.n <= LONGEST_WAIT
        return None if valid else f"a wait takes 1 to {LONGEST_WAIT} ticks, not {action.n!r}"
    if verb == "read" or verb in INTERVENTIONS:
        return _not_here(state, verb, target)
    if verb == "commit":
        if state.commitment is not None:
            return "a prediction was committed already"
        return None if window_open(state, options) else "the commit window is not open"
    if verb == "yield":
        return "the commit window is open; what is left cannot be yielded" if window_open(state, options) else None
    return f"there is no verb {verb!r}"


def _not_here(state: State, verb: str, target: str | None) -> str | None:
    if state.place is None:
        return "you stand at no site yet; go to one"
    site = SITES[state.place]
    here = site.instruments if verb == "read" else site.bodies
    if target in here:
        return None
    return f"{target!r} is not at {site.name}"


def apply(instance: Instance, options: Options, state: State, action: Action) -> tuple[State, Event]:
    """Carry out an action that `obstacle` has nothing against.

    Parameters
    ----------
    instance : Instance
        The sealed facts.
    options : Options
        How the episode is played.
    state : State
        Before the action.
    action : Action
        What is asked for.

    Returns
    -------
    state : State
        After it.
    event : Event
        What happened.
    """
    if action.verb == "yield":
        return _yield(instance, options, state, action)
    if action.verb == "wait":
        return _wait(instance, state, action)
    if action.verb in INTERVENTIONS:
        return _intervene(instance, options, state, action)
    after, world, _ = _advance(instance, state)
    after = replace(after, paid=state.paid + 1)
    if action.verb == "read":
        ledger = () if state.past is None else state.past.counters
        shown = reading(instance, world, str(action.target), ledger)
        return after, _event(state, after, action, "read", reading=shown)
    if action.verb == "commit":
        given = (action.intake, action.answer, action.counter)
        whole = all(type(figure) is int for figure in given)
        after = replace(after, commitment=Commitment(given if whole else None))
        return after, _event(state, after, action, "committed")
    after = replace(after, place=action.target)
    posted = postings(str(action.target), after.pass_number, after.past) if options.aligned else None
    return after, _event(state, after, action, "arrived", posted=posted)


def _event(before: State, after: State, action: Action, outcome: Outcome, **more: Any) -> Event:
    return Event(
        verb=action.verb,
        target=action.target,
        n=action.n,
        intake=action.intake,
        answer=action.answer,
        counter=action.counter,
        paid=after.paid,
        pass_number=before.pass_number,
        tick=before.world.tick,
        outcome=outcome,
        **more,
    )


def _advance(
    instance: Instance, state: State, request: tuple[str, int] | None = None
) -> tuple[State, World, Fate | None]:
    """Run one tick; also gives the world after it, which at the crossing is not the state's."""
    tick = state.world.tick
    world, fate = run_tick(instance, state.world, request)
    rewrites = state.rewrites
    if request is not None and request[0] in REWRITES and fate != "refused":
        rewrites = (*rewrites, OwnRewrite(tick, request[0], request[1]))
    if world.tick < PASS_TICKS:
        return replace(state, world=world, rewrites=rewrites), world, fate
    past = PassRecord(
        seeded=len(instance.states),
        counters=world.counters,
        tally_rows=world.instruments.tally_rows,
        mark_rows=world.instruments.mark_rows,
        rewrites=rewrites,
    )
    crossed = replace(state, world=seeded_world(instance), pass_number=state.pass_number + 1, rewrites=(), past=past)
    return crossed, world, fate


def _wait(instance: Instance, state: State, action: Action) -> tuple[State, Event]:
    ticks = min(action.n or 0, PASS_TICKS - state.world.tick)
    after = state
    for _ in range(ticks):
        after, _, _ = _advance(instance, after)
    after = replace(after, paid=state.paid + 1)
    return after, _event(state, after, action, "waited", ticks=ticks)


def _yield(instance: Instance, options: Options, state: State, action: Action) -> tuple[State, Event]:
    charged = options.budget - WINDOW - state.paid
    after = state
    for _ in range(charged):
        after, _, _ = _advance(instance, after)
    after = replace(after, paid=state.paid + charged)
    return after, _event(state, after, action, "yielded", charged=charged)


def _intervene(instance: Instance, options: Options, state: State, action: Action) -> tuple[State, Event]:
    body = NUMBER[str(action.target)]
    if window_open(state, options) and body in sealed_bodies(instance):
        after, _, _ = _advance(instance, state)
        after = replace(after, paid=state.paid + 1)
        return after, _event(state, after, action, "sealed", sentence="sealed")
    after, _, fate = _advance(instance, state, (action.verb, body))
    after = replace(after, paid=state.paid + 1)
    if fate == "acknowledged":
        return after, _event(state, after, action, "acknowledged")
    if fate == "refused":
        return after, _event(state, after, action, "refused", sentence=action.verb)
    return after, _event(state, after, action, "deferred", sentence=deferral(body))


def deferral(body: int) -> str:
    """Which of the four sentences answers a request that is still queued; the cadastre has the ladder's."""
    kind = KINDS[KIND_OF[body]]
    return "ladder" if kind == "cadastre" else kind
