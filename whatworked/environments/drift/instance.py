"""An instance as the rules use it: bodies and labels as numbers, every default filled in."""

from __future__ import annotations

import msgspec

from whatworked.environments.drift.inventory import KIND_OF, PLACE_OF
from whatworked.environments.drift.layout import InstanceFile

Transform = tuple[int, int, int, int]


class Order(msgspec.Struct, frozen=True):
    """The two ordered acts.

    Attributes
    ----------
    tick : int
        When the caretakers act.
    beacon, fen, consignment : int
        The beacon that is stamped, the fen body that is rewritten, the consignment that names the beacon.
    verb : str
        What is done to the fen body.
    """

    tick: int
    beacon: int
    fen: int
    consignment: int
    verb: str


class Instance(msgspec.Struct, frozen=True):
    """The sealed facts of one world.

    Attributes
    ----------
    file : InstanceFile
        What it was made from.
    kind_places : tuple of int
        Place of each kind in the service cycle, by number of the kind.
    moves : dict of str to tuple of int
        The coordinate that a rewriting verb moves, by number of the kind.
    feed_step : int
        By how much a feed raises a state.
    labels : tuple of int
        Labels at tick 0, by body.
    states : dict of int to int
        State at tick 0, by label.
    transforms : tuple of four integers each
        By body; see `reading`.
    bases : tuple of int
        Tallies at the crossing, by place of the fen body.
    stock : tuple of int
        By fen site.
    backlog : tuple of int
        Ticks since the last mark at tick 0, by place of the printer.
    joins : dict of int to tuple of int
        Consignments that join the waiting list, by tick.
    latched : frozenset of int
        Bodies whose acts read idle until a request is served on them.
    schedule : dict of int to tuple of (int, int, int)
        Bodies, coordinates and values that the caretakers set, by tick.
    stall : dict of int to int
        The label that each outside body is set to at the stall.
    order : Order
        The standing order.
    ranks : tuple of int
        Place of each body in the order in which an individual's own acts go round.
    """

    file: InstanceFile
    kind_places: tuple[int, ...]
    moves: dict[str, tuple[int, ...]]
    feed_step: int
    labels: tuple[int, ...]
    states: dict[int, int]
    transforms: tuple[Transform, ...]
    bases: tuple[int, ...]
    stock: tuple[int, ...]
    backlog: tuple[int, ...]
    joins: dict[int, tuple[int, ...]]
    latched: frozenset[int]
    schedule: dict[int, tuple[tuple[int, int, int], ...]]
    stall: dict[int, int]
    order: Order
    ranks: tuple[int, ...]

    def moved_coordinate(self, verb: str, body: int) -> int:
        """The coordinate that a rewriting verb moves on a body."""
        return self.moves[verb][KIND_OF[body]]

    def reading(self, body: int, state: int) -> int:
        """What a body reads out for its individual's state: linear up to a bound, then with another slope."""
        slope, shift, bound, beyond = self.transforms[body]
        return slope * min(state, bound) + shift + beyond * max(0, state - bound)


def service_ranks(kind_places: tuple[int, ...]) -> tuple[int, ...]:
    """Place of each body when all are sorted by their kind's place in the cycle, then by their place in the kind."""
    order = sorted(range(len(KIND_OF)), key=lambda body: (kind_places[KIND_OF[body]], PLACE_OF[body]))
    return tuple(order.index(body) for body in range(len(KIND_OF)))
