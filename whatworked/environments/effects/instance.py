"""What is played: a response surface, its workflow, and the order in which its options are shown."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from whatworked.storage.canonical import canonical_json, sha256
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.inactive import InactiveRule, inactive_rules
from whatworked.surfaces.masks import FloatArray, IntArray, bits_of, option_letters, ranks_of
from whatworked.surfaces.surface import ResponseSurface

if TYPE_CHECKING:
    from whatworked.declaration.workflow import Workflow

_MARK = "@"
"""Between the name of a condition and the hash of the salt that its options are shown by."""
_DIGITS = 12


class OptionText(msgspec.Struct, frozen=True):
    """One option in words.

    Attributes
    ----------
    letter : str
        By which the workflow's own code calls it.
    name, off, on : str
        What it chooses, and its settings for bit 0 and bit 1.
    """

    letter: str
    name: str
    off: str
    on: str


@dataclass(frozen=True, eq=False)
class SurfaceInstance:
    """A response surface to be explored in an episode: sealed.

    Attributes
    ----------
    condition : str
        Id of the condition, or the path of the file it was read from.
    surface : ResponseSurface
        The truth, options in the order of the workflow.
    family, source : str
        Empty where a file says nothing of them.
    options : tuple of OptionText
        In the order of the workflow; empty where nothing is known of them.
    metric, unit : str
        Name and unit of the native value.
    table : str
        Digest of the reference table; empty for a file without one.
    order : tuple of int
        Position in the workflow of each option as the player sees them.
    seal : str
        Hash of the salt that the order was drawn by; empty where the order is the workflow's own.
    """

    condition: str
    surface: ResponseSurface = field(repr=False)
    family: str = ""
    source: str = ""
    options: tuple[OptionText, ...] = ()
    metric: str = ""
    unit: str = ""
    table: str = ""
    order: tuple[int, ...] = ()
    seal: str = ""

    def __post_init__(self) -> None:
        if not self.order:
            object.__setattr__(self, "order", tuple(range(self.surface.d)))

    @property
    def d(self) -> int:
        """Number of options."""
        return self.surface.d

    @property
    def name(self) -> str:
        """The condition, and behind it the hash of the salt if there is one."""
        return f"{self.condition}{_MARK}{self.seal}" if self.seal else self.condition

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the truth, of what is told about it, and of the order of its options."""
        surface = self.surface
        content = {
            "utilities": surface.utilities.tolist(),
            "native": None if surface.native is None else surface.native.tolist(),
            "cost_scale": None if surface.utility_map is None else surface.utility_map.scale,
            "family": self.family,
            "source": self.source,
            "options": [msgspec.to_builtins(option) for option in self.options],
            "metric": self.metric,
            "unit": self.unit,
            "order": list(self.order),
        }
        return sha256(canonical_json(content))

    @cached_property
    def own_ranks(self) -> IntArray:
        """For every mask as the player writes it, its rank in the order of the workflow, shape (2**d,)."""
        shown = bits_of(np.arange(1 << self.d), self.d)
        own = np.empty_like(shown)
        own[:, list(self.order)] = shown
        return ranks_of(own)

    @cached_property
    def shown_ranks(self) -> IntArray:
        """For every mask in the order of the workflow, its rank as the player writes it, shape (2**d,)."""
        return np.argsort(self.own_ranks)

    @property
    def letters(self) -> tuple[str, ...]:
        """Letters of the options as the player sees them: always A, B, C, … from the left."""
        return option_letters(self.d)

    @cached_property
    def shown_options(self) -> tuple[OptionText, ...]:
        """The options in words, in the order in which the player sees them."""
        return tuple(self.options[place] for place in self.order) if self.options else ()

    @cached_property
    def workflow(self) -> Workflow | None:
        """The declaration that the surface came from; None where it is not known."""
        if not self.family:
            return None
        from whatworked import workflows

        found = workflows.get(self.family)
        return found if found.d == self.d else found.restricted(self.d)

    @cached_property
    def equivalence(self) -> Equivalence | None:
        """Classes of masks that are the same program, in the order of the workflow; None where it is not known."""
        return None if self.workflow is None else self.workflow.equivalence()

    @cached_property
    def shown_equivalence(self) -> Equivalence | None:
        """The classes over masks as the player writes them."""
        classes = self.equivalence
        if classes is None:
            return None
        return Equivalence.from_keys(classes.representative[self.own_ranks].tolist())

    @cached_property
    def rules(self) -> tuple[InactiveRule, ...]:
        """When an option has no effect, by the letters that the player sees."""
        return () if self.shown_equivalence is None else inactive_rules(self.shown_equivalence)

    @cached_property
    def shown_utilities(self) -> FloatArray:
        """The truth in the order in which the player writes masks, shape (2**d,)."""
        return np.asarray(self.surface.utilities[self.own_ranks])

    def facts(self, rank: int, native: bool) -> dict[str, Any]:
        """What a measurement tells of a mask, given by its rank as the player writes it."""
        own = int(self.own_ranks[rank])
        told: dict[str, Any] = {"utility": float(self.surface.utilities[own])}
        if native and self.surface.native is not None:
            told["native"] = float(self.surface.native[own])
        return told


def salted(instance: SurfaceInstance, salt: bytes) -> SurfaceInstance:
    """The instance with its options in an order drawn by a private salt.

    The same salt gives the same order for a condition, and unrelated orders for different ones. The two anchors, all
    off and all on, are themselves in every order.

    Parameters
    ----------
    instance : SurfaceInstance
        In the order of its workflow.
    salt : bytes
        Any bytes; at least 16 random ones, or the order can be guessed from the published hash.
    """
    key = canonical_json([instance.condition, instance.d])
    drawn = hmac.digest(salt, b"order of options\0" + key, "sha256")
    # The places are sorted by hashes of their own, so that no generator's version decides the order.
    order = sorted(range(instance.d), key=lambda place: hashlib.sha256(drawn + bytes([place])).digest())
    seal = hmac.digest(salt, b"name of the instance\0" + key, "sha256").hex()[:_DIGITS]
    return replace(instance, order=tuple(order), seal=seal)


def split_name(name: str) -> tuple[str, str]:
    """Condition and hash of the salt in the name of an instance; the second is empty where there is none."""
    condition, mark, seal = name.rpartition(_MARK)
    hexadecimal = len(seal) == _DIGITS and not set(seal) - set("0123456789abcdef")
    return (condition, seal) if mark and condition and hexadecimal else (name, "")
