"""A response surface: the utility of every mask of one condition."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

import numpy as np

from whatworked.arguments import shown
from whatworked.errors import InvalidMaskError, InvalidSurfaceError, unknown_name
from whatworked.surfaces import effects as _effects
from whatworked.surfaces import spectrum as _spectrum
from whatworked.surfaces.checks import cell_values, check_native, check_range, option_names
from whatworked.surfaces.cost_map import CostMap
from whatworked.surfaces.differences import EffectReference
from whatworked.surfaces.edges import pairs, selection_order
from whatworked.surfaces.keyed import values_by_mask
from whatworked.surfaces.masks import (
    MAX_OPTIONS,
    FloatArray,
    IntArray,
    any_mask_rank,
    edge_starts,
    mask_string,
    mask_strings,
    option_letters,
)
from whatworked.wording import counted, first_few

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class EdgeEffect(NamedTuple):
    """One conditional effect: what switching `option` on does at `mask`, where all other options stay as they are.

    Attributes
    ----------
    option : str
        Name of the option that is switched on.
    mask : str
        The mask before, which has the option off.
    effect : float
        Utility after minus utility before, in [-1, 1].
    """

    option: str
    mask: str
    effect: float


@dataclass(frozen=True, eq=False)
class ResponseSurface:
    """Utilities of all 2**d masks of d options. Immutable; arrays are read-only copies.

    Parameters
    ----------
    options : sequence of str
        Distinct names of the d options in the order of the mask's characters, for instance ``("A", "B", "C", "D")``.
    utilities : array-like of float, shape (2**d,), or mapping of str to float
        Utility of every mask in canonical (lexical) order, in [0, 1]. A mapping from masks, or a pandas Series with
        masks as its index, may be in any order.
    native : array-like of float, shape (2**d,), or mapping of str to float, optional
        The metric in its own unit; where there is a utility map, the costs that it turns into the utilities.
    utility_map : CostMap, optional
        How a native cost becomes a utility; absent where the metric is the utility.
    name, native_unit : str
        Condition id, and the unit or name of the native metric; empty where there is none.

    Raises
    ------
    InvalidSurfaceError
        With every problem found, not only the first.

    Examples
    --------
    >>> surface = ResponseSurface(("A", "B"), [0.0, 0.0, 1.0, 0.0])
    >>> surface.d, surface.best, surface.effects().tolist()
    (2, '10', [[1.0, 0.0], [0.0, -1.0]])
    """

    options: tuple[str, ...]
    utilities: FloatArray = field(repr=False)
    native: FloatArray | None = field(default=None, repr=False)
    utility_map: CostMap | None = None
    name: str = ""
    native_unit: str = ""

    def __post_init__(self) -> None:
        problems = [
            f"{what} is {shown(value)}; give a text"
            for what, value in (("name", self.name), ("native_unit", self.native_unit))
            if not isinstance(value, str)
        ]
        if self.utility_map is not None and not isinstance(self.utility_map, CostMap):
            problems.append(f"utility_map is {shown(self.utility_map)}; give a CostMap")
        problems += [
            f"{what} is {shown(value)}; give a text"
            for what, value in (("name", self.name), ("native_unit", self.native_unit))
            if not isinstance(value, str)
        ]
        options = option_names(self.options, problems)
        utilities = cell_values(self.utilities, "utilities", len(options), problems)
        native = None if self.native is None else cell_values(self.native, "native values", len(options), problems)
        costs = self.utility_map if isinstance(self.utility_map, CostMap) else None
        if utilities is not None:
            check_range(utilities, costs, problems)
        if utilities is not None and native is not None and costs is not None:
            check_native(utilities, native, costs, problems)
        if problems:
            named = self.name if isinstance(self.name, str) and self.name else "without name"
            raise InvalidSurfaceError(f"response surface {named}: " + "; ".join(problems))
        object.__setattr__(self, "options", options)
        object.__setattr__(self, "utilities", utilities)
        object.__setattr__(self, "native", native)

    def __repr__(self) -> str:
        name = f"{self.name!r}: " if self.name else ""
        options = first_few(self.options, 8)
        return f"ResponseSurface({name}d={self.d}, options {options}, range {self.range:.3g}, best {self.best})"

    def plot(self, kind: str = "overview") -> Figure:
        """Draw the surface; see `whatworked.plots.draw`.

        Parameters
        ----------
        kind : {"overview", "effects", "main", "interactions", "spectrum"}
            What to draw.

        Returns
        -------
        matplotlib.figure.Figure
            A notebook shows it; ``savefig`` writes it.

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        InvalidOptionError
            For an unknown kind, or a surface that has too many options or, for interactions, only one.
        """
        # By name: the mathematics needs no plots, only this convenience does.
        figure: Figure = importlib.import_module("whatworked.plots").draw(self, kind)
        return figure

    @classmethod
    def from_mapping(
        cls,
        utilities: Mapping[str, float],
        options: Sequence[str] | None = None,
        name: str = "",
    ) -> ResponseSurface:
        """Surface from a mapping of mask strings to utilities.

        Parameters
        ----------
        utilities : mapping of str to float
            Utility in [0, 1] of each of the 2**d masks, in any order; a pandas Series with masks as its index as well.
        options : sequence of str, optional
            Names of the options; default A, B, C, …
        name : str
            Condition id.

        Returns
        -------
        ResponseSurface

        Raises
        ------
        InvalidSurfaceError
            If the masks are not exactly the 2**d masks of one cube, or names or utilities are refused as by the class.

        Examples
        --------
        >>> ResponseSurface.from_mapping({"0": 0.25, "1": 0.75}).range
        0.5
        """
        try:
            given = values_by_mask(utilities)
            problem = "not by mask; give a mapping from masks, or a pandas Series with masks as its index"
        except ValueError as error:
            given, problem = None, str(error)
        if given is None:
            kind = type(utilities).__name__
            raise InvalidSurfaceError(
                f"response surface {name or 'without name'}: utilities, of type {kind}, are {problem}"
            )
        d = max((len(mask) for mask in given if isinstance(mask, str)), default=0)
        complete = 1 <= d <= MAX_OPTIONS and len(given) == 1 << d and set(given) == set(mask_strings(d))
        if not complete:
            raise InvalidSurfaceError(
                f"response surface {name or 'without name'}: {counted(len(given), 'mask')}, the longest of length {d}, "
                f"are not the complete cube of 2**d masks, 1 <= d <= {MAX_OPTIONS}; give each mask exactly once"
            )
        letters: Any = option_letters(d) if options is None else options
        values: Any = [given[mask] for mask in mask_strings(d)]
        return cls(letters, values, name=name)

    @property
    def d(self) -> int:
        """Number of options."""
        return len(self.options)

    @property
    def masks(self) -> tuple[str, ...]:
        """All masks in canonical order."""
        return mask_strings(self.d)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Names of the pairs of options in the order of `interactions`."""
        return tuple((self.options[i], self.options[j]) for i, j in pairs(self.d))

    def __getitem__(self, mask: str | int | Sequence[int] | IntArray) -> float:
        """Utility of one mask: a string, a rank or a row of bits, as in `whatworked.surfaces.any_mask_rank`."""
        return float(self.utilities[any_mask_rank(mask, self.d)])

    def __contains__(self, mask: object) -> bool:
        """Whether something is a mask of the cube, in any form that indexing takes."""
        try:
            return any_mask_rank(mask, self.d) >= 0
        except InvalidMaskError:
            return False

    # Indexing by rank alone would let a loop run over the utilities and end in an error behind the last one.
    __iter__: ClassVar[None] = None

    @cached_property
    def range(self) -> float:
        """Largest minus smallest utility."""
        return float(self.utilities.max() - self.utilities.min())

    @cached_property
    def best(self) -> str:
        """Mask of the largest utility; ties go to fewer options on, then to the lexically smaller mask."""
        return mask_string(int(select(self.utilities, self.d)), self.d)

    @cached_property
    def reference(self) -> EffectReference:
        """The utilities, ready for comparison with predictions."""
        return EffectReference(self.utilities)

    @cached_property
    def native_reference(self) -> EffectReference | None:
        """The native costs (the inverted utility map), ready for comparison; None where there is no map."""
        # Turned back from the utilities, as predictions are, and not taken from `native`: a right prediction then has
        # an error of exactly 0.
        return None if self.utility_map is None else EffectReference(self.utility_map.to_native(self.utilities))

    @property
    def mean_absolute_effect(self) -> float:
        """Mean size of the conditional effects over all edges: A in the definition of recovery."""
        return self.reference.mean_absolute_effect

    def effects(self) -> FloatArray:
        """Conditional effects; see `whatworked.surfaces.conditional_effects`.

        Returns
        -------
        ndarray of float64, shape (d, 2**(d-1))
            Row i is option i, columns its off-masks by ascending rank.
        """
        return _effects.conditional_effects(self.utilities)

    def effect_table(self) -> tuple[EdgeEffect, ...]:
        """All conditional effects as rows.

        Returns
        -------
        tuple of EdgeEffect, length d * 2**(d-1)
            Option by option, masks in canonical order.
        """
        return tuple(
            EdgeEffect(option, mask_string(int(rank), self.d), effect)
            for i, (option, row) in enumerate(zip(self.options, self.effects().tolist(), strict=True))
            for rank, effect in zip(edge_starts(self.d, i), row, strict=True)
        )

    def mean_effects(self) -> FloatArray:
        """Mean conditional effect of each option; see `whatworked.surfaces.mean_effects`.

        Returns
        -------
        ndarray of float64, shape (d,)
        """
        return _effects.mean_effects(self.utilities)

    def interactions(self) -> FloatArray:
        """Mean pair interactions; see `whatworked.surfaces.pair_interactions`.

        Returns
        -------
        ndarray of float64, shape (d (d-1) / 2,)
            In the order of `pairs`.
        """
        return _effects.pair_interactions(self.utilities)

    def spectrum(self) -> FloatArray:
        """Walsh-Hadamard coefficients; see `whatworked.surfaces.walsh_hadamard`.

        Returns
        -------
        ndarray of float64, shape (2**d,)
        """
        return _spectrum.walsh_hadamard(self.utilities)

    def order_shares(self) -> FloatArray:
        """Share of the cube's variance by interaction order; see `whatworked.surfaces.order_shares`.

        Returns
        -------
        ndarray of float64, shape (d + 1,)
        """
        return _spectrum.order_shares(self.utilities)

    def path_effects(self, path: Sequence[str]) -> FloatArray:
        """Change of utility at each step of a path of single switches; see `whatworked.surfaces.path_effects`.

        Parameters
        ----------
        path : sequence of str
            Masks, each differing from the one before in exactly one option.

        Returns
        -------
        ndarray of float64, shape (len(path) - 1,)

        Raises
        ------
        InvalidMaskError
            If a mask is not of the cube or a step does not switch exactly one option.
        """
        return _effects.path_effects(self.utilities, path)

    def restricted(self, fixed: Mapping[str, int]) -> ResponseSurface:
        """Subcube in which the named options keep the given settings.

        Parameters
        ----------
        fixed : mapping of option name to 0 or 1
            At least one option must stay free.

        Returns
        -------
        ResponseSurface
            Over the free options, in the same order.

        Raises
        ------
        UnknownNameError, InvalidSurfaceError
            For an option that does not exist, a setting other than 0 or 1, or no option left.

        Examples
        --------
        >>> ResponseSurface(("A", "B"), [0.0, 0.25, 0.5, 1.0]).restricted({"A": 1}).utilities.tolist()
        [0.5, 1.0]
        """
        # A pandas Series has items, too.
        fixed = dict(fixed.items()) if callable(getattr(fixed, "items", None)) else fixed
        if not isinstance(fixed, Mapping):
            raise InvalidSurfaceError(f"fixed options are {fixed!r:.200}; give a mapping from options to 0 or 1")
        for option, setting in fixed.items():
            if option not in self.options:
                raise unknown_name("option", option, self.options)
            if not isinstance(setting, int | float | np.generic) or setting not in (0, 1):
                raise InvalidSurfaceError(f"option {option} cannot be fixed at {setting!r}; settings are 0 and 1")
        free = [option for option in self.options if option not in fixed]
        if not free:
            raise InvalidSurfaceError(f"all {self.d} options are fixed; a subcube needs at least one free option")
        index = tuple(int(fixed[option]) if option in fixed else slice(None) for option in self.options)
        return self._with_cells(tuple(free), lambda values: values.reshape((2,) * self.d)[index].reshape(-1))

    def reordered(self, order: Sequence[str]) -> ResponseSurface:
        """The same surface with its options in another order, masks rewritten accordingly.

        Parameters
        ----------
        order : sequence of str
            The names of the options in their new order.

        Returns
        -------
        ResponseSurface

        Raises
        ------
        InvalidSurfaceError
            If `order` is not a permutation of `options`.
        """
        order = tuple(order) if isinstance(order, Iterable) else (order,)
        if len(order) != self.d or set(map(str, order)) != set(self.options):
            raise InvalidSurfaceError(f"{order} is not a permutation of the options {self.options}")
        axes = tuple(self.options.index(option) for option in order)
        return self._with_cells(tuple(order), lambda values: values.reshape((2,) * self.d).transpose(axes).reshape(-1))

    def renamed(self, names: Sequence[str]) -> ResponseSurface:
        """The same surface with other option names, in the same order.

        Parameters
        ----------
        names : sequence of str
            d distinct names.

        Returns
        -------
        ResponseSurface

        Raises
        ------
        InvalidSurfaceError
            If the names are not as many as there are options, or not distinct.
        """
        return replace(self, options=cast("tuple[str, ...]", names))

    def _with_cells(self, options: tuple[str, ...], pick: Callable[[FloatArray], FloatArray]) -> ResponseSurface:
        native = None if self.native is None else pick(self.native)
        return replace(self, options=options, utilities=pick(self.utilities), native=native)


def check_surface(value: object, what: str) -> ResponseSurface:
    """The value, if it is a response surface; else an `InvalidSurfaceError` that calls it `what`."""
    if not isinstance(value, ResponseSurface):
        raise InvalidSurfaceError(
            f"{what} is {shown(value)}, of type {type(value).__name__}; give a whatworked.ResponseSurface, which "
            "names the options, as whatworked.load_surface returns one"
        )
    return value


def select(tables: FloatArray, d: int) -> IntArray:
    """Rank of the largest value of each table, shape (..., 2**d) -> (...).

    Ties go to the mask with fewer options on, then to the lexically smaller one.
    """
    # argmax takes the first of equals, so the tables are put into the order of preference first.
    order = selection_order(d)
    return np.asarray(order[tables.take(order, axis=-1).argmax(axis=-1)], dtype=np.int64)
