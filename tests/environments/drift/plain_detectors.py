"""The eighteen detectors once more, each asked of a whole prefix of a trace; the oracle of the package's own.

It shares no code with the package and remembers nothing from one prefix to the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise, product
from typing import Any

VERBS = ("feed", "release", "stamp", "retool", "cull")
ROWS = {"tally": "intake-tallyboard", "marks": "job-strip", "counter": "audit-counter"}
Line = dict[str, Any]


class Prefix:
    def __init__(self, lines: list[Line], moving: set[int]) -> None:
        self.lines, self.moving = lines, moving
        self.obs: list[tuple[str, int, int, Any, int, bool]] = []
        self.acts: list[tuple[str, str, int, int, int]] = []
        self.s2: set[str] = set()
        for pos, line in enumerate(lines):
            if line["outcome"] == "read":
                content = line["reading"][-1][1] if line["target"] == "job-strip" else line["reading"]
                self.obs.append((line["target"], line["pass"], line["tick"], content, pos, False))
            if line["outcome"] in ("acknowledged", "deferred"):
                self.acts.append((line["verb"], line["target"], line["pass"], line["tick"], pos))
            for post in line.get("posted", []):
                for row in post["rows"]:
                    if post["stream"] == "S2":
                        self.s2.add(row["verb"])
                        continue
                    for name, instrument in ROWS.items():
                        if name in row:
                            self.obs.append((instrument, post["pass"], row["tick"], row[name], pos, True))

    def of(self, instrument: str, pass_: int | None = None) -> list[Any]:
        return [o for o in self.obs if o[0] == instrument and pass_ in (None, o[1])]

    def brackets(self, instrument: str) -> Iterator[tuple[Any, Any, Any]]:
        for act in self.acts:
            before = [o for o in self.of(instrument, act[2]) if o[2] < act[3] and o[4] < act[4]]
            after = [o for o in self.of(instrument, act[2]) if o[2] >= act[3]]
            if before and after:
                yield act, max(before, key=lambda o: o[2]), min(after, key=lambda o: o[2])

    def attributable(self, found: tuple[Any, Any, Any]) -> bool:
        act, before, after = found
        inside = range(before[2] + 1, after[2] + 1)
        others = [a for a in self.acts if a != act and a[2] == act[2] and a[3] in inside]
        return not others and not self.moving & set(inside)


def fen(name: str) -> bool:
    return name.startswith(("grazer", "feeder"))


def fe1(p: Prefix) -> bool:
    return any(
        a[2] < act[3] <= b[2] and a[3] != b[3]
        for act in p.acts
        if act[0] in ("release", "cull") and fen(act[1])
        for a, b in product(p.of("intake-tallyboard", act[2]), repeat=2)
    )


def fe2(p: Prefix) -> bool:
    return len({act[1] for act, _, _ in p.brackets("intake-tallyboard") if fen(act[1])}) > 1


def fe3(p: Prefix) -> bool:
    return any(
        o[2] in range(before[2], after[2] + 1)
        for act, before, after in p.brackets("intake-tallyboard")
        if fen(act[1])
        for o in p.of("mat-gauge", act[2])
    )


def tr1(p: Prefix) -> bool:
    printers = [f"printer-b{n}" for n in range(1, 8)]
    bracketed = {act[1] for act, _, _ in p.brackets("job-strip")}
    rows = p.of("job-strip")
    for x, y in combinations(printers, 2):
        exclusive = {(o[1], o[2]) for o in rows if (x in o[3]) != (y in o[3])}
        if len(exclusive) > 1 or (exclusive and {x, y} & bracketed):
            return True
    return False


def pairs(p: Prefix) -> Iterator[tuple[Any, Any]]:
    for one, two in combinations(p.acts, 2):
        if one[1] == two[1] and one[2] == two[2] and one[1].startswith("printer"):
            yield one, two


def tr2(p: Prefix) -> bool:
    return any(
        two[3] - one[3] <= 4
        and any(o[2] <= one[3] for o in p.of("job-strip", one[2]))
        and any(o[2] >= two[3] for o in p.of("job-strip", one[2]))
        for one, two in pairs(p)
    )


def tr3(p: Prefix) -> bool:
    for one, two in pairs(p):
        ticks = [o[2] for o in p.of("job-strip", one[2]) + p.of("tool-rack", one[2])]
        if (
            one[0] == two[0] == "retool"
            and any(one[3] <= t < two[3] for t in ticks)
            and any(t >= two[3] for t in ticks)
        ):
            return True
    return False


def ld1(p: Prefix) -> bool:
    for pass_ in {o[1] for o in p.obs}:
        places = sorted(o[4] for o in p.of("answer-board", pass_))
        for one, two in pairwise(places):
            verbs = [line["verb"] for line in p.lines[one + 1 : two]]
            if len(places) > 2 and "wait" in verbs and not set(verbs) & set(VERBS):
                return True
    return False


def ld2(p: Prefix) -> bool:
    found = [act for act, _, _ in p.brackets("answer-board") if act[1].startswith("beacon")]
    return any(
        (a[0] == "stamp") != (b[0] == "stamp") and a[1] != b[1] and a[2] == b[2] for a, b in combinations(found, 2)
    )


def ld3(p: Prefix) -> bool:
    def acted(o: Any) -> bool:
        return any(act[2] == o[1] and (act[3] <= o[2] if o[5] else act[3] < o[2]) for act in p.acts)

    return any(
        a[0] == b[0] != "pass-ledger" and a[2] == b[2] and a[1] != b[1] and a[3] != b[3] and acted(a) != acted(b)
        for a, b in combinations(p.obs, 2)
    )


def co1(p: Prefix) -> bool:
    for pass_ in {o[1] for o in p.obs}:
        seen = [o[3] for o in sorted(p.of("manifest-slate", pass_), key=lambda o: o[2])]
        grown = [n for n in range(1, len(seen)) if seen[n]["released"] != seen[n - 1]["released"]]
        if len(seen) >= 6 and len(seen[-1]["released"]) >= 2 and grown:
            changed = [n for n in range(1, len(seen)) if seen[n]["waiting"] != seen[n - 1]["waiting"]]
            if sum(grown[0] <= n <= grown[-1] for n in changed) >= 2:
                return True
    return False


def co2(p: Prefix) -> bool:
    return any(
        act[0] == "stamp" and act[1].startswith("consignment") and 8 <= act[3] <= 16
        for act, _, _ in p.brackets("manifest-slate")
    )


def co3(p: Prefix) -> bool:
    return any(
        p.attributable(found) and found[1][3]["waiting"] != found[2][3]["waiting"]
        for found in p.brackets("manifest-slate")
    )


def ca1(p: Prefix) -> bool:
    passes = {o[1] for o in p.of("audit-counter")}
    return any(o[1] in passes for o in p.of("standing-roster") + p.of("manifest-slate"))


def ca2(p: Prefix) -> bool:
    return any(
        found[1][2] >= 1 and found[2][2] <= 19 and p.attributable(found) for found in p.brackets("audit-counter")
    )


def ca3(p: Prefix) -> bool:
    return any(o[3] != [] and o[2] < 20 for o in p.of("pass-ledger"))


def xc1(p: Prefix) -> bool:
    return p.acts != []


def xc2(p: Prefix) -> bool:
    return len(p.s2 | {act[0] for act, _, _ in p.brackets("audit-counter")}) >= 3


def xc3(p: Prefix) -> bool:
    found = [act for act, before, after in p.brackets("audit-counter") if p.attributable((act, before, after))]
    return len(found) >= 3 and len({act[2] for act in found}) >= 2


RULES = {rule.__name__.upper(): rule for rule in (
    fe1, fe2, fe3, tr1, tr2, tr3, ld1, ld2, ld3, co1, co2, co3, ca1, ca2, ca3, xc1, xc2, xc3
)}  # fmt: skip


def plain_truths(lines: list[Line], moving: set[int]) -> dict[str, int | None]:
    found: dict[str, int | None] = dict.fromkeys(RULES)
    for end in range(1, len(lines) + 1):
        prefix = Prefix(lines[:end], moving)
        for block, rule in RULES.items():
            if found[block] is None and rule(prefix):
                found[block] = lines[end - 1]["paid"]
    return found
