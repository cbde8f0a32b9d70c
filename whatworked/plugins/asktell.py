"""Optimisers with the ask/tell interface as acquisition policies.

The optimiser is rebuilt for every ask and told everything that is known. That makes the policy a function of what was
measured, as the contract wants, whatever hidden state the optimiser keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from whatworked.protocols import SearchState
from whatworked.surfaces.masks import BitArray, bits_of, distances, mask_rank, option_letters, ranks_of

RETRIES = 32
"""Proposals of already measured masks that are answered from memory before the nearest unmeasured mask is taken."""


class AskTellPolicy:
    """Policy made of an optimiser with ``ask()`` and ``tell(configuration, value)``.

    A configuration may be a row of 0/1 (list, tuple or array), a mask string, or a mapping from option letters to 0/1.
    The optimiser is told configurations in the form in which it proposes them.

    Parameters
    ----------
    build : callable
        ``build(d, seed)`` returns a fresh optimiser over d binary options; `seed` differs from ask to ask.
    random_state : int, default 0
        Seed of the policy.
    minimize : bool, default False
        Whether the optimiser minimises; it is then told negated utilities.
    """

    def __init__(self, build: Callable[[int, int], Any], random_state: int = 0, minimize: bool = False) -> None:
        self.build = build
        self.random_state = random_state
        self.minimize = minimize

    def ask(self, state: SearchState, n: int) -> BitArray:
        """Choose masks by asking the optimiser.

        It is built anew and told everything measured. A proposal of a measured mask is answered from memory; after 32
        of them the nearest unmeasured mask is taken.

        Parameters
        ----------
        state : SearchState
            What is known so far.
        n : int
            Number of masks wanted, at least 1 and at most the unmeasured ones.

        Returns
        -------
        ndarray of int8, shape (n, d)

        Raises
        ------
        ValueError
            If the optimiser proposes anything but d values 0 or 1, a mask or a mapping from option letters. A run
            counts that, like anything that the optimiser itself raises, as a missing delivery.
        """
        optimiser = self.build(state.d, ask_seed(self.random_state, len(state.masks)))
        template = optimiser.ask()
        known = {int(rank): float(value) for rank, value in zip(state.measured, state.utilities, strict=True)}
        for rank, value in known.items():
            self._tell(optimiser, _like(template, bits_of([rank], state.d)[0]), value)
        chosen: list[int] = []
        for _ in range(n):
            chosen.append(self._next(optimiser, state, known, chosen))
        return bits_of(chosen, state.d)

    def _next(self, optimiser: Any, state: SearchState, known: Mapping[int, float], chosen: list[int]) -> int:
        for _ in range(RETRIES):
            proposal = optimiser.ask()
            rank = int(ranks_of(_bits(proposal, state.d)[None, :])[0])
            if rank not in known and rank not in chosen:
                return rank
            if rank in known:
                self._tell(optimiser, proposal, known[rank])
        return nearest_new(rank, state, chosen)

    def _tell(self, optimiser: Any, configuration: Any, utility: float) -> None:
        optimiser.tell(configuration, -utility if self.minimize else utility)


def ask_seed(random_state: int, measured: int) -> int:
    """Seed of one ask: a function of the policy's seed and of how much is measured, so that asks differ."""
    return int(np.random.SeedSequence([random_state, measured]).generate_state(1)[0] >> 1)


def nearest_new(rank: int, state: SearchState, chosen: list[int]) -> int:
    """The unmeasured, not yet chosen mask nearest to `rank` in Hamming distance; ties go to the lexically first."""
    candidates = np.setdiff1d(state.unmeasured, np.array(chosen, dtype=np.int64))
    return int(candidates[np.argmin(distances([rank], candidates)[0])])


def _bits(configuration: Any, d: int) -> BitArray:
    if isinstance(configuration, str):
        configuration = bits_of([mask_rank(configuration, d)], d)[0]
    elif isinstance(configuration, Mapping):
        configuration = [int(configuration[letter]) for letter in option_letters(d)]
    values = np.asarray(configuration)
    if values.shape != (d,) or not np.isin(values, (0, 1)).all():
        raise ValueError(f"the optimiser proposed {configuration!r}; expected {d} values 0 or 1, a mask or a mapping")
    return values.astype(np.int8)


def _like(template: Any, bits: BitArray) -> Any:
    """`bits` in the form of the configuration `template`."""
    values = [int(bit) for bit in bits]
    if isinstance(template, str):
        return "".join(map(str, values))
    if isinstance(template, Mapping):
        return dict(zip(option_letters(len(values)), values, strict=True))
    if isinstance(template, np.ndarray):
        return np.array(values, dtype=template.dtype)
    return type(template)(values)
