"""The epistemic structure: blocks, what each rests on, and the hyperedges that join blocks of several domains."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

BLOCKS: tuple[str, ...] = (
    *("FE1", "FE2", "FE3", "TR1", "TR2", "TR3", "LD1", "LD2", "LD3"),
    *("CO1", "CO2", "CO3", "CA1", "CA2", "CA3", "XC1", "XC2", "XC3"),
)
"""The eighteen blocks: three a domain, and three bridges."""
BRIDGES = ("XC1", "XC2", "XC3")
PASSIVE = ("TR1", "LD1", "CO1", "CA1")
"""Blocks whose evidence a reader who never acts can hold."""
READING_ONLY = (*PASSIVE, "CA3")
"""The same with the ledger's, whose other half is a stated expectation."""
STATED_BY_DOCUMENT = ("FE1", "TR2", "CO1", "CO3", "RC1")
"""Criteria that the disclosed document states; a copy of it must ground none of them."""
CHANGES = ("RC1", "RC2", "RC3")
"""The three changes of representation."""
EdgeKind: TypeAlias = Literal["joint", "alternative", "supporting"]


class Edge(NamedTuple):
    """A block rests on another.

    Attributes
    ----------
    block, on : str
        What rests on what.
    kind : {"joint", "alternative", "supporting"}
        All joint ones are needed, one of the alternative ones, none of the supporting ones.
    """

    block: str
    on: str
    kind: EdgeKind


def _edges(block: str, joint: str = "", alternative: str = "", supporting: str = "") -> tuple[Edge, ...]:
    kinds: dict[EdgeKind, str] = {"joint": joint, "alternative": alternative, "supporting": supporting}
    return tuple(Edge(block, on, kind) for kind, blocks in kinds.items() for on in blocks.split())


EDGES: tuple[Edge, ...] = (
    *_edges("FE1", supporting="TR2"),
    *_edges("FE2", "FE1"),
    *_edges("FE3", "FE2", supporting="XC3"),
    *_edges("TR1", supporting="CA1"),
    *_edges("TR2", "TR1"),
    *_edges("TR3", "TR2"),
    *_edges("LD1", supporting="TR1"),
    *_edges("LD2", "LD1 TR1"),
    *_edges("LD3", "LD2"),
    *_edges("CO1", "CO3"),
    *_edges("CO2", alternative="TR1 FE1"),
    *_edges("CO3", "CO2"),
    *_edges("CA2", "CA1 TR1 FE1"),
    *_edges("CA3", "CA2 XC3"),
    *_edges("XC1", "FE2 TR3 CA2"),
    *_edges("XC2", "LD3 CO2"),
    *_edges("XC3", "CA2", supporting="TR3"),
)
"""The 27 support edges."""
HYPEREDGES: dict[str, tuple[str, ...]] = {
    "H1": ("FE1", "TR1", "LD1"),
    "H2": ("LD3", "CO2", "CA2"),
    "H3": ("XC1", "XC2", "CO1"),
    "HC": ("FE3", "TR3", "CO1", "CA3", "XC2"),
}
"""Blocks that together support the three changes, and the prediction."""
SOURCES: dict[str, tuple[str, ...]] = {change: HYPEREDGES[f"H{change[-1]}"] for change in CHANGES}
"""The three blocks that each change rests on."""
