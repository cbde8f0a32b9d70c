"""The drift once more, written down from its specification in the plainest way: the oracle of the engine's tests.

It shares no code with the package. Individuals are lists of bodies; everything is worked out anew in every tick.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

KINDS = ["fen", "trellis", "ladder", "consign", "cadastre"]
NAMES = {
    "fen": [f"grazer-a{n}" for n in (1, 2, 3, 4)] + [f"feeder-{n}" for n in (1, 2, 3)],
    "trellis": [f"printer-b{n}" for n in range(1, 8)],
    "ladder": [f"beacon-c{n}" for n in range(1, 7)] + ["beacon-k"],
    "consign": [f"consignment-d{n}" for n in range(1, 8)] + ["consignment-q"],
    "cadastre": [f"registry-line-{n}" for n in range(1, 8)],
}
ORDER = [name for kind in KINDS for name in NAMES[kind]]
KIND = {name: kind for kind in KINDS for name in NAMES[kind]}
MODULUS = [3, 3, 4, 4]
GROUNDS = {
    "fen-shallows": ["grazer-a4", "feeder-1", "feeder-2", "feeder-3"],
    "mat-bank": ["grazer-a1", "grazer-a2"],
    "mat-gallery": ["grazer-a3"],
}


@dataclass
class Group:
    """An individual."""

    label: tuple[int, ...]
    bodies: set[str]
    state: int
    offset: int = 0
    queue: list[tuple[int, str, str]] = field(default_factory=list)


class PlainPass:
    """One pass of an instance's file, with its defaults."""

    def __init__(self, file: dict[str, Any], ordered: bool = False) -> None:
        self.file, self.ordered, self.t, self.arrival = file, ordered, 0, 0
        self.label = {name: tuple(file["labels"][name]) for name in ORDER}
        stated = {tuple(label): state for label, state in file.get("states", [])}
        self.groups = [
            Group(label, {n for n in ORDER if self.label[n] == label}, stated.get(label, 1))
            for label in dict.fromkeys(self.label.values())
        ]
        self.seeded = {n: self.reads(n, self.group(n).state) for n in ORDER}
        self.tally = {n: file.get("bases", {}).get(n, 0) for n in NAMES["fen"]}
        self.base = dict(self.tally)
        self.last = {n: -file.get("backlog", {}).get(n, 0) for n in NAMES["trellis"]}
        self.latched = set(file.get("latched", ["printer-b1", "beacon-c1"]))
        self.rows: list[list[Any]] = []
        self.counters: list[int] = []
        self.dial = {"beacon-c3": 0, "beacon-c5": 0}
        self.moves = {"consignment-d4": 0, "consignment-d5": 0, "consignment-q": 0}
        self.answers: list[str] = []
        self.waiting: list[str] = []
        self.released: list[str] = []
        self.moved: list[str] = []

    def group(self, body: str) -> Group:
        return next(group for group in self.groups if body in group.bodies)

    def reads(self, body: str, state: int) -> int:
        a, b, bound, g = self.file.get("transforms", {}).get(body, [1, 0, 99, 0])
        return a * min(state, bound) + b + g * max(0, state - bound)

    def relabel(self, changes: dict[str, tuple[int, ...]]) -> None:
        old = dict(self.label)
        home = {name: self.group(name) for name in ORDER}
        self.label.update(changes)
        requests = [asked for group in self.groups for asked in group.queue]
        groups = []
        for label in dict.fromkeys(self.label.values()):
            bodies = {n for n in ORDER if self.label[n] == label}
            stayed = [n for n in bodies if old[n] == label]
            state = max(home[n].state for n in bodies)
            offset = home[stayed[0]].offset if stayed else 0
            groups.append(Group(label, bodies, state, offset, [asked for asked in requests if asked[2] in bodies]))
        self.groups = groups

    def ask(self, verb: str, body: str) -> int:
        self.group(body).queue.append((self.arrival, verb, body))
        self.arrival += 1
        return self.arrival - 1

    def tick(self, verb: str | None = None, body: str | None = None) -> str | None:
        t, file, cycle = self.t, self.file, self.file["kinds"]
        if t == 20:
            self.relabel({name: tuple(label) for label, names in file["stall"] for name in names})
        elif str(t) in file.get("schedule", {}):
            new = {}
            for name, coordinate, value in file["schedule"][str(t)]:
                label = list(new.get(name, self.label[name]))
                label[coordinate] = value
                new[name] = tuple(label)
            self.relabel(new)
        due = file.get("due", {})
        self.waiting += [n for n in NAMES["consign"] if due.get(n) == t]
        for name in NAMES["consign"]:
            if due.get(name) == t - 2 and name in self.waiting:
                self.ask("move", name)
        if self.ordered and t == file["order"]["tick"]:
            self.ask("stamp", file["order"]["beacon"])
            self.ask("retool", "feeder-3")
        mine, fate = None, None
        if verb is not None and body is not None:
            fate = "refused"
            if len(self.group(body).queue) < 4:
                mine, fate = self.ask(verb, body), "deferred"
        acts = []
        for group in self.groups:
            members = sorted(group.bodies, key=lambda n: (cycle.index(KIND[n]), NAMES[KIND[n]].index(n)))
            if group.queue:
                group.queue.sort(
                    key=lambda asked: (
                        (cycle.index(KIND[asked[2]]) - t) % 5,
                        (NAMES[KIND[asked[2]]].index(asked[2]) - t) % len(NAMES[KIND[asked[2]]]),
                        asked[0],
                    )
                )
                number, what, name = group.queue.pop(0)
                if number == mine:
                    fate = "acknowledged"
                acts.append((group, name, what))
                if what == "feed":
                    group.state += file["feed_step"]
                if what == "release":
                    group.offset = (members.index(name) - t) % len(members)
                self.latched.discard(name)
            else:
                acts.append((group, members[(t + group.offset) % len(members)], None))
        acts.sort(key=lambda act: ORDER.index(act[1]))
        marks, self.answers, self.moved, new = [], [], [], {}
        for group, name, what in acts:
            kind = KIND[name]
            if kind == "fen":
                self.tally[name] += self.reads(name, group.state)
            if kind == "trellis" and name not in self.latched:
                marks.append(name)
                self.last[name] = t
            if kind == "ladder" and name not in self.latched:
                self.answers.append(name)
                if name in self.dial:
                    self.dial[name] += 1
            if kind == "consign":
                self.moved.append(name)
                if name in self.moves:
                    self.moves[name] += 1
                if name in self.waiting and what in (None, "move", "release"):
                    self.waiting.remove(name)
                    self.released.append(name)
            if what in ("stamp", "retool", "cull"):
                c = file["w"][what][kind]
                label = list(self.label[name])
                label[c] = (label[c] + 1) % MODULUS[c]
                new[name] = tuple(label)
        self.relabel(new)
        self.rows.append([t, marks])
        self.counters.append(len(self.groups))
        self.t += 1
        return fate

    def readings(self) -> dict[str, Any]:
        """What every instrument but the ledger shows after the last tick."""
        t, due = self.t - 1, self.file.get("due", {})
        stock = self.file.get("stock", {})
        return {
            "intake-tallyboard": dict(self.tally),
            "mat-gauge": {
                site: stock.get(site, 100) - sum(self.tally[n] - self.base[n] for n in names)
                for site, names in GROUNDS.items()
            },
            "job-strip": self.rows[-4:],
            "tool-rack": {name: t - self.last[name] for name in NAMES["trellis"]},
            "answer-board": self.answers,
            "charge-dial": dict(self.dial),
            "manifest-slate": {"waiting": self.waiting, "released": self.released, "moved": self.moved},
            "berth-scale": {name: [due.get(name), moved] for name, moved in self.moves.items()},
            "audit-counter": self.counters[-1],
            "standing-roster": self.seeded,
        }
