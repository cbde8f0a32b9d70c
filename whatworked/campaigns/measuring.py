"""Measure a function of a few options under a budget."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from whatworked import arguments
from whatworked.campaigns.asking import Ask
from whatworked.campaigns.campaign import Campaign
from whatworked.campaigns.coding import Way, expanded, read_coded, read_combinations
from whatworked.campaigns.costs import Cost, read_costs
from whatworked.campaigns.experience import read_experience
from whatworked.campaigns.findings import Findings, find
from whatworked.campaigns.options import Option
from whatworked.campaigns.plan import Plan, read_noise
from whatworked.campaigns.run import Run
from whatworked.campaigns.scale import Direction, Form, Scale
from whatworked.errors import InvalidOptionError
from whatworked.plugins import limits
from whatworked.plugins.guard import guarded
from whatworked.progress import progress
from whatworked.surfaces.masks import mask_rank

Runner = Callable[[Sequence[Ask]], Generator[Run, None, None]]
"""Runs some settings and yields what came of each as soon as it is known."""
_ROUNDING = 1e-9
"""What sums of costs may be off."""


def measure(
    f: Callable[[dict[str, Any]], float],
    options: Sequence[str | Option] | Mapping[str, Sequence[Any]],
    budget: int = 10,
    *,
    direction: Direction = "maximize",
    range: tuple[float, float] | None = None,  # noqa: A002
    scale: Form = "linear",
    out: Path | str | None = None,
    exclude: Iterable[Mapping[str, Any]] | None = None,
    time_limit: float | None = None,
    noise: float | Literal["estimate"] = 0.0,
    cost: Cost | None = None,
    seconds: float | None = None,
    worth: float | None = None,
    effects_of: Sequence[str] | None = None,
    coding: Mapping[str, Way] | None = None,
    experience: Path | str | None = None,
) -> Findings:
    """Run a function on the settings that tell most, and say what each option does.

    The first runs are all options off and all on; after that the look-ahead of `whatworked.inference.RelevancePolicy`
    asks. A call that raises, takes too long or returns no finite number is a hole: it is kept with its reason, takes
    its part of the budget, is not run again, and no value is supposed for it.

    Parameters
    ----------
    f : callable
        Takes a dict from names of options to their levels (False and True for plain switches), returns a number. Equal
        settings must give equal numbers, unless `noise` says otherwise.
    options : sequence of str, or mapping
        Names of 1 to 20 switches, or ``{"lr": (0.1, 0.01)}``, the level that stands for 0 first. An option of k > 2
        levels is coded into k - 1 options of two, ``lr.1``, ``lr.2``, …; see `coding`.
    budget : int
        Runs in all, holes and those of an earlier call with the same `out` included. With `cost`, what they may cost.
    direction : {"maximize", "minimize"}
        Which values are good.
    range : (float, float), optional
        Smallest and largest possible value; what is outside is a hole. Default: the measured ends.
    scale : {"linear", "log"}
        Whether effects are differences or factors.
    out : path, optional
        Folder in which every run is kept before the next begins. The same call, with any budget, goes on there.
    exclude : iterable of mappings, optional
        Combinations that must not run, as in ``[{"amp": True, "cpu": True}]``.
    time_limit : float, optional
        Seconds for each call. Code inside a library written in C is stopped only when it comes back from there.
    noise : float, or "estimate"
        Standard deviation of a result when its setting is run again, in its own units (of its natural logarithm with
        ``scale="log"``). With noise, a setting is run again where that teaches more than a new one.
    cost : mapping, or callable
        What a run of each setting costs; what teaches most for its cost is run. ``{"large": 2.0}`` adds 2 to a cost of
        1 where that option is at its second level; masks to costs, or a function of the setting, say it one by one.
    seconds : float, optional
        No run begins once all runs together, those of an earlier call included, have taken this long.
    worth : float, optional
        Stop when no setting is expected to reduce the typical uncertainty of an effect by this much for a cost of 1: in
        the value's units, or of its natural logarithm with ``scale="log"``. Not before there are two results more than
        options.
    effects_of : sequence of str, optional
        Options whose effects are asked for, at most 12. Default: all, which needs no more than 12 options.
    coding : mapping of str to {"steps", "first"}, optional
        How options of more than two levels are coded. ``steps``, the default, is for levels with an order: each effect
        is one step along them. With ``first`` each is one level against the first.
    experience : path, optional
        Folder with earlier campaigns, or CSV files of results, of the same pipeline on other data. Options are matched
        by name. How much these say is decided by what is measured.

    Returns
    -------
    Findings
        ``print`` shows the report; `Findings.markdown` and `Findings.table` give more.

    Raises
    ------
    InvalidOptionError
        For arguments that are not allowed.
    JournalError
        If `out` holds another campaign or was altered.
    StorageError
        If `out` cannot be used, or another process is using it.

    Examples
    --------
    >>> found = measure(lambda s: 2.0 * s["a"] - s["b"] + 0.5 * s["a"] * s["c"], ["a", "b", "c"], budget=8)
    >>> [(effect.option, round(effect.mean * 3.5, 2)) for effect in found.effects]
    [('a', 2.25), ('b', -1.0), ('c', 0.25)]
    """
    if not callable(f):
        raise InvalidOptionError(f"f is {arguments.shown(f)}; give a function of one mapping that returns a number")
    read, codings = read_coded(options, coding)
    runs = arguments.whole_number(budget, "budget", 1)
    wanted = () if effects_of is None else expanded(arguments.names(effects_of, "effects_of"), codings)
    unwanted, costs = read_combinations(exclude, read, codings), read_costs(cost, read, codings)
    folder = None if out is None else arguments.path(out, "out")
    earlier = None if experience is None else arguments.path(experience, "experience")
    known = None if earlier is None else read_experience(earlier, read, direction, folder)
    how = Scale(direction, scale, range)
    plan = Plan(read, how, unwanted, _name_of(f), read_noise(noise), costs, wanted, codings, known)
    stop = Stop(runs, _positive(seconds, "seconds"), _positive(worth, "worth"))
    with Campaign(plan, folder) as campaign:
        stopped = carry_out(campaign, function_runner(f, plan, _checked_limit(time_limit)), stop)
        return replace(find(campaign), stopped=stopped)


@dataclass(frozen=True)
class Stop:
    """When a campaign ends.

    Attributes
    ----------
    budget : float
        What runs may cost in all; their number where each costs 1.
    seconds : float or None
        What they may take together.
    worth : float or None
        Least reduction of the typical uncertainty of an effect for a cost of 1, in the value's units.
    """

    budget: float
    seconds: float | None = None
    worth: float | None = None

    def reason(self, campaign: Campaign, asks: Sequence[Ask]) -> str:
        """Why nothing more is run; empty if the first of `asks` is."""
        if self.seconds is not None and campaign.seconds >= self.seconds:
            return f"the runs took {campaign.seconds:.1f} s, and {self.seconds:g} s were allowed"
        if not asks:
            return "no setting is left that may run and whose cost is left"
        if self.worth is None or asks[0].reduces is None or campaign.measured[0].size < campaign.plan.d + 2:
            return ""
        unit_map = campaign.plan.scale.fitted(campaign.measured[1])
        gain = asks[0].reduces / unit_map.utility_sd(1.0) / campaign.plan.cost(mask_rank(asks[0].mask))
        if gain >= self.worth:
            return ""
        return (
            "nothing left is worth its cost: the most telling setting is expected to make the typical effect surer by "
            f"{gain:.3g} for a cost of 1, and {self.worth:g} was asked for"
        )


def carry_out(campaign: Campaign, run: Runner, stop: Stop, batch: int = 1) -> str:
    """Ask and run until something ends the campaign; each run is on disk before the next is asked for.

    Returns
    -------
    str
        Why it ended; empty where the budget is spent.
    """
    with progress(round(stop.budget), "run", initial=min(round(stop.budget), round(campaign.spent))) as bar:
        while (left := stop.budget - campaign.spent) > _ROUNDING:
            asks = campaign.ask_batch(batch, left + _ROUNDING)
            if reason := stop.reason(campaign, asks):
                return reason
            # Closed when something is raised: programs under way are ended before the folder is given up.
            with contextlib.closing(run(_affordable(campaign.plan, asks, left))) as results:
                for result in results:
                    campaign.tell(result)
                    bar.update()
    return ""


def _affordable(plan: Plan, asks: Sequence[Ask], left: float) -> list[Ask]:
    """The first settings, as many as what is left pays for."""
    paid: list[Ask] = []
    for ask in asks:
        left -= plan.cost(mask_rank(ask.mask))
        if left < -_ROUNDING:
            break
        paid.append(ask)
    return paid


def function_runner(f: Callable[[dict[str, Any]], Any], plan: Plan, time_limit: float | None = None) -> Runner:
    """A runner that calls a function in this process.

    What it prints goes to standard error, and the state of the process is put back after each call.
    """

    def run(asks: Sequence[Ask]) -> Generator[Run, None, None]:
        for ask in asks:
            setting, start = plan.setting(mask_rank(ask.mask)), time.monotonic()
            value: object = None
            with guarded("f") as result, limits.Watch(time_limit).step("f"):
                value = f(setting)
            seconds = round(time.monotonic() - start, 6)
            outcome = value if result.failure is None else result.failure.cause
            # A text is a reason to `run_of`; as the result of a function it is no number.
            if result.failure is None and isinstance(value, str):
                outcome = f"the result is {arguments.shown(value)}, which is no number"
            yield run_of(plan, ask.mask, outcome, seconds=seconds)

    return run


def run_of(plan: Plan, mask: str, value: object, ran: Sequence[str] = (), seconds: float | None = None) -> Run:
    """The run of a mask for a value, or for a text that says why there is none."""
    return Campaign(plan).run(mask, value, ran, seconds)


def _name_of(f: object) -> str:
    name = getattr(f, "__qualname__", type(f).__qualname__)
    return f"{getattr(f, '__module__', None) or '-'}:{name}"


def _positive(value: object, what: str) -> float | None:
    if value is None:
        return None
    number = arguments.real_number(value, what)
    if not 0.0 < number < math.inf:
        raise InvalidOptionError(f"{what} is {number:g}; give a number above 0")
    return number


def _checked_limit(limit: object) -> float | None:
    if limit is None:
        return None
    if not limits.is_limit(seconds := limits.seconds(limit)):
        raise InvalidOptionError(f"the time limit is {seconds:g} s; allowed are 0 (not included) to {limits.LONGEST} s")
    return seconds
