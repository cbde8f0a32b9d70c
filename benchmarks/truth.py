"""Does `process truth` find what was put into games, and nothing that was not?

Run: python benchmarks/truth.py [--games 6] [--spoken 280] [--out FOLDER]

Scripted players buy pairs of masks and state effects in notes. Each game draws four habits apart from each other: to
measure an effect before it is stated (and not to guess it, and buy as many masks at random), to predict it before it
is measured, to say how a result came out, and to claim of every setting what was measured at one. In one arm the table
that is handed in adds up what the player believes; in the other a helper is fitted, and beliefs do not matter. All
buy equally many. A judge of rules, which knows these notes, scores the games; then measures stand against knowledge.

Measuring must go with grounded beliefs, with true ones, and in the first arm with the error of the table; saying
and predicting must not.

Then games of the players that speak, with and without faults, are put beside the truth twice: by their known graphs,
and by those that the judge of rules makes of them.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whatworked.environments.protocol import Call
from whatworked.episodes.about import About, note_player
from whatworked.episodes.effects import effects_environment
from whatworked.episodes.episode import Episode
from whatworked.judging import RuleJudge
from whatworked.judging.judges import RuleFunction
from whatworked.process.graph import write_graph
from whatworked.process.juries import score
from whatworked.process.records import convert
from whatworked.process.testbed import known_graph, rule_judge, speaking_games
from whatworked.process.truth import StatedEffect, read_games, relations, stated_effects, tallies
from whatworked.report.process import write_truth_page
from whatworked.surfaces import mask_strings

CONDITIONS = (
    "spambase__d6", "concrete__d6", "wine__d6", "co2__d6", "astronaut__d6", "scifact__d6", "mitdb_100__d6",
    "mitdb_101__d6", "mitdb_102__d6", "mitdb_103__d6", "graph_adjnoun__d6", "graph_dolphins__d6", "graph_football__d6",
    "graph_lesmis__d6",
)  # fmt: skip
BUDGETS = (8, 16)
SPOKEN = (
    "wine__d6", "concrete__d6", "graph_lesmis__d6", "spambase__d6", "scifact__d6", "astronaut__d6", "mitdb_103__d6",
    "mitdb_101__d6", "graph_dolphins__d6", "graph_football__d6",
)  # fmt: skip
LETTERS = "ABCDEF"
SAID = re.compile(r"(belief|prediction): (.+)$", re.MULTILINE)
HELD, FAILED = "It came out as predicted.", "It came out against the prediction."


@dataclass
class Player:
    """One game's habits, each a probability."""

    draw: random.Random
    measures: float
    predicts: float
    says: float
    overclaims: float
    believed: dict[int, list[float]] = field(default_factory=dict)

    def play(self, episode: Episode, *, from_beliefs: bool) -> None:
        seen = dict(self._look(episode))
        left = int(episode.opening.budgets["credits"])
        while left >= 2:
            option = self.draw.randrange(6)
            low, high = self._pair(option)
            others = f"{low[:option]}-{low[option + 1 :]}"
            if self.draw.random() < self.measures:
                if low in seen or high in seen:
                    continue
                guess = self.draw.choice(("raises", "lowers"))
                predicted = self.draw.random() < self.predicts
                if predicted:
                    self._note(episode, f"prediction: {LETTERS[option]} {guess} the utility at {others}.")
                seen |= self._buy(episode, [low, high])
                effect = seen[high] - seen[low]
                self._note(episode, f"belief: {_told(option, effect)} at {others}.")
                if self.draw.random() < self.says:
                    self._note(episode, HELD if predicted and (effect > 0) == (guess == "raises") else FAILED)
                if self.draw.random() < self.overclaims:
                    verb = "raises" if effect > 0 else "lowers"
                    self._note(episode, f"belief: {LETTERS[option]} always {verb} the utility.")
            else:
                fresh = [mask for mask in mask_strings(6) if mask not in seen]
                seen |= self._buy(episode, self.draw.sample(fresh, 2))
                effect = self.draw.uniform(-0.3, 0.3)
                self._note(episode, f"belief: {_told(option, effect)} at {others}.")
            self.believed.setdefault(option, []).append(effect)
            left -= 2
        handed: Mapping[str, Any] = {"predictions": self._table(seen)} if from_beliefs else {"estimator": "ridge_pair"}
        _call(episode, "submit_diagnosis", **handed)

    def _pair(self, option: int) -> tuple[str, str]:
        others = [self.draw.choice("01") for _ in range(6)]
        low, high = ("".join([*others[:option], bit, *others[option + 1 :]]) for bit in "01")
        return low, high

    def _look(self, episode: Episode) -> dict[str, float]:
        told = _call(episode, "current_evidence")["observations"]
        return {entry["mask"]: entry["utility"] for entry in told}

    def _buy(self, episode: Episode, masks: list[str]) -> dict[str, float]:
        told = _call(episode, "observe_many", masks=masks)["observations"]
        return {entry["mask"]: entry["utility"] for entry in told}

    def _note(self, episode: Episode, text: str) -> None:
        _call(episode, "note", text=text)

    def _table(self, seen: Mapping[str, float]) -> dict[str, float]:
        """The utility of all off, and what each option is believed to add."""
        adds = {option: sum(values) / len(values) for option, values in self.believed.items()}
        base = seen["000000"]
        return {
            mask: min(1.0, max(0.0, base + sum(adds.get(place, 0.0) for place, bit in enumerate(mask) if bit == "1")))
            for mask in mask_strings(6)
        }


