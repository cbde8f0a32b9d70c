"""What has to run: the distinct programs of each source, in an order that keeps shared work together."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Sequence
from dataclasses import dataclass

from whatworked.catalog.catalog import Condition
from whatworked.declaration.prepared import PreparedInput
from whatworked.declaration.workflow import Workflow
from whatworked.surfaces.masks import mask_strings

Cell = tuple[str, str]
"""Condition and mask: one record of a reference table."""


@dataclass(frozen=True)
class Program:
    """One run, and the cells that its result fills.

    Attributes
    ----------
    mask : str
        Mask over all options of the workflow; a condition with fewer options leaves the last ones off.
    cells : tuple of (condition, mask)
        Where the outcome belongs. In a staged plan these are all wanted cells whose settings are equal.
    """

    mask: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class SourcePlan:
    """All programs of one source.

    Attributes
    ----------
    prepared : PreparedInput
        The source.
    workflow : Workflow
        With all its options.
    programs : tuple of Program
        Masks that share the settings of early stages stand together.
    cold : bool
        Whether every cell is a run of its own that shares nothing.
    """

    prepared: PreparedInput
    workflow: Workflow
    programs: tuple[Program, ...]
    cold: bool = False

    @property
    def cells(self) -> int:
        """Number of cells the programs fill."""
        return sum(len(program.cells) for program in self.programs)


def plan_source(
    prepared: PreparedInput,
    workflow: Workflow,
    conditions: Iterable[Condition],
    *,
    done: Container[Cell] = frozenset(),
    only: Container[Cell] | None = None,
    cold: bool = False,
) -> SourcePlan:
    """Plan the conditions of one source.

    Parameters
    ----------
    prepared : PreparedInput
        The source.
    workflow : Workflow
        The family's, with all its options.
    conditions : iterable of Condition
        Conditions on this source. The four-option one of a paired source is the subcube of its six-option one in which
        the last two options are off, so the two share their runs.
    done : container of (condition, mask)
        Cells that are not needed any more.
    only : container of (condition, mask), optional
        Cells to restrict the plan to.
    cold : bool
        One run per cell instead of one per distinct program.
    """
    cells = [
        (condition.id, mask)
        for condition in conditions
        for mask in mask_strings(condition.dimensions)
        if (condition.id, mask) not in done and (only is None or (condition.id, mask) in only)
    ]
    masks = {cell: cell[1].ljust(workflow.d, "0") for cell in cells}
    if cold:
        return SourcePlan(prepared, workflow, tuple(Program(masks[cell], (cell,)) for cell in cells), cold=True)
    by_settings: dict[tuple[Hashable, ...], list[Cell]] = {}
    for cell in cells:
        by_settings.setdefault(workflow.settings(masks[cell]), []).append(cell)
    ordered = tree_order(list(by_settings))
    return SourcePlan(
        prepared, workflow, tuple(Program(masks[by_settings[key][0]], tuple(by_settings[key])) for key in ordered)
    )


def tree_order(programs: Sequence[tuple[Hashable, ...]]) -> list[tuple[Hashable, ...]]:
    """Settings tuples in depth-first order of the tree of their prefixes, branches by first appearance.

    Examples
    --------
    >>> tree_order([("raw", 1), ("log", 1), ("raw", 2)])
    [('raw', 1), ('raw', 2), ('log', 1)]
    """
    seen: dict[tuple[int, Hashable], int] = {}

    def branches(program: tuple[Hashable, ...]) -> list[int]:
        return [seen.setdefault((stage, setting), len(seen)) for stage, setting in enumerate(program)]

    ranked = {program: branches(program) for program in programs}
    return sorted(programs, key=ranked.__getitem__)
