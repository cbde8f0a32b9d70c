"""Seconds since an episode's opening: never fewer than before, whatever the system's clock does."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Clock:
    """Where seconds come from; tests give their own.

    Attributes
    ----------
    wall : callable
        Seconds since 1970, which outlast a restart but may be set back.
    steady : callable
        Seconds since some instant, which never go back but do not outlast a restart.
    """

    wall: Callable[[], float] = field(default=time.time)
    steady: Callable[[], float] = field(default=time.monotonic)


class Stopwatch:
    """Seconds since an opening that may lie before this process.

    The greatest of three counts: by the wall clock from the opening, by the steady clock from where this process began,
    and the last one that was written down. So a wall clock that is set back gives nobody more time, and one that stands
    still while the machine sleeps does not either.

    Parameters
    ----------
    clock : Clock
        Where seconds come from.
    opened : float
        Wall-clock time of the opening.
    last : float
        The last count that was written down before this process began; the steady clock goes on from it.
    """

    def __init__(self, clock: Clock, opened: float, last: float = 0.0) -> None:
        self._clock = clock
        self._opened = opened
        self._start = max(last, clock.wall() - opened)
        self._steady = clock.steady()

    def elapsed(self, last: float) -> float:
        """Seconds since the opening, to the millisecond.

        Parameters
        ----------
        last : float
            The last count that was written down.
        """
        by_wall = self._clock.wall() - self._opened
        by_steady = self._start + self._clock.steady() - self._steady
        return max(last, round(by_wall, 3), round(by_steady, 3))
