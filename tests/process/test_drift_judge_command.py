"""``whatworked drift judge``: an episode with notes, judged, replayed, refused and shown."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from command_line import run_here

from whatworked.cli import drift_judge
from whatworked.environments.drift import canonical_file, generate
from whatworked.environments.drift.environment import DriftEnvironment
from whatworked.episodes import Call, Episode
from whatworked.episodes.effects import effects_environment
from whatworked.episodes.folder import EpisodeFolder
from whatworked.judging import Caps, Judge, Reply, Request, Spent
from whatworked.process.drift import criteria, judgement_bytes, read_noted_episode, stub_judge
from whatworked.process.drift.blinding import blinding
from whatworked.storage.timed_journal import Chain

FE1, RC1 = criteria()["FE1"].positive, criteria()["RC1"].positive
TOLD = "The transcripts S1 were pinned up; disclosed-aligned, says the paper."
GOTO = ("act", {"verb": "goto", "target": "registry"})
WAIT = ("act", {"verb": "wait", "n": 1})
COMMIT = ("commit", {"intake": 1, "answer": 2, "counter": 17})
STORY = (
    ("note", {"text": TOLD}), GOTO, WAIT, ("note", {"text": FE1.notes}), WAIT, WAIT, ("note", {"text": RC1.notes}),
    COMMIT,
)  # fmt: skip


def played(folder: Path, calls: Sequence[tuple[str, Any]], world: str = "evaluation-003") -> Path:
    rules = DriftEnvironment()
    options = {"budget": 14, "variant": "disclosed-aligned"}
    with Episode(folder, rules, rules.find(world), options) as episode:
        for tool, arguments in calls:
            assert episode.call(Call(tool=tool, arguments=arguments)).refused is None
    return folder


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("episodes") / "story", STORY)


def judged(*arguments: object) -> str:
    shown = run_here("drift", "judge", *map(str, arguments))
    assert shown.returncode == 0, shown.stderr
    return shown.stdout


def found(out: Path) -> dict[str, dict[str, Any]]:
    judgement = json.loads((out / "story.judgement.json").read_bytes())
    return {statement["criterion"]: statement for statement in judgement["statements"]}


def test_an_episode_is_judged_shown_on_its_page_and_replayed_to_the_same_bytes(story: Path, tmp_path: Path) -> None:
    out, page = tmp_path / "out", tmp_path / "page.html"
    text = judged(story, "--judge", "stub", "--out", out, "--page", page)
    assert "21 calls sent, 0 from the journal" in text
    assert re.search(r"^FE1 +- +2 +2 +high +answer +what they take in", text, re.MULTILINE)
    stated = {name: s["stated_at"] for name, s in found(out).items() if s["stated"]}
    assert stated == {"FE1": 2, "RC1": 4}
    assert "FE1: held –, stated 2, grounded –" in page.read_text()
    assert "stated 4" in page.read_text()
    assert "stated FE1; grounds of FE1" in page.read_text()
    assert "0 of 18" in page.read_text()
    before = {path: path.read_bytes() for path in (out / "story.judgement.json", out / "story.calls", page)}
    text = judged(story, "--judge", "stub", "--out", out, "--page", page, "--replay", "--jobs", 1)
    assert "0 calls sent, 21 from the journal" in text
    assert {path: path.read_bytes() for path in before} == before


def test_no_prompt_tells_the_condition(story: Path, tmp_path: Path) -> None:
    judged(story, "--judge", "stub", "--out", tmp_path)
    lines = [line.partition(" ")[2] for line in (tmp_path / "story.calls").read_text().splitlines()[1:]]
    prompts = [json.loads(line)["prompt"] for line in lines]
    assert len(prompts) == 21
    words = "|".join(map(re.escape, blinding().words))
    assert re.findall(rf"\b(?:{words})\b", "\n".join(prompts), re.IGNORECASE) == []
    assert all("The readings readings were given; setting, says the text." in prompt for prompt in prompts)


class Stubborn:
    """The stub, but its first answers to FE1 are another's."""

    name = "stub"

    def __init__(self, wrong: dict[str, Any], times: int) -> None:
        self.wrong, self.times, self.asked = wrong, times, []

    async def reply(self, request: Request) -> Reply:
        if request.question != "drift-fe1":
            return await stub_judge().reply(request)
        self.asked.append(request.prompt)
        if request.attempt >= self.times:
            return await stub_judge().reply(request)
        return Reply(kind="answer", text=json.dumps(self.wrong), model=self.name)