def _call(episode: Episode, tool: str, **arguments: Any) -> Mapping[str, Any]:
    reply = episode.call(Call(tool=tool, arguments=arguments))
    if reply.refused is not None:
        raise SystemExit(f"{tool}: {reply.refused.message}")
    if tool == "submit_diagnosis" and not reply.result["delivered"]:
        return _call(episode, tool, **arguments)
    return reply.result


def _told(option: int, effect: float) -> str:
    if abs(effect) < 5e-4:
        return f"{LETTERS[option]} has no effect"
    return f"{LETTERS[option]} {'raises' if effect > 0 else 'lowers'} the utility by {abs(effect):.3f}"


# The judge: rules for these notes, each for a question of process scoring


def _idea(text: str) -> str | None:
    found = stated_effects(text, LETTERS)
    if not found:
        return None
    fixed = dict(found[0].background)
    others = "".join("*" if place == found[0].option else str(fixed.get(place, "-")) for place in range(6))
    return f"{LETTERS[found[0].option]} at {others}"


def _tested(text: str) -> str | None:
    """The idea that two masks test, which differ in one option."""
    masks = re.findall(r"\b[01]{6}\b", text)[:2]
    if len(masks) < 2:
        return None
    differing = [place for place in range(6) if masks[0][place] != masks[1][place]]
    if len(differing) != 1:
        return None
    place = differing[0]
    return f"{LETTERS[place]} at {masks[0][:place]}*{masks[0][place + 1 :]}"


