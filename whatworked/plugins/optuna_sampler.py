"""Optuna samplers as acquisition policies. Optuna is imported only when one is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from whatworked.errors import MissingExtraError
from whatworked.plugins.asktell import RETRIES
from whatworked.protocols import SearchState
from whatworked.surfaces.masks import FloatArray, anchors, bits_of, distances, option_letters, ranks_of


class OptunaPolicy:
    """Policy that buys what an Optuna sampler suggests.

    One study per episode maximises utility over one {0, 1} integer parameter per option, by Optuna's own ask and tell,
    as ``study.optimize`` would. Suggestions of masks that are known already are told their value without cost; after
    `RETRIES` of them in a row the nearest new mask is bought, and added to the study as a trial. The study is a
    function of the state: where a state does not continue the episode, it is made again from its beginning.

    Parameters
    ----------
    build : callable
        ``build(seed)`` returns a fresh sampler.
    random_state : int, default 0
        Seed of the sampler.
    """

    def __init__(self, build: Callable[[int], Any], random_state: int = 0) -> None:
        self.build = build
        self.random_state = random_state
        self._episode: _Episode | None = None

    def ask(self, state: SearchState, n: int) -> FloatArray:
        """Choose up to `n` new masks, which stay pending together until all are measured."""
        optuna = _import_optuna()
        known = {int(rank): float(value) for rank, value in zip(state.measured, state.utilities, strict=True)}
        episode, self._episode = self._episode, None
        with _quiet(optuna):
            if episode is None or not episode.continues(state.d, known):
                episode = _Episode(optuna, self.build(self.random_state), state.d)
            chosen = episode.advance(known, n)
        self._episode = episode
        return state.bits(np.array(chosen, dtype=np.int64))


class _Episode:
    """A study, what it was told, and the trials that wait for their values."""

    def __init__(self, optuna: Any, sampler: Any, d: int) -> None:
        self._optuna, self._d = optuna, d
        self._letters = option_letters(d)
        self._space = {letter: optuna.distributions.IntDistribution(0, 1) for letter in self._letters}
        self._study = optuna.create_study(direction="maximize", sampler=sampler)
        # Samplers that have tried everything stop the study, which Optuna allows in its own loop only.
        self._study._thread_local.in_optimize_loop = True
        self._told: dict[int, float] = {}
        self._pending: list[tuple[int, Any]] = []
        self._seen = set(anchors(d))
        self._repeats = 0

    def continues(self, d: int, known: dict[int, float]) -> bool:
        """Whether a state is what this study has led to."""
        values = all(known.get(rank) == value for rank, value in self._told.items())
        return d == self._d and values and self._seen == known.keys()

    def advance(self, known: dict[int, float], n: int) -> list[int]:
        """Tell values and ask until masks that are not known are pending; their ranks."""
        while True:
            if len(self._pending) >= n or (self._pending and len(self._seen) == 1 << self._d):
                wanted = [rank for rank, _ in self._pending if rank not in known]
                if wanted:
                    return wanted
                for rank, trial in self._pending:
                    self._tell(rank, trial, known[rank])
                self._pending.clear()
            if len(self._seen) == 1 << self._d:
                return []
            self._propose(known)

    def _propose(self, known: dict[int, float]) -> None:
        trial = self._study.ask(self._space)
        rank = int(ranks_of([[trial.params[letter] for letter in self._letters]])[0])
        if rank not in self._seen:
            self._await(rank, trial)
            return
        self._repeats += 1
        if rank in self._told or rank in anchors(self._d):  # others are pending, also when the study is made again
            self._tell(rank, trial, known[rank])
        if self._repeats >= RETRIES:
            new = np.array([other for other in range(1 << self._d) if other not in self._seen], dtype=np.int64)
            self._await(int(new[np.argmin(distances([rank], new)[0])]), None)

    def _await(self, rank: int, trial: Any) -> None:
        self._seen.add(rank)
        self._pending.append((rank, trial))
        self._repeats = 0

    def _tell(self, rank: int, trial: Any, value: float) -> None:
        self._told[rank] = value
        if trial is not None:
            self._study.tell(trial, value)
            return
        bits = bits_of([rank], self._d)[0]
        params = {letter: int(bit) for letter, bit in zip(self._letters, bits, strict=True)}
        self._study.add_trial(self._optuna.trial.create_trial(params=params, distributions=self._space, value=value))


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
