"""How often each scripted strategy is exact, over a set of instances."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from whatworked.environments.drift.detectors import first_truths
from whatworked.environments.drift.events import Event
from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.metrics import Prediction, prediction
from whatworked.environments.drift.order import answer_of
from whatworked.environments.drift.patterns import moving_ticks
from whatworked.environments.drift.rules import Options
from whatworked.environments.drift.strategies import guesses, walks
from whatworked.environments.drift.strategies.falsifiers import FALSIFIERS, PRICE
from whatworked.environments.drift.strategies.hands import Hands, Table
from whatworked.environments.drift.strategies.sweep import sweep, wide_sweep

LIMIT = 0.15
"""Share of instances on which a script may be exact."""

STRATEGIES: Mapping[str, Callable[[Hands], None]] = {
    "constant": guesses.constant,
    "document copier": walks.document_copier,
    "route": walks.route,
    "passive reader": walks.passive_reader,
    "random": lambda hands: walks.random_player(hands, random.Random(hands.left)),
    "copy undisturbed": guesses.copy_undisturbed,
    "ledger and pace": guesses.ledger_and_pace,
    "peer feeder": guesses.peer_feeder,
    "staging": guesses.staging,
    "sweep": sweep,
    "wide sweep": wide_sweep,
}
"""Scripts that commit a prediction and know nothing of the instance."""


class Rate(NamedTuple):
    """What a strategy came to over a set.

    Attributes
    ----------
    strategy : str
        Its name.
    episodes : int
        How many.
    exact, intake, answer, counter : float
        Shares of them in which all three figures, or one, were right.
    price : float
        Actions taken, on average; what was yielded is not counted.
    evidence : float
        Detectors that came true, on average.
    """

    strategy: str
    episodes: int
    exact: float
    intake: float
    answer: float
    counter: float
    price: float
    evidence: float


class Refutation(NamedTuple):
    """How often a falsifier contradicts its repair.

    Attributes
    ----------
    repair : str
        What it is against.
    share : float
        Of the instances.
    price : float
        Actions taken, on average.
    """

    repair: str
    share: float
    price: float


def strategy_rates(instances: Sequence[Instance], options: Options | None = None) -> Iterator[Rate]:
    """Play every strategy on every instance.

    Parameters
    ----------
    instances : sequence of Instance
        The set.
    options : Options, optional
        How to play; open and distributed with 200 paid actions by default.

    Yields
    ------
    Rate
        One a strategy, and last the oracle, who is told the answer.
    """
    for name, strategy in STRATEGIES.items():
        yield _rate(name, [_play(instance, strategy, options) for instance in instances])
    oracle = [_play(instance, partial(walks.route, prediction=answer_of(instance)), options) for instance in instances]
    yield _rate("oracle", oracle)


def falsifier_rates(instances: Sequence[Instance]) -> Iterator[Refutation]:
    """Play every falsifier on every instance.

    Parameters
    ----------
    instances : sequence of Instance
        The set.

    Yields
    ------
    Refutation
    """
    for repair, falsify in FALSIFIERS.items():
        found = []
        for instance in instances:
            table = Table(instance, Options())
            found.append((falsify(Hands(table)), len(table.events)))
        share = sum(refuted for refuted, _ in found) / len(found)
        yield Refutation(repair, share, _mean([price for _, price in found]))


class _Result(NamedTuple):
    prediction: Prediction
    price: int
    evidence: int


def _play(instance: Instance, strategy: Callable[[Hands], None], options: Options | None) -> _Result:
    table = Table(instance, options or Options())
    strategy(Hands(table))
    events = table.events
    truths = first_truths(events, moving_ticks(instance))
    return _Result(
        prediction(events, answer_of(instance)), _price(events), sum(when is not None for when in truths.values())
    )


def _price(events: Sequence[Event]) -> int:
    return sum(event.outcome != "yielded" for event in events)


def _rate(name: str, results: Sequence[_Result]) -> Rate:
    shares = [
        sum(getattr(result.prediction, field) for result in results) / len(results)
        for field in ("exact", "intake", "answer", "counter")
    ]
    exact, intake, answer, counter = shares
    price, evidence = _mean([result.price for result in results]), _mean([result.evidence for result in results])
    return Rate(name, len(results), exact, intake, answer, counter, price, evidence)


def _mean(numbers: Sequence[int]) -> float:
    return math.fsum(numbers) / len(numbers)


__all__ = ["LIMIT", "PRICE", "STRATEGIES", "Rate", "Refutation", "falsifier_rates", "strategy_rates"]