def _extract(fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
    del vote
    acts: list[dict[str, Any]] = []
    said: list[dict[str, Any]] = []
    launched: dict[int, str | None] = {}
    for label, text in fields["steps"]:
        step, what = int(label.split(".")[0]), label.split(".")[1]
        if what == "writes":
            said += [
                {"type": found[1], "step": step, "quote": found[2], "idea": _idea(found[2])}
                for found in SAID.finditer(text)
            ]
        elif what == "action" and text.startswith("masks: "):
            launched[step] = _tested(text)
            acts.append(_act("launch", step, text, launched[step]))
        elif what == "result" and step in launched:
            acts.append(_act("check", step, "\n".join(text.split("\n")[:2]), launched[step], [step]))
    return {"acts": acts, "propositions": said}


def _act(kind: str, step: int, quote: str, idea: str | None, shows: list[int] | None = None) -> dict[str, Any]:
    return {"type": kind, "step": step, "quote": quote, "idea": idea, "shows": shows or [], "builds_on": None}


def _ends(effect: StatedEffect) -> tuple[str, str] | None:
    fixed = dict(effect.background)
    if len(fixed) < 5:
        return None
    low, high = ("".join(bit if place == effect.option else str(fixed[place]) for place in range(6)) for bit in "01")
    return low, high


def _values(text: str) -> dict[str, float]:
    return {mask: float(value) for mask, value in re.findall(r"\b([01]{6}): ([\d.e-]+)", text)}


def _ground(fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
    """The result that shows both ends; of what is claimed of every setting, the last that shows one of its effects."""
    del vote
    (effect,) = stated_effects(dict(fields["statement"])["said"], LETTERS)
    ends = _ends(effect)
    for label, text in reversed(fields["results"]):
        shown = _values(text)
        tested = _tested(text) or ""
        rests = tested.startswith(LETTERS[effect.option]) if ends is None else set(ends) <= shown.keys()
        if rests:
            return {"rests_on": label, "quote": next(line for line in text.split("\n") if _values(line))}
    return {"rests_on": "none", "quote": ""}


def _result(fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
    del vote
    shown, tested = _values(fields["result"]), _tested(fields["result"])
    if tested != fields["idea"]:
        return {"verdict": "silent", "quote": ""}
    (low, low_value), (high, high_value) = list(shown.items())[:2]
    effect = (high_value - low_value) * (1 if high > low else -1)
    stated = [effects[0].direction for _, text in fields["statements"] if (effects := stated_effects(text, LETTERS))]
    towards = stated[-1] if stated else 1
    verdict = "inconclusive" if abs(effect) < 5e-4 else "confirms" if effect * towards > 0 else "contradicts"
    return {"verdict": verdict, "quote": f"{high}: "}


def _said(fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
    del vote
    for where, words in fields["words"][:2]:
        for sign, reading in ((HELD, "favourable"), (FAILED, "adverse")):
            if sign in words:
                return {"reading": reading, "where": where, "quote": sign}
    return {"reading": "none", "where": "none", "quote": ""}


def _ideas(**answer: str) -> RuleFunction:
    """The same answer on each idea; that an idea is like itself where none is given."""

    def rule(fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
        del vote
        return {"ideas": [{"idea": label, **(answer or {"like": label})} for label, _ in fields["ideas"]]}

    return rule


def _acts(**answer: str) -> RuleFunction:
    """The same answer on each act."""

    def rule(fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
        del vote
        return {"acts": [{"act": label, **answer} for label, _ in fields["acts"]]}

    return rule


def _always(**answer: str) -> RuleFunction:
    def rule(fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
        del fields, vote
        return dict(answer)

    return rule


def _reach(fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
    del vote
    return {"reach": "beyond" if "always" in dict(fields["statement"])["said"] else "readout"}


def judge() -> RuleJudge:
    rules: dict[str, RuleFunction] = {
        "extract": _extract,
        "idea": _ideas(),
        "subject": _ideas(),
        "topic": _ideas(topic="research"),
        "ground": _ground,
        "reach": _reach,
        "result": _result,
        "said": _said,
        "aftermath": _always(what="left", act="none"),
        "novelty": _always(distance="far", source="new", to="none"),
        "rule": _acts(rule="none", quote=""),
        "promotes": _acts(promotes="no"),
        "closing": _always(closing="no score", where="none", quote=""),
    }
    return RuleJudge(rules, name="rules for these notes")


def play_games(folder: Path, each: int) -> None:
    rules, asked = effects_environment(), judge()
    for arm in ("beliefs", "helper"):
        for condition in CONDITIONS:
            instance = rules.find(condition)
            for budget in BUDGETS:
                for number in range(each):
                    draw = random.Random(f"{arm} {condition} {budget} {number}")
                    player = Player(draw, *(draw.random() for _ in range(4)))
                    name = f"{condition}-{budget}-{number:03d}"
                    place = folder / arm / "games" / name
                    with Episode(place, rules, instance, {"budget": budget, "view": "opaque"}) as episode:
                        note_player(episode.folder, About(player=arm, seed=number))
                        player.play(episode, from_beliefs=arm == "beliefs")
                    (found,) = convert([place])
                    if found.record is None or found.world is None:
                        raise SystemExit(f"{name}: {found.refused}")
                    scored = score(found.record, found.world, asked, cheap=True)
                    (folder / arm / "graphs").mkdir(exist_ok=True)
                    write_graph(folder / arm / "graphs" / f"{name}.graph.json", scored.graph)


def play_spoken(folder: Path, number: int) -> None:
    asked = rule_judge()
    for name in ("known", "rules"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for game in speaking_games(folder / "games", number, instances=SPOKEN):
        write_graph(folder / "known" / f"{game.folder.name}.graph.json", known_graph(game))
        scored = score(game.record, game.world, asked, cheap=True)
        write_graph(folder / "rules" / f"{game.folder.name}.graph.json", scored.graph)


def show(title: str, paths: list[Path], page: Path) -> None:
    found = read_games(paths)
    write_truth_page(found, page)
    print(f"\n{title}: {len(found.games)} games")
    for tally in tallies(found.games):
        print(
            f"  {tally.group:<20} {tally.kind:<14} {tally.stated:5} stated {tally.true:5} true "
            f"{tally.share.estimate:.3f} ({tally.share.low:.3f} to {tally.share.high:.3f})"
        )
    for entry in relations(found.games):
        equal = entry.equal
        if entry.told and equal.low is not None:
            print(
                f"  {entry.name:<28} {entry.knowledge:<10} {entry.games:4} games {equal.pairs:5} pairs "
                f"tau {equal.tau:+.2f} ({equal.low:+.2f} to {equal.high:+.2f}) {entry.verdict}"
            )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=6, help="for each condition, budget and arm")
    parser.add_argument("--spoken", type=int, default=280, help="games of players that speak")
    parser.add_argument("--out", type=Path, help="keep games, graphs and pages here")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = given.out or Path(name)
        if given.games:
            play_games(folder, given.games)
            for arm in ("beliefs", "helper"):
                show(f"Table from {arm}", [folder / arm], folder / f"{arm}.html")
        if given.spoken:
            spoken = folder / "spoken"
            play_spoken(spoken, given.spoken)
            for judged in ("known", "rules"):
                show(
                    f"Players that speak, graphs {judged}",
                    [spoken / "games", spoken / judged],
                    folder / f"{judged}.html",
                )


if __name__ == "__main__":
    main()
