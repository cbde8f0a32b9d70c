"""The graph of a game that was spoken by a script: every answer is known, and passes the gates that all answers pass.

Conventions, where a reader might choose otherwise: sentences that say how a result came out are readings and no
propositions; a rule for every setting rests on the result that it was drawn from, and reaches beyond it; that something
was said beforehand is settled by no result; a purchase of which nothing was said before tests that the option helps;
what is tried again elsewhere because of a failure builds on what failed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from whatworked.episodes.about import read_about
from whatworked.episodes.folding import Entry
from whatworked.episodes.players.speakers import Effect, Script, Statement, Trial, fault_of, speak
from whatworked.episodes.records import read_record
from whatworked.episodes.reply import Reply
from whatworked.errors import RecordError
from whatworked.judging import RuleJudge
from whatworked.judging.judges import RuleFunction
from whatworked.process.graph import Graph, write_graph
from whatworked.process.juries import score
from whatworked.process.records import Record, World, convert
from whatworked.process.records.readers.episode import NAME

KNOWN = "known-graph.json"
"""File of the known graph, beside the journal of its episode."""
ORACLE = "known"
"""Name of the judge that knows every answer."""
TYPES: Mapping[str, str] = {
    "question": "question", "prediction": "prediction", "belief": "belief", "nothing": "belief", "overclaim": "belief",
    "forged": "belief", "conjecture": "conjecture", "cause": "cause", "retraction": "retraction",
}  # fmt: skip
"""By the kind of a sentence, the type of its proposition; the others are none."""
READINGS = ("favourable", "adverse")
_NONE = "none"


@dataclass(frozen=True, eq=False)
class SpokenGame:
    """A game whose graph is known.

    Attributes
    ----------
    folder : Path
        Of the episode.
    script : Script
        What was said and tested.
    record : Record
        The episode as a record of process scoring.
    world : World
        What is known of its task.
    """

    folder: Path
    script: Script
    record: Record
    world: World

    @property
    def name(self) -> str:
        """Of the folder."""
        return self.folder.resolve().name


def read_spoken(folder: Path) -> SpokenGame:
    """A game of a player that speaks, with its script: the player plays again, against what was recorded.

    Parameters
    ----------
    folder : Path
        Of an episode of `effects`.

    Returns
    -------
    SpokenGame

    Raises
    ------
    RecordError
        If another player played it, or the player would play otherwise now.
    WhatWorkedError
        If the folder cannot be read.
    """
    played = read_record(folder)
    about = read_about(played.folder)
    fault = fault_of(about.player)
    if fault is None:
        raise RecordError(
            f"{folder} was played by {about.player or 'nobody named'}; what was said is known of games of "
            "`whatworked play effects --player speaker` and its faults alone"
        )
    script = speak(_Again(folder, played.entries), fault, about.seed)
    (found,) = convert([folder], NAME)
    if found.record is None or found.world is None:
        raise RecordError(f"{folder}: {found.refused}")
    return SpokenGame(folder, script, found.record, found.world)


def known_graph(game: SpokenGame) -> Graph:
    """The graph of a spoken game.

    Parameters
    ----------
    game : SpokenGame
        Of `read_spoken`.

    Returns
    -------
    Graph
    """
    return score(game.record, game.world, known_judge(game), cheap=True).graph


def write_known(game: SpokenGame) -> Path:
    """Write the graph of a spoken game beside its journal.

    Parameters
    ----------
    game : SpokenGame
        Of `read_spoken`.

    Returns
    -------
    Path
        Of the file.
    """
    path = game.folder / KNOWN
    write_graph(path, known_graph(game))
    return path


def known_judge(game: SpokenGame) -> RuleJudge:
    """A judge that knows what was said in one game.

    Parameters
    ----------
    game : SpokenGame
        Of `read_spoken`.

    Returns
    -------
    RuleJudge
        It answers every question of process scoring.
    """
    return RuleJudge(_Answers(game).rules(), name=ORACLE)


class _Again:
    """What was recorded, as a game: the same calls get the same answers."""

    def __init__(self, folder: Path, entries: tuple[Entry, ...] | list[Entry]) -> None:
        self._folder = folder
        self._entries = list(entries)
        self._place = 0

    def call(self, tool: str, /, **arguments: Any) -> Reply:
        if self._place >= len(self._entries) or self._entries[self._place].event.call.tool != tool:
            raise RecordError(
                f"{self._folder}: the player would call {tool} as call {self._place + 1}, which is not what was "
                "recorded; the game was played by another version of it, or is not finished"
            )
        event = self._entries[self._place].event
        if tool == "note" and event.call.arguments != arguments:
            raise RecordError(
                f"{self._folder}: note {self._place + 1} is not what the player says in this version; play it again"
            )
        self._place += 1
        return Reply(number=event.number, result=event.result, refused=event.refusal, budgets={},
                     remaining_seconds=None, closed=False)  # fmt: skip


class _Answers:
    """Answers to the questions about one game, from its script."""

    def __init__(self, game: SpokenGame) -> None:
        steps = [step for step in game.record.steps if not (step.observation or "").startswith("refused (")]
        self.script = game.script
        self._notes = dict(zip((s.id for s in steps if s.tool == "note"), game.script.notes, strict=True))
        bought = [step.id for step in steps if step.tool == "observe_many"]
        self._trials = dict(zip(bought, game.script.trials, strict=True))
        self._bought = bought
        self._lines = {
            step: _line(game.record.steps[step].observation or "", trial) for step, trial in self._trials.items()
        }
        self._actions = {step: game.record.steps[step].action or "" for step in bought}
        self._delivered = {s.id: (s.action or "").split("\n")[0] for s in steps if s.tool == "submit_diagnosis"}
        self._said = {said.text: said for note in game.script.notes for said in note}

    def rules(self) -> dict[str, RuleFunction]:
        found: dict[str, Callable[[Mapping[str, Any]], Any]] = {
            "extract": self.extract,
            "idea": distinct,
            "subject": subjects,
            "topic": all_research,
            "result": self.result,
            "said": self.reading,
            "cause": self.cause,
            "aftermath": self.aftermath,
            "ground": self.ground,
            "reach": self.reach,
            "novelty": novelty,
            "rule": no_breach,
            "promotes": promotions,
        }
        return {**{name: every_vote(rule) for name, rule in found.items()}, **FIXED}

    def extract(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        acts: list[dict[str, Any]] = []
        said: list[dict[str, Any]] = []
        for step in dict.fromkeys(int(label.partition(".")[0]) for label, _ in fields["steps"]):
            if step in self._trials:
                acts += self._acts(step)
            elif step in self._delivered:
                acts.append(_act("deliver", step, self._delivered[step], None))
            said += [_proposition(step, told) for told in self._notes.get(step, ()) if told.says in TYPES]
        return {"acts": acts, "propositions": said}

    def _acts(self, step: int) -> list[dict[str, Any]]:
        idea = self._tested(step).name
        failed = {answer: trial for trial, answer in self.script.answers.items()}.get(self._bought.index(step))
        builds_on = None if failed is None else self._bought[failed]
        launch = {**_act("launch", step, self._actions[step], idea), "builds_on": builds_on}
        return [launch, {**_act("check", step, self._lines[step], idea), "shows": [step]}]

    def _tested(self, step: int) -> Effect:
        """What a purchase tests as far as the record tells: without a word before it, that the option helps."""
        effect = self._trials[step].effect
        return replace(effect, direction=1) if self.script.fault == "forges" else effect

    def result(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        step = next(step for step, action in self._actions.items() if action == fields["action"])
        held = self._trials[step].direction == self._tested(step).direction
        return {"verdict": "confirms" if held else "contradicts", "quote": self._lines[step]}

    def reading(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        step = next(step for step, action in self._actions.items() if action == fields["action"])
        number = self._bought.index(step)
        for label, _ in fields["words"]:
            for said in self._notes.get(int(label.partition(".")[0]), ()):
                if said.says in READINGS and said.trial == number:
                    return {"reading": said.says, "where": label, "quote": said.text}
        return {"reading": _NONE, "where": _NONE, "quote": ""}

    def cause(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        said = self._statement(fields)
        label = self._check(said, fields["results"])
        return {"about": label, "kind": "neither" if label == _NONE else "idea", "shown_by": _NONE, "quote": ""}

    def aftermath(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        shown = {line.partition(": ")[0] for line in fields["result"].split("\n")}
        step = next(s for s, trial in self._trials.items() if {trial.effect.base, trial.effect.mask} <= shown)
        answer = self.script.answers.get(self._bought.index(step))
        label = _NONE if answer is None else f"a{self._bought[answer]}.launch"
        if label not in dict(fields["acts"]):
            return {"what": "left", "act": _NONE}
        return {"what": "retried", "act": label}

    def ground(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        said = self._statement(fields)
        label = _NONE if said.says not in ("belief", "nothing", "overclaim") else self._check(said, fields["results"])
        return {"rests_on": label, "quote": "" if label == _NONE else self._lines[int(label[1:].partition(".")[0])]}

    def reach(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        return {"reach": "beyond" if self._statement(fields).says == "overclaim" else "readout"}

    def _statement(self, fields: Mapping[str, Any]) -> Statement:
        return self._said[dict(fields["statement"])["said"]]

    def _check(self, said: Statement, results: Any) -> str:
        label = _NONE if said.trial is None else f"a{self._bought[said.trial]}.check"
        return label if label in dict(results) else _NONE


def subjects(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Ideas on one option are on one subject."""
    first: dict[str, str] = {}
    for label, text in (*fields["known"], *fields["ideas"]):
        first.setdefault(text[:1], label)
    return {"ideas": [{"idea": label, "like": first[text[:1]]} for label, text in fields["ideas"]]}


