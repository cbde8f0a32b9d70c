"""A map for people: five hulks with their sites, where one stands, and the clock."""

from __future__ import annotations

from whatworked.environments.drift.inventory import PASS_TICKS, SITES
from whatworked.environments.drift.playing import Play
from whatworked.environments.drift.rules import window_open
from whatworked.wording import counted

HULKS = ("Ormer", "Vess", "Kelder", "Tarn", "Harrow")
_WIDTH = 16


def sketch_of(play: Play) -> str:
    """The map, the clock and what stands here; nothing that the tool ``look`` does not show.

    Parameters
    ----------
    play : Play
        Where the episode stands.

    Returns
    -------
    str
    """
    state = play.state
    here = None if state.place is None else SITES[state.place]
    window = "; the commit window is open" if window_open(state, play.options) else ""
    clock = (
        f"pass {state.pass_number}, tick {state.world.tick} of {PASS_TICKS}, "
        f"{counted(play.options.budget - state.paid, 'action')} left{window}"
    )
    lines = [_hulk_line(hulk, state.place) for hulk in HULKS]
    if here is not None:
        lines.append(f"here: {', '.join(here.bodies)}; instruments: {', '.join(here.instruments) or 'none'}")
    return "\n".join([*lines, clock])


def _hulk_line(hulk: str, place: str | None) -> str:
    sites = [site.name for site in SITES.values() if site.hulk == hulk]
    marked = [f"[{name}]" if name == place else f" {name} " for name in sites]
    return f"{hulk:<8}" + "".join(f"{name:<{_WIDTH}}" for name in marked).rstrip()
