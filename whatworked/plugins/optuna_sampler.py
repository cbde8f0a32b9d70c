"""Optuna samplers as acquisition policies. Optuna is imported only when one is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from whatworked.errors import MissingExtraError
from whatworked.plugins.asktell import RETRIES, ask_seed, nearest_new
from whatworked.protocols import SearchState
from whatworked.surfaces.masks import BitArray, bits_of, option_letters, ranks_of


class OptunaPolicy:
    """Policy that buys what an Optuna sampler suggests.

    Each ask makes a fresh study that maximises utility over one {0, 1} integer parameter per option, holding everything
    measured as finished trials, and a fresh sampler. Suggestions of measured masks are answered with the known value;
    after `RETRIES` of them the nearest unmeasured mask is bought.

    Parameters
    ----------
    build : callable
        ``build(seed)`` returns a fresh sampler.
    random_state : int, default 0
        Seed of the policy.
    """

    def __init__(self, build: Callable[[int], Any], random_state: int = 0) -> None:
        self.build = build
        self.random_state = random_state

    def ask(self, state: SearchState, n: int) -> BitArray:
        """Choose `n` new masks one after the other; the first ones stay pending while the others are chosen."""
        optuna = _import_optuna()
        letters = option_letters(state.d)
        space = {letter: optuna.distributions.IntDistribution(0, 1) for letter in letters}
        with _quiet(optuna):
            study = optuna.create_study(
                direction="maximize", sampler=self.build(ask_seed(self.random_state, len(state.masks)))
            )
            known = {int(rank): float(value) for rank, value in zip(state.measured, state.utilities, strict=True)}
            for rank, value in known.items():
                params = {letter: int(bit) for letter, bit in zip(letters, bits_of([rank], state.d)[0], strict=True)}
                study.add_trial(optuna.trial.create_trial(params=params, distributions=space, value=value))
            chosen: list[int] = []
            for _ in range(n):
                chosen.append(self._next(study, space, state, known, chosen))
        return bits_of(chosen, state.d)

    def _next(self, study: Any, space: Any, state: SearchState, known: dict[int, float], chosen: list[int]) -> int:
        for _ in range(RETRIES):
            trial = study.ask(space)
            rank = int(ranks_of([[trial.params[letter] for letter in option_letters(state.d)]])[0])
            if rank not in known and rank not in chosen:
                return rank
            if rank in known:
                study.tell(trial, known[rank])
        return nearest_new(rank, state, chosen)


def is_sampler_class(thing: Any) -> bool:
    """Whether `thing` is a class of Optuna samplers; does not import Optuna."""
    return isinstance(thing, type) and any(
        base.__name__ == "BaseSampler" and base.__module__.startswith("optuna.") for base in thing.__mro__
    )


def _import_optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise MissingExtraError("an Optuna sampler needs Optuna; install it with: pip install optuna") from None
    return optuna


@contextmanager
def _quiet(optuna: Any) -> Iterator[None]:
    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(level)
