"""What an environment is to the engine: pure rules over a sealed instance, reached through named tools.

The engine (`whatworked.episodes.episode`) knows these types and nothing of any environment. An environment knows its
own rules and nothing of files, clocks, processes or networks: seconds come in as an argument, and what must run outside
(a player's program) is asked for as an `Effect` and comes back as its outcome. So a journal folds to the same state on
any machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

import msgspec

Json = Any
"""A value as `whatworked.storage.json_text.parse_json` gives it: None, bool, int, float, str, list, dict."""

StateT = TypeVar("StateT")
InstanceT = TypeVar("InstanceT", bound="Instance")


class Instance(Protocol):
    """Sealed facts of one task; they never leave the host."""

    @property
    def name(self) -> str:
        """By which `Environment.find` finds it again, for instance ``"wine__d6"``."""

    @property
    def digest(self) -> str:
        """SHA-256 of its content, in hexadecimal digits."""


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """One thing a player can call.

    Attributes
    ----------
    name : str
        Letters and underscores.
    purpose : str
        What it does, in one or two sentences for the player.
    parameters : mapping from str to mapping
        JSON-schema properties by argument name. They describe and never forbid: front ends pass on whatever a player
        sends, and `Environment.apply` judges it, so that refused calls are recorded and their reasons reach the player.
    required : tuple of str
        Arguments that a call needs.
    after_deadline : bool
        Whether it can be called when the budget of seconds is used up; the engine refuses the other tools then.
    """

    name: str
    purpose: str
    parameters: Mapping[str, Mapping[str, Json]] = {}
    required: tuple[str, ...] = ()
    after_deadline: bool = False


class Call(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a player asked for, as it arrived.

    Attributes
    ----------
    tool : str
        Name; it may be of no tool.
    arguments : Json
        Expected is an object; whatever arrived is kept.
    call_id : str or None
        Of the player's choice; a second call of that id is answered with the first one's reply.
    """

    tool: str
    arguments: Json = {}
    call_id: str | None = None


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Why a call was not carried out.

    Attributes
    ----------
    code : str
        Short and stable, for programs: ``"overdraft"``, ``"closed"``, ``"unknown_tool"``, ``"bad_argument"``…
    message : str
        For the player: the offending entry, what was found, what is allowed, the next step.
    """

    code: str
    message: str


class WorldEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Something the world did by itself during a call.

    Attributes
    ----------
    kind : str
        What it was.
    facts : mapping
        JSON facts; the player does not see them unless the result shows them.
    """

    kind: str
    facts: Mapping[str, Json] = {}


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """Work outside the rules that a call needs: the engine has it done and hands the outcome to `Environment.finish`.

    Attributes
    ----------
    kind : str
        Who can do it; ``"python"`` is a program for the sandbox.
    request : mapping
        What that performer needs, as JSON.
    """

    kind: str
    request: Mapping[str, Json] = {}


class Step(msgspec.Struct, Generic[StateT], frozen=True, kw_only=True):
    """What a call came to.

    Attributes
    ----------
    state : object
        After the call; immutable. A refused call may change it where refusals cost.
    result : mapping
        JSON for the player; empty while an effect is wanted.
    charges : mapping from str to int
        Units taken from named budgets, of a refused call as well where refusals cost. The engine refuses a call whose
        charges no budget covers, so rules need not. With an effect: what must be left before it is done; what is taken
        then says the step of `Environment.finish`.
    refusal : Refusal or None
        Why it was not carried out.
    events : tuple of WorldEvent
        What the world did meanwhile.
    effect : Effect or None
        Work that must be done first; the step is then the one of `Environment.finish`.
    """

    state: StateT
    result: Mapping[str, Json] = {}
    charges: Mapping[str, int] = {}
    refusal: Refusal | None = None
    events: tuple[WorldEvent, ...] = ()
    effect: Effect | None = None