def novelty(fields: Mapping[str, Any]) -> dict[str, Any]:
    """An idea is near to the last settled one on its option, and nothing is carried over."""
    near = [label for label, text in fields["settled"] if text[:1] == fields["idea"][:1]]
    return {"distance": "near" if near else "far", "source": "new", "to": near[-1] if near else _NONE}


def distinct(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Ideas of different names are different."""
    return {"ideas": [{"idea": label, "like": label} for label, _ in fields["ideas"]]}


def all_research(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Every idea is about the workflow."""
    return {"ideas": [{"idea": label, "topic": "research"} for label, _ in fields["ideas"]]}


def no_breach(fields: Mapping[str, Any]) -> dict[str, Any]:
    """No act breaks a rule."""
    return {"acts": [{"act": label, "rule": _NONE, "quote": ""} for label, _ in fields["acts"]]}


def promotions(fields: Mapping[str, Any]) -> dict[str, Any]:
    """What is delivered was not chosen by a score."""
    found = [(label, "otherwise" if label.endswith(".deliver") else "no") for label, _ in fields["acts"]]
    return {"acts": [{"act": label, "promotes": told} for label, told in found]}


def every_vote(rule: Callable[[Mapping[str, Any]], Any]) -> RuleFunction:
    """A rule that answers every vote alike."""

    def answer(fields: Mapping[str, Any], vote: int) -> Any:
        del vote
        return rule(fields)

    return answer


def _always(answer: Mapping[str, Any]) -> RuleFunction:
    def told(fields: Mapping[str, Any], vote: int) -> Any:
        del fields, vote
        return dict(answer)

    return told


FIXED: Mapping[str, RuleFunction] = {
    "coverage": _always({"coverage": _NONE}),
    "closing": _always({"closing": "no score", "where": _NONE, "quote": ""}),
}
"""Questions that have one answer in these games: nothing in them is a score of what is handed in."""


def _act(kind: str, step: int, quote: str, idea: str | None) -> dict[str, Any]:
    return {"type": kind, "step": step, "quote": quote, "idea": idea, "shows": [], "builds_on": None}


def _proposition(step: int, said: Statement) -> dict[str, Any]:
    effect = said.effect
    name = None if effect is None else effect.name
    if effect is not None and said.says == "overclaim":
        name = f"{effect.name.partition(' at ')[0]} everywhere"
    return {"type": TYPES[said.says], "step": step, "quote": said.text, "idea": name}


def _line(observation: str, trial: Trial) -> str:
    """The line of a result that shows what was new."""
    start = f"{trial.effect.mask}: "
    return next(line for line in observation.split("\n") if line.startswith(start))
