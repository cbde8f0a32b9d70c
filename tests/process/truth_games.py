"""Games of `effects` with notes, and graphs of them as a judge that reads every note as a belief would make them."""

from __future__ import annotations

from pathlib import Path

from hand_graphs import finished

from whatworked.environments.protocol import Call
from whatworked.episodes.about import About, note_player
from whatworked.episodes.effects import effects_environment
from whatworked.episodes.episode import Episode
from whatworked.process.graph import Assembly, Graph, Quoted
from whatworked.process.records import Record, convert
from whatworked.process.records.files import record_bytes
from whatworked.storage.canonical import sha256


def play(folder: Path, *calls: tuple[str, dict], instance: str = "wine__d6", player: str = "hand", **options) -> Path:
    """An episode with these calls."""
    rules = effects_environment()
    with Episode(folder, rules, rules.find(instance), options) as episode:
        note_player(episode.folder, About(player=player))
        for tool, arguments in calls:
            assert episode.call(Call(tool=tool, arguments=arguments)).refused is None
    return folder


def note(text: str) -> tuple[str, dict]:
    return "note", {"text": text}


def buy(*masks: str) -> tuple[str, dict]:
    return "observe_many", {"masks": list(masks)}


HAND_IN = ("submit_diagnosis", {"estimator": "ridge_main"})


def record_of(folder: Path) -> Record:
    (found,) = convert([folder])
    assert found.record is not None
    return found.record


def graph_of(folder: Path) -> Graph:
    """A graph in which each note is a belief about an idea of its own, and rests on the last result shown before it.

    A note that begins with "Perhaps" rests on none, one that begins with "I expect" is a prediction.
    """
    record = record_of(folder)
    assembly = Assembly(record)
    check: tuple[str, str] | None = None
    for step in record.steps:
        if step.tool == "observe_many":
            assert step.action is not None
            assert step.observation is not None
            launch = assembly.act("launch", Quoted(step.id, step.action), None)
            shown = step.observation.split("\n")[0]
            act = assembly.act("check", Quoted(step.id, shown), None)
            assert launch is not None
            assert act is not None
            assembly.edge("reads", act, launch)
            check = act, shown
        elif step.tool == "note":
            words = (step.action or "").removeprefix("text: ")
            idea = assembly.idea(words)
            assembly.mark("topic", idea, "research")
            kind = "prediction" if words.startswith("I expect") else "belief"
            said = assembly.proposition(kind, Quoted(step.id, words), idea, 3)
            assert said is not None
            rests = check is not None and not words.startswith("Perhaps")
            assembly.mark("ground", said, "shown" if rests else "not shown")
            if check is not None and rests:
                assembly.edge("grounds", check[0], said, Quoted(int(check[0][1:].partition(".")[0]), check[1]))
    return finished(assembly, record, digest=sha256(record_bytes(record)))