class Opening(msgspec.Struct, Generic[StateT], frozen=True, kw_only=True):
    """The beginning of an episode.

    Attributes
    ----------
    state : object
        Before the first call.
    text : str
        What the player is told: the task, the tools' rules, the budgets.
    facts : mapping
        The same for programs, as JSON; holds nothing that the text keeps back.
    budgets : mapping from str to int
        Limit of each named counter; ``"seconds"`` is kept by the engine's clock, the others by charges.
    """

    state: StateT
    text: str
    facts: Mapping[str, Json]
    budgets: Mapping[str, int]


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call in the journal, from which scores, replays and pictures are made.

    Attributes
    ----------
    number : int
        From 1, in order.
    call : Call
        As it arrived.
    result : mapping
        As the player got it.
    charges : mapping from str to int
        What was taken.
    refusal : Refusal or None
        Why it was not carried out.
    events : tuple of WorldEvent
        What the world did.
    outcome : mapping or None
        Of an effect; folding uses it and never does the work again.
    unjudged : bool
        Whether it was refused without the rules: the state is as before. The arguments of what could not be taken in
        (too large, nested too deeply, no JSON) are an account of them then: bytes, SHA-256 and the beginning.
    """

    number: int
    call: Call
    result: Mapping[str, Json] = {}
    charges: Mapping[str, int] = {}
    refusal: Refusal | None = None
    events: tuple[WorldEvent, ...] = ()
    outcome: Mapping[str, Json] | None = None
    unjudged: bool = False


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """What an episode came to, from its journal and instance alone.

    Attributes
    ----------
    delivered : bool
        Whether the player handed in what the environment asks for; a missing delivery is scored, never left out.
    primary : str
        Name of the value that ranks episodes.
    values : mapping from str to float, int, bool or None
        Scores by name; None where a value is undefined.
    details : mapping
        Further JSON facts for pages and tables.
    shown : tuple of str
        Values to put beside the primary one where there is no room for all of them.
    """

    delivered: bool
    primary: str
    values: Mapping[str, float | int | bool | None]
    details: Mapping[str, Json] = {}
    shown: tuple[str, ...] = ()


class Environment(Protocol[InstanceT, StateT]):
    """Rules of a kind of task. All methods are pure: equal arguments give equal results on any machine.

    An environment may have an attribute `performers`, objects by kind of effect with a method ``perform(request)``, for
    work of its own whose last digits depend on the machine, and with a method ``compare(request, outcome)`` if replays
    shall check it (see `whatworked.episodes.performers`); and a method ``sketch(state)``, which gives the lines that
    a person sees before each prompt: a map, or what was measured.

    `options` are the environment's own declared settings of an episode (budget, view, arms), decoded and checked by
    `options_of`, which names every offence at once.
    """

    @property
    def name(self) -> str:
        """As commands call it, for instance ``"effects"``."""

    @property
    def version(self) -> str:
        """Changes whenever equal calls may give other results; a journal of another version is refused by name."""

    def find(self, name: str, salt: bytes | None = None) -> InstanceT:
        """The instance of a name or a file.

        Parameters
        ----------
        name : str
            As `Instance.name` or a path.
        salt : bytes or None
            Private; makes another instance of it, with another digest and the same difficulty.

        Raises
        ------
        UnknownNameError
            If there is none.
        """

    def options_of(self, given: Mapping[str, Json]) -> Mapping[str, Json]:
        """All options of an episode, defaults filled in.

        Parameters
        ----------
        given : mapping
            By name; a value may arrive as text, from a command line.

        Raises
        ------
        InvalidOptionError
            Naming every unknown name and every value that is not allowed.
        """

    def start(self, instance: InstanceT, options: Mapping[str, Json]) -> Opening[StateT]:
        """State and opening of an episode.

        Parameters
        ----------
        instance : Instance
            Its content never reaches the opening but for what the player may know.
        options : mapping
            As `options_of` gives them.
        """

    def tools(self, state: StateT) -> Sequence[Tool]:
        """The tools a player can call now, always in the same order.

        Parameters
        ----------
        state : object
            After the last call.
        """

    def apply(self, instance: InstanceT, state: StateT, call: Call, elapsed: float) -> Step[StateT]:
        """Carry out or refuse a call. Never raises for anything a player may send: offences are refusals.

        Parameters
        ----------
        instance : Instance
            What is played.
        state : object
            Before the call.
        call : Call
            As it arrived.
        elapsed : float
            Seconds since the opening.
        """

    def finish(
        self, instance: InstanceT, state: StateT, call: Call, outcome: Mapping[str, Json], elapsed: float
    ) -> Step[StateT]:
        """The step of a call whose effect is done; never called where no step asks for an effect.

        Parameters
        ----------
        instance : Instance
            What is played.
        state : object
            As the step that asked for the effect left it.
        call : Call
            As it arrived.
        outcome : mapping
            Of the effect, as JSON; one that could not be done has the key ``"unavailable"`` with the reason. Seconds
            are not in it: equal calls have equal outcomes as far as the performer can see to it.
        elapsed : float
            Seconds since the opening, as `apply` was given.
        """

    def closed(self, state: StateT) -> bool:
        """Whether nothing more can be called.

        Parameters
        ----------
        state : object
            After the last call.
        """

    def score(self, events: Sequence[Event], instance: InstanceT, options: Mapping[str, Json]) -> Score:
        """Score of a journal's events, of an episode that is finished or not.

        Parameters
        ----------
        events : sequence of Event
            In order.
        instance : Instance
            What was played.
        options : mapping
            Of the episode.
        """
