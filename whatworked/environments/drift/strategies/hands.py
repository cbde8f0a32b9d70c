"""What a scripted strategy plays with: the tools, and nothing of the instance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from whatworked.environments.drift.events import Event
from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.inventory import PASS_TICKS
from whatworked.environments.drift.playing import is_closed, new_play, reply_to
from whatworked.environments.drift.rules import Options

Call: TypeAlias = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
"""From a tool and its arguments to the reply: ``result``, and ``refused`` where it was."""


class Table:
    """An episode in memory; calling it makes a call.

    Parameters
    ----------
    instance : Instance
        What is played.
    options : Options
        How.

    Attributes
    ----------
    events : list of Event
        What happened so far.
    """

    def __init__(self, instance: Instance, options: Options) -> None:
        self._instance = instance
        self._play = new_play(instance, options)

    def __call__(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Make a call; the reply is that of the engine's front ends."""
        if is_closed(self._play):
            return {"result": {}, "refused": {"code": "closed", "message": "the episode is closed"}}
        reply = reply_to(self._instance, self._play, tool, arguments)
        self._play = reply.play
        refused = None if reply.refusal is None else {"code": reply.refusal[0], "message": reply.refusal[1]}
        return {"result": reply.result, **({} if refused is None else {"refused": refused})}

    @property
    def events(self) -> list[Event]:
        """What happened so far."""
        return [told.event for told in self._play.history]


class Hands:
    """The tools by the names of what is done, with what the last reply said of clock and order.

    Parameters
    ----------
    call : callable
        Makes a call.

    Attributes
    ----------
    place : str or None
        Where one stands.
    pass_number, tick, left : int
        Clock and paid actions left.
    window : bool
        Whether the commit window is open.
    order : mapping or None
        The order's facts, once it is posted.
    """

    def __init__(self, call: Call) -> None:
        self._call = call
        self.place: str | None = None
        self.order: Mapping[str, Any] | None = None
        view = call("look", {})["result"]
        self.pass_number, self.tick = view["loop"]["pass"], view["loop"]["tick"]
        self.left: int = view["budgets"]["paid_left"]
        self.window: bool = view["commit_window"]["open"]

    def goto(self, site: str) -> list[Mapping[str, Any]]:
        """Go to a site, unless one stands there; gives what is posted."""
        if self.place == site:
            return []
        event = self._act("act", verb="goto", target=site)
        self.place = site if event else self.place
        return list(event.get("posted") or ())

    def read(self, instrument: str) -> Any:
        """Read an instrument; None if that is not possible any more."""
        return self._act("act", verb="read", target=instrument).get("reading")

    def wait(self, n: int) -> None:
        """Wait; nothing is paid for no ticks."""
        if n > 0:
            self._act("act", verb="wait", n=n)

    def wait_until(self, tick: int) -> None:
        """Wait until the next action is at a tick, of this pass or the next."""
        if self.tick > tick:
            self.cross()
        self.wait(tick - self.tick)

    def cross(self) -> None:
        """Wait until the next pass; nothing is paid for at its start."""
        if self.tick:
            self.wait(PASS_TICKS - self.tick)

    def office(self, verb: str, body: str) -> str:
        """Ask for an intervention; gives its outcome."""
        return str(self._act("act", verb=verb, target=body).get("outcome", "closed"))

    def note(self, text: str) -> None:
        """Append to the workspace."""
        self._call("note", {"text": text, "mode": "append"})

    def open_window(self) -> None:
        """Yield what is left before the commit window, if it is not open."""
        if not self.window:
            self._act("yield_remaining_budget")

    def commit(self, intake: int, answer: int, counter: int) -> None:
        """Commit in the window, which is opened for it."""
        self.open_window()
        self._act("commit", intake=intake, answer=answer, counter=counter)

    def _act(self, tool: str, **arguments: Any) -> Mapping[str, Any]:
        result = self._call(tool, arguments)["result"]
        if "event" not in result:
            return {}
        self.pass_number, self.tick = result["pass"], result["tick"]
        self.left, self.window = result["left"], result["window"]
        self.order = result.get("order", self.order)
        event: Mapping[str, Any] = result["event"]
        return event
