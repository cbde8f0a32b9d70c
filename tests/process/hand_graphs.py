"""Small runs and their graphs, written by hand for the tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whatworked.process.graph import Assembly, Graph, Quoted, WorldFacts
from whatworked.process.measures import MEASURES, MeasureScore, Scores
from whatworked.process.records import Draft, Record
from whatworked.process.records.draft import AGENT, EDIT, EXPERIMENT, READ, SHELL

TOOLS = {"sh": SHELL, "run": EXPERIMENT, "look": READ, "edit": EDIT}
ASKED = {name: 1 for measure in MEASURES for name in measure.needs}


def run_record(*steps: tuple[Any, ...] | str) -> Record:
    """A record: a text is a message of the agent, a tuple is words, tool, action and observation."""
    draft = Draft("hand", "run", TOOLS)
    draft.model = "model-a"
    for number, step in enumerate(steps):
        if isinstance(step, str):
            draft.message(step, where=str(number), speaker=AGENT)
            continue
        words, tool, action, observation = step
        draft.call(tool, action, where=str(number), turn=f"t{number}", words=words, observation=observation)
    return draft.finish([])


def finished(assembly: Assembly, record: Record, *, world: WorldFacts | None = None, **changes: Any) -> Graph:
    settings: dict[str, Any] = {"scorer": "1/test", "judge": "hand", "cheap": False, "digest": "0" * 64}
    counts: Mapping[str, Mapping[str, int]] = {"asked": ASKED, "undecided": {}, "unfinished": {}}
    facts = world or WorldFacts(task="t", prompt=True, submission=None, measure_size=None)
    return assembly.finish(record=record, world=facts, **{**settings, **counts, **changes})


def score_of(scores: Scores, name: str) -> MeasureScore:
    (found,) = [entry for entry in scores.measures if entry.id == name]
    return found


class Story:
    """A run with its graph, told in order: experiments with what was said before and after."""

    def __init__(self) -> None:
        self.steps: list[tuple[Any, ...] | str] = []
        self.offers: list[Any] = []

    def say(self, kind: str, text: str, idea: str | None) -> int:
        """A message with a proposition; returns its step."""
        self.steps.append(text)
        self.offers.append(("say", len(self.steps) - 1, kind, text, idea))
        return len(self.steps) - 1

    def run(self, idea: str | None, result: str, **more: Any) -> int:
        """A launch whose result is shown at once, with a verdict and what the agent says of it; returns its step."""
        step = len(self.steps)
        self.steps.append((None, "run", f"python try.py {step}", f"result {step}: {result}"))
        self.offers.append(("run", step, idea, more))
        return step

    def offer(self, method: str, *arguments: Any) -> None:
        self.offers.append((method, *arguments))

    def record(self) -> Record:
        return run_record(*self.steps)

    def graph(self, topics: Mapping[str, str] | None = None, **changes: Any) -> Graph:
        """The graph; every idea is of research unless `topics` says otherwise."""
        record = self.record()
        assembly = Assembly(record)
        names: dict[str, str] = {}

        def known(idea: str | None) -> str | None:
            if idea is not None and idea not in names:
                names[idea] = assembly.idea(idea)
                assembly.mark("topic", names[idea], (topics or {}).get(idea, "research"))
            return None if idea is None else names[idea]

        for offer in self.offers:
            if offer[0] == "say":
                _, step, kind, text, idea = offer
                assert assembly.proposition(kind, Quoted(step, text), known(idea)) == f"p{step}.1"
            elif offer[0] == "run":
                _add_run(assembly, offer[1], known(offer[2]), offer[3])
        for offer in self.offers:
            if offer[0] not in ("say", "run"):
                arguments = [names.get(part, part) if isinstance(part, str) else part for part in offer[1:]]
                assert getattr(assembly, offer[0])(*arguments), offer
        return finished(assembly, record, **changes)


def _add_run(assembly: Assembly, step: int, idea: str | None, more: dict[str, Any]) -> None:
    launch = assembly.act("launch", Quoted(step, f"try.py {step}"), idea)
    assert launch == f"a{step}.launch"
    if more.get("shown", True):
        check = assembly.act("check", Quoted(step, f"result {step}"), idea)
        assert check == f"a{step}.check"
        assert assembly.edge("reads", check, launch)
        if more.get("verdict"):
            assert assembly.edge(more["verdict"], check, str(idea), Quoted(step, f"result {step}"))
        if more.get("said"):
            assert assembly.mark("said", check, more["said"])
