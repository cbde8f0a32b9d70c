"""What a campaign is about: the part that never changes while it goes on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import msgspec
import numpy as np

from whatworked import arguments
from whatworked.campaigns.coding import Coding, Way, setting_of
from whatworked.campaigns.known import decode_experience
from whatworked.campaigns.options import WHOLE, Option, excluded_ranks, named
from whatworked.campaigns.scale import Scale
from whatworked.errors import InvalidOptionError, InvalidSurfaceError, JournalError
from whatworked.storage.canonical import canonical_json, sha256
from whatworked.surfaces.experience import Experience
from whatworked.surfaces.masks import IntArray, mask_string


@dataclass(frozen=True)
class Plan:
    """Options, how values are read, what must not be combined, and what is run.

    Attributes
    ----------
    options : tuple of Option
        1 to 20.
    scale : Scale
        How values are read.
    excluded : tuple of dict of str to int
        Combinations of bits that must not be run.
    target : str
        What is run: a function, a command; empty where results are told.
    noise : float or None
        Standard deviation of a result when its setting is run again: in the value's units, or of its natural logarithm
        where effects are factors. 0: results are exact. None: it is estimated.
    costs : tuple of float
        What each setting costs, in canonical order; empty where each costs 1. See `read_costs`.
    effects_of : tuple of str
        Options whose effects are asked for; empty: all. Above 12 options some have to be named, at most 12.
    codings : tuple of Coding
        Which of the options code one of more than two levels.
    experience : Experience or None
        What earlier campaigns showed of these options.
    """

    options: tuple[Option, ...]
    scale: Scale = field(default_factory=Scale)
    excluded: tuple[Mapping[str, int], ...] = ()
    target: str = ""
    noise: float | None = 0.0
    costs: tuple[float, ...] = ()
    effects_of: tuple[str, ...] = ()
    codings: tuple[Coding, ...] = ()
    experience: Experience | None = None

    def __post_init__(self) -> None:
        if self.experience is not None and not len(self.experience):
            object.__setattr__(self, "experience", None)
        if self.costs and len(self.costs) != 1 << self.d:
            raise InvalidOptionError(f"there are {len(self.costs)} costs; give one for each of {1 << self.d} settings")
        self._check_effects_of()
        if self.noise is not None:
            object.__setattr__(self, "noise", read_noise(self.noise))
        if self.allowed.size < 2:
            raise InvalidOptionError(f"exclude leaves {self.allowed.size} settings; leave at least 2")

    def _check_effects_of(self) -> None:
        for name in self.effects_of:
            named(self.options, name)
        if len(set(self.effects_of)) < len(self.effects_of):
            raise InvalidOptionError("effects_of names an option twice; name each once")
        if not 1 <= len(self.effects_of or self.options) <= WHOLE:
            raise InvalidOptionError(
                f"effects of {len(self.effects_of or self.options)} options are asked for; name at most {WHOLE} of the "
                f"{self.d} options with effects_of (--effects-of), or keep others fixed"
            )

    @property
    def focus(self) -> tuple[int, ...]:
        """Places of the options whose effects are asked for."""
        wanted = self.effects_of or tuple(option.name for option in self.options)
        return tuple(place for place, option in enumerate(self.options) if option.name in wanted)

    @property
    def d(self) -> int:
        """Number of options."""
        return len(self.options)

    @cached_property
    def allowed(self) -> IntArray:
        """Ranks of the settings that may be run, ascending."""
        return np.setdiff1d(self.meant, excluded_ranks(self.options, self.excluded))

    @cached_property
    def meant(self) -> IntArray:
        """Ranks of the settings whose bits mean a level of every option, ascending; all without codings."""
        never = [combination for coding in self.codings for combination in coding.never]
        return np.setdiff1d(np.arange(1 << self.d, dtype=np.int64), excluded_ranks(self.options, never))

    def cost(self, rank: int) -> float:
        """What one run of a setting costs."""
        return self.costs[rank] if self.costs else 1.0

    def setting(self, rank: int) -> dict[str, Any]:
        """Level of every option that was named, in a setting that may run."""
        return self._levels(rank, texts=False)

    def labels(self, rank: int) -> dict[str, str]:
        """The same as texts."""
        return self._levels(rank, texts=True)

    def _levels(self, rank: int, *, texts: bool) -> dict[str, Any]:
        levels = setting_of(self.options, self.codings, mask_string(rank, self.d), texts=texts)
        if levels is None:
            raise InvalidOptionError(f"setting {mask_string(rank, self.d)} means no level of an option; it cannot run")
        return levels

    def words(self, rank: int) -> str:
        """A setting as a text."""
        return ", ".join(f"{name} {label}" for name, label in self.labels(rank).items())

    def description(self) -> dict[str, Any]:
        """The plan as plain JSON values; levels that JSON does not have stand as texts."""
        codings = [[coding.name, [_plain(level) for level in coding.levels], coding.way] for coding in self.codings]
        return {
            "schema": "whatworked campaign 1",
            "options": [[option.name, _plain(option.off), _plain(option.on)] for option in self.options],
            "direction": self.scale.direction,
            "scale": self.scale.form,
            "range": None if self.scale.limits is None else list(self.scale.limits),
            "exclude": [dict(combination) for combination in self.excluded],
            "target": self.target,
            # Left out where there is none, so that campaigns from before noise was known keep their digest.
            **({} if self.noise == 0 else {"noise": "unknown" if self.noise is None else self.noise}),
            **({"costs": list(self.costs)} if self.costs else {}),
            **({"effects of": list(self.effects_of)} if self.effects_of else {}),
            **({"codings": codings} if codings else {}),
            **({"experience": list(self.experience.digests)} if self.experience else {}),
        }

    def digest(self) -> str:
        """Digest of the description, by which a journal knows its campaign."""
        return sha256(canonical_json(self.description()))


class _Description(msgspec.Struct, forbid_unknown_fields=True):
    schema: str
    options: list[tuple[str, str | bool | int | float, str | bool | int | float]]
    direction: str
    scale: str
    range: tuple[float, float] | None
    exclude: list[dict[str, int]]
    target: str
    noise: float | Literal["unknown"] = 0.0
    costs: tuple[float, ...] = ()
    effects_of: tuple[str, ...] = msgspec.field(default=(), name="effects of")
    codings: tuple[tuple[str, tuple[str | bool | int | float, ...], Way], ...] = ()
    experience: tuple[str, ...] = ()


def read_plan(data: bytes, where: str, known: bytes | None = None) -> Plan:
    """The plan of a description as `Plan.description` gives it; raises `JournalError` naming `where` for others.

    `known` are the surfaces of its experience, as `encode_experience` gives them.
    """
    try:
        held = msgspec.json.decode(data, type=_Description)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise JournalError(f"{where} does not describe a campaign: {error}; give the folder of one") from None
    scale = Scale(held.direction, held.scale, held.range)  # type: ignore[arg-type]
    noise = None if held.noise == "unknown" else held.noise
    options = tuple(Option(*option) for option in held.options)
    codings = tuple(Coding(*coding) for coding in held.codings)
    experience = _experience(held, [option.name for option in options], where, known)
    return Plan(
        options, scale, tuple(held.exclude), held.target, noise, held.costs, held.effects_of, codings, experience
    )


def _experience(held: _Description, options: list[str], where: str, known: bytes | None) -> Experience | None:
    if not held.experience:
        return None
    try:
        experience = decode_experience(known or b"", options)
    except (msgspec.MsgspecError, InvalidSurfaceError) as error:
        raise JournalError(f"the experience beside {where} cannot be read: {error}; put it back from a copy") from None
    if experience.digests != held.experience:
        raise JournalError(f"the experience beside {where} was altered; put it back from a copy")
    return experience


def read_noise(given: object) -> float | None:
    """A stated noise; None for ``"estimate"``.

    Parameters
    ----------
    given : float, or "estimate"
        What a user said.

    Returns
    -------
    float or None

    Raises
    ------
    InvalidOptionError
        For anything else.
    """
    if given == "estimate":
        return None
    if isinstance(given, str):
        try:
            given = float(given)
        except ValueError:
            raise InvalidOptionError(f"noise is {given!r}; give a standard deviation, or estimate") from None
    sd = arguments.real_number(given, "noise")
    if not 0.0 <= sd < math.inf:
        raise InvalidOptionError(f"noise is {sd:g}; give a standard deviation of 0 or more, or estimate")
    return sd


def _plain(level: Any) -> str | bool | int | float:
    return level if type(level) in (str, bool, int, float) else str(level)
