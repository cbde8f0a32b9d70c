"""Count the rooms of the package, the floors they stand on, the arrows between them, and the cycles.

A room is a folder or a loose module directly below ``whatworked``; the folders that the installer maps there count as
if they lay inside. An arrow leads from one room to another that it imports from, at the head of a module or inside a
function. Imports for the type checker alone are left out, since nothing runs them. Floors are the rooms on the longest
chain of arrows, each cycle of rooms taken as one.

    python tools/house.py [CHECKOUT …]
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.util import resolve_name
from pathlib import Path

import networkx as nx

PACKAGE = "whatworked"


@dataclass(frozen=True)
class House:
    """What each module of a checkout imports from the package itself.

    Attributes
    ----------
    imports : mapping of str to set of str
        Modules by their full names, and the modules of the package that each imports.
    """

    imports: Mapping[str, frozenset[str]]

    @cached_property
    def modules(self) -> nx.DiGraph:
        """Graph of the imports between modules."""
        graph = nx.DiGraph()
        graph.add_nodes_from(self.imports)
        graph.add_edges_from((module, other) for module, others in self.imports.items() for other in others)
        return graph

    @cached_property
    def rooms(self) -> nx.DiGraph:
        """Graph of the imports between rooms."""
        graph = nx.DiGraph()
        graph.add_nodes_from(map(room, self.imports))
        pairs = ((room(module), room(other)) for module, other in self.modules.edges)
        graph.add_edges_from((left, right) for left, right in pairs if left != right)
        return graph

    @property
    def floors(self) -> int:
        """Number of rooms on the longest chain of imports, cycles counted as one room."""
        return int(nx.dag_longest_path_length(nx.condensation(self.rooms))) + 1


def room(module: str) -> str:
    """Name of the room that a module stands in; the package's own front page is a room of its own."""
    return module.split(".")[1] if "." in module else module


def cycles(graph: nx.DiGraph) -> list[tuple[str, ...]]:
    """Groups of nodes that reach one another, each sorted, in order of their first names."""
    return sorted(tuple(sorted(group)) for group in nx.strongly_connected_components(graph) if len(group) > 1)


def read_house(checkout: Path) -> House:
    """Read all modules of a checkout without running them.

    Raises
    ------
    SystemExit
        If the folder has no pyproject.toml that places the package.
    """
    try:
        placed = tomllib.loads((checkout / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"]
    except (OSError, KeyError) as error:
        raise SystemExit(f"{checkout} is no checkout: no package-dir in its pyproject.toml") from error
    files = {
        _module_name(name, path.relative_to(checkout / folder)): path
        for name, folder in placed.items()
        for path in (checkout / folder).rglob("*.py")
    }
    packages = {name for name, path in files.items() if path.name == "__init__.py"}
    return House(
        {
            name: frozenset(_imported(ast.parse(path.read_bytes()), name, name in packages, files)) - {name}
            for name, path in sorted(files.items())
        }
    )


def _module_name(package: str, path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join([package, *(parts[:-1] if parts[-1] == "__init__" else parts)])


def _imported(tree: ast.AST, module: str, is_package: bool, known: Iterable[str]) -> Iterator[str]:
    """Modules among `known` that a tree imports: the submodule where there is one, else what holds the name."""
    package = module if is_package else module.rpartition(".")[0]
    for node in _run_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            origin = resolve_name("." * node.level + (node.module or ""), package)
            for alias in node.names:
                yield from [name for name in (f"{origin}.{alias.name}", origin) if name in known][:1]


def _run_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below one, but for the bodies of ``if TYPE_CHECKING``."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            for other in child.orelse:
                yield other
                yield from _run_nodes(other)
        else:
            yield child
            yield from _run_nodes(child)


def table(houses: Mapping[str, House]) -> str:
    """Figures of some houses in columns, and below them the cycles by name."""
    rows: list[tuple[str, ...]] = [("", *houses)]
    figures: dict[str, Callable[[House], int]] = {
        "modules": lambda house: house.modules.number_of_nodes(),
        "rooms": lambda house: house.rooms.number_of_nodes(),
        "floors": lambda house: house.floors,
        "arrows between rooms": lambda house: house.rooms.number_of_edges(),
        "cycles of rooms": lambda house: len(cycles(house.rooms)),
        "cycles of modules": lambda house: len(cycles(house.modules)),
    }
    rows += [(what, *(str(figure(house)) for house in houses.values())) for what, figure in figures.items()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.rjust(width) if place else cell.ljust(width) for place, (cell, width) in enumerate(cells))
        for cells in (list(zip(row, widths, strict=True)) for row in rows)
    ]
    for name, house in houses.items():
        for what, graph in (("rooms", house.rooms), ("modules", house.modules)):
            lines += [f"{name}: cycle of {what}: {', '.join(group)}" for group in cycles(graph)]
    return "\n".join(line.rstrip() for line in lines)


def main(arguments: list[str]) -> None:
    """Print the figures of the named checkouts, or of this one."""
    checkouts = [Path(argument) for argument in arguments] or [Path(__file__).resolve().parent.parent]
    sys.stdout.write(table({str(path): read_house(path) for path in checkouts}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