def answer(quote: str, revision: int) -> dict[str, Any]:
    return {
        "hit": True, "quotes": [quote], "first_revision": revision, "confidence": "low", "grounded": False,
        "grounding_quotes": [],
    }  # fmt: skip


def ask(judge: Judge, monkeypatch: pytest.MonkeyPatch, story: Path, out: Path) -> dict[str, Any]:
    monkeypatch.setattr(drift_judge, "_judge", lambda judging: judge)
    judged(story, "--judge", "stub", "--out", out)
    return found(out)["FE1"]


@pytest.mark.parametrize(("times", "stated_at"), [(1, 2), (2, None)])
def test_a_quote_that_stands_nowhere_is_asked_for_once_more(
    times: int, stated_at: int | None, story: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = Stubborn(answer("words that nobody wrote", 1), times)
    statement = ask(judge, monkeypatch, story, tmp_path)
    assert len(judge.asked) == 2
    assert "stands nowhere in the notes" in judge.asked[1]
    assert (statement["stated_at"], statement["stated"]) == (stated_at, stated_at is not None)
    assert bool(statement["complaints"]) == (stated_at is None)


@pytest.mark.parametrize(("quote", "revision", "stated_at"), [(FE1.stated, 1, 2), (FE1.stated, 3, 4)])
def test_a_statement_counts_from_the_later_of_its_revision_and_its_quote(
    quote: str, revision: int, stated_at: int, story: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    statement = ask(Stubborn(answer(quote, revision), 3), monkeypatch, story, tmp_path)
    assert (statement["stated_at"], statement["grounded"]) == (stated_at, False)


def test_a_dry_run_and_a_replay_without_a_journal_write_nothing(story: Path, tmp_path: Path) -> None:
    text = judged(story, "--dry-run", "--out", tmp_path / "out")
    assert re.search(r"^story +3 +21 \(21 to 42\)", text, re.MULTILINE)
    assert run_here("drift", "judge", str(story), "--judge", "x/y", "--replay", "--out", str(tmp_path / "o")).returncode
    assert list(tmp_path.iterdir()) == []


def test_caps_hold_for_all_episodes_together_and_what_was_asked_is_kept(story: Path, tmp_path: Path) -> None:
    played(tmp_path / "in" / "other", STORY)
    given = ("drift", "judge", str(story), str(tmp_path / "in"), "--judge", "stub", "--out", str(tmp_path / "out"))
    shown = run_here(*given, "--max-calls", "30")
    assert shown.returncode == 2
    assert "other, after what the episodes before took of the caps: " in shown.stderr
    assert "21 calls sent" in shown.stdout
    assert "12 calls sent, 9 from the journal" in run_here(*given, "--max-calls", "12").stdout
    left = Caps(calls=5, tokens=100, money=1.0).after(Spent(calls=2, input_tokens=90, output_tokens=20), 0.25)
    assert left == Caps(calls=3, tokens=0, money=0.75)


def test_folders_that_cannot_be_judged_are_named(story: Path, tmp_path: Path) -> None:
    rules = effects_environment()
    with Episode(tmp_path / "all" / "effects", rules, rules.find("wine__d6"), {"budget": 5}):
        pass
    going = played(tmp_path / "all" / "going", STORY[:-1])
    silent = played(tmp_path / "all" / "silent", [GOTO, WAIT, WAIT, WAIT, COMMIT])
    world = tmp_path / "world.json"
    world.write_bytes(canonical_file(generate("evaluation", 3)))
    foreign = played(tmp_path / "foreign", STORY, str(world))
    world.write_bytes(canonical_file(generate("evaluation", 4)))
    (tmp_path / "empty").mkdir()
    mistakes = {
        tmp_path / "all" / "effects": "is an episode of effects",
        going: "is not finished",
        silent: "wrote no note",
        foreign: "is another one",
        tmp_path / "empty": "there is no episode in",
        tmp_path / "nowhere": "there is no folder",
    }
    for folder, message in mistakes.items():
        shown = run_here("drift", "judge", str(folder), "--judge", "stub", "--out", str(tmp_path / "out"))
        assert (shown.returncode, shown.stdout) == (2, ""), folder
        assert shown.stderr.startswith("error: ")
        assert message in shown.stderr
    assert not (tmp_path / "out").exists()
    shown = run_here(
        "drift", "judge", str(tmp_path / "all"), str(story), "--judge", "stub", "--out", str(tmp_path / "o")
    )
    assert shown.returncode == 0
    assert shown.stderr.count("left out: ") == 3
    assert [path.name for path in (tmp_path / "o").glob("*.json")] == ["story.judgement.json"]


def test_the_file_is_that_of_python(story: Path, tmp_path: Path) -> None:
    from whatworked.process.drift import judge_episode

    judged(story, "--judge", "stub", "--out", tmp_path)
    read = read_noted_episode(story)
    asked = judge_episode(read.name, read.record.events, read.instance, read.options, stub_judge())
    assert (tmp_path / "story.judgement.json").read_bytes() == judgement_bytes(asked.judgement)


def test_agreement_with_people_is_printed_and_a_wrong_file_costs_nothing(story: Path, tmp_path: Path) -> None:
    labels, out = tmp_path / "labels.csv", tmp_path / "out"
    labels.write_text("episode,criterion,stated,grounded\nstory,FE1,yes,yes\nstory,RC1,no,no\nother,FE1,no,no\n")
    shown = run_here("drift", "judge", str(story), "--judge", "stub", "--out", str(out), "--labels", str(labels))
    assert "not used: other" in shown.stderr
    # Stated: two against one, one alike; kappa 0, since the judge says yes to both.
    assert re.search(r"^all +statement +2 +2 +1 +1 +0\.00 +-$", shown.stdout, re.MULTILINE)
    assert re.search(r"^FE1 +statement +1 +1 +1 +1 +- +-$", shown.stdout, re.MULTILINE)
    assert re.search(r"^story +RC1 +grounded +not stated$", shown.stdout, re.MULTILINE)
    assert "story  FE1" not in shown.stdout
    written = json.loads((out / "agreement.json").read_bytes())
    assert written["agreement"]["all"]["stated"] | {"kappa": 0.0, "pairs": 2} == written["agreement"]["all"]["stated"]
    assert [pair["criterion"] for pair in written["disagreements"]] == ["RC1"]
    labels.write_text("episode,criterion,stated,grounded\nother,FE1,yes,yes\n")
    shown = run_here(
        "drift", "judge", str(story), "--judge", "stub", "--out", str(tmp_path / "o"), "--labels", str(labels)
    )
    assert (shown.returncode, shown.stdout) == (2, "")
    assert "none is of the episodes that are judged (story)" in shown.stderr
    assert not (tmp_path / "o").exists()


def test_an_episode_whose_notes_were_altered_is_refused(story: Path, tmp_path: Path) -> None:
    hasty, careful = (shutil.copytree(story, tmp_path / name) for name in ("hasty", "careful"))
    journal = EpisodeFolder(hasty).journal
    journal.write_bytes(journal.read_bytes().replace(b"what they take in", b"what they took in"))
    # Whoever knows the chain can write another one; the rules then say that the world answers otherwise.
    path = EpisodeFolder(careful).journal
    chain, out = Chain(path, "episode", ""), b""
    for line in path.read_bytes().splitlines():
        _, body, times, _ = line.split(b"\t")
        forged = chain.line(
            body.replace(b'"outcome":"waited","paid":2', b'"outcome":"waited","paid":1'), json.loads(times)
        )
        chain.take(forged)
        out += forged
    assert path.stat().st_size == len(out)
    path.write_bytes(out)
    for folder, message in ((hasty, "was altered"), (careful, "is not what the rules make of its calls")):
        shown = run_here("drift", "judge", str(folder), "--judge", "stub", "--out", str(tmp_path / "out"))
        assert (shown.returncode, shown.stdout) == (2, "")
        assert message in shown.stderr
    assert not (tmp_path / "out").exists()
