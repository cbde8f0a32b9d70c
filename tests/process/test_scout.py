"""Inspect Scout: records as its transcripts, and the scanner, by the real package and a mock model."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from plain_judge import NO_WORLD, RULES, plain_graph
from test_juries import STORY

from whatworked.errors import JudgeError, RecordError
from whatworked.process.juries import questions
from whatworked.process.measures import measure
from whatworked.process.records import Record, World, convert
from whatworked.process.scout import record_of, transcript_of

OPENING = re.compile(r"^<<(q-[0-9a-f]{12}) ([^\n]*)>>$", re.MULTILINE)


def read_prompt(prompt: str) -> tuple[str, dict[str, Any]]:
    """Which question a prompt asks, and the material of its fields, as a model must read it from the text."""
    question = next(
        known for known in questions().values() if known.prompt.strip().partition("{{")[0].strip() in prompt
    )
    fields: dict[str, Any] = {}
    rest = prompt
    while (match := OPENING.search(rest)) is not None:
        text, _, rest = rest[match.end() + 1 :].partition(f"\n<</{match[1]}>>")
        name, _, label = match[2].partition(" ")
        if label:
            fields.setdefault(name, []).append((label, text))
        else:
            fields[name] = text
    return question.id, {name: fields.get(name, []) for name in question.fields}


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Results of the scanner on a record and on a run without results, by message ids and journals too."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelOutput, ModelUsage, get_model
    from inspect_scout import Transcript, scan, scan_results_df, transcripts_db, transcripts_from

    from whatworked.process.scout.scanner import process

    folder = tmp_path_factory.mktemp("scout")
    talk = Transcript(
        transcript_id="talk",
        messages=[ChatMessageUser(content="Do it."), ChatMessageAssistant(content="I did.")],
    )

    async def fill() -> None:
        async with transcripts_db(str(folder / "db")) as database:
            await database.insert([transcript_of(STORY, NO_WORLD, source="story.jsonl"), talk])

    def answer(messages: list[Any], *_: Any) -> ModelOutput:
        question, fields = read_prompt(messages[-1].text)
        output = ModelOutput.from_content("mockllm/model", json.dumps(RULES[question](fields, 0)))
        # Without it the mock asks the network for a tokenizer.
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    asyncio.run(fill())
    status = scan(
        [process(cheap=True, calls=str(folder / "calls"))],
        transcripts=transcripts_from(str(folder / "db")),
        scans=str(folder / "scans"),
        model=get_model("mockllm/model", custom_outputs=answer, memoize=False),
        max_processes=1,
        display="none",
    )
    assert status.complete, status.errors
    return scan_results_df(status.location, rows="results").scanners["process"], folder


def test_the_scanner_gives_the_scores_of_the_record(scanned: Any) -> None:
    table, folder = scanned
    expected = measure(plain_graph(STORY, cheap=True))
    rows = table[table["transcript_source_id"] == STORY.header.run]
    values = {row.label: row.value for row in rows.itertuples()}
    assert set(values) == {entry.id for entry in (*expected.axes, *expected.measures)}
    for entry in (*expected.axes, *expected.measures):
        found = None if values[entry.id] is None or values[entry.id] != values[entry.id] else float(values[entry.id])
        assert found == (None if entry.score is None else pytest.approx(entry.score)), entry.id
    assert any(entry.score is not None for entry in expected.measures)
    (journal,) = (folder / "calls").iterdir()
    assert journal.read_bytes().count(b"\n") > 15


def test_results_lead_to_messages(scanned: Any) -> None:
    table, _ = scanned
    ids = {message.id for message in transcript_of(STORY, NO_WORLD).messages}
    rows = table[table["transcript_source_id"] == STORY.header.run]
    cited = 0
    for row in rows.itertuples():
        for reference in json.loads(row.message_references):
            assert reference["id"] in ids
            assert reference["cite"] in row.explanation
            cited += 1
    assert cited > 5


def test_a_run_that_cannot_be_judged_says_why(scanned: Any) -> None:
    table, _ = scanned
    (row,) = table[table["transcript_id"] == "talk"].itertuples()
    assert row.answer == "cannot be judged"
    assert "no actions are recorded" in row.explanation


def test_questions_without_a_reply_are_an_error_of_the_scan(monkeypatch: pytest.MonkeyPatch) -> None:
    from whatworked.process.scout import scanner

    async def unfinished(*_: Any, **__: Any) -> Any:
        return SimpleNamespace(finished=False)

    monkeypatch.setenv("INSPECT_EVAL_MODEL", "mockllm/model")
    monkeypatch.setattr(scanner, "score_run", unfinished)
    with pytest.raises(JudgeError, match="got no reply; scan it again"):
        asyncio.run(scanner.process()(transcript_of(STORY, NO_WORLD)))


def stored(record: Record, world: World, folder: Path) -> Any:
    """The transcript as Scout gives it back."""
    from inspect_scout import TranscriptContent, transcripts_db

    async def kept() -> Any:
        async with transcripts_db(str(folder)) as database:
            await database.insert([transcript_of(record, world)])
            async for info in database.select():
                return await database.read(info, TranscriptContent(messages="all", events="all"))
        raise AssertionError("nothing was kept")

    return asyncio.run(kept())


def test_a_record_comes_back_whole(tmp_path: Path) -> None:
    world = World(
        schema="whatworked-world/1",
        task_prompt="Find what works.",
        authored_channel="notes",
        feedback_polarity="lower is better",
        submission=None,
        measure_size=7,
        contract=None,
    )
    assert record_of(stored(STORY, world, tmp_path / "db")) == (STORY, world)


def test_altered_transcripts_are_named() -> None:
    transcript = transcript_of(STORY, NO_WORLD)
    for altered in (
        transcript.model_copy(update={"metadata": {}}),
        transcript.model_copy(update={"messages": [transcript.messages[0].model_copy(update={"metadata": None})]}),
    ):
        with pytest.raises(RecordError, match="lacks or alters a part of it"):
            record_of(altered)


def test_another_transcript_is_read_as_logs_of_inspect_are(tmp_path: Path) -> None:
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_scout import TranscriptContent, transcripts_from

    output = ModelOutput.from_content("mockllm/model", "I think 4.")
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    evaluate(
        Task(dataset=[Sample(input="What is 2 + 2?", target="4", id="sum")]),
        model=get_model("mockllm/model", custom_outputs=[output], memoize=False),
        log_dir=str(tmp_path),
        display="none",
    )

    async def read() -> Any:
        async with transcripts_from(str(tmp_path)).reader() as reader:
            async for info in reader.index():
                return await reader.read(info, TranscriptContent(messages="all", events=["model", "tool"]))
        raise AssertionError("nothing was read")

    record, world = record_of(asyncio.run(read()))
    (conversion,) = convert([tmp_path])
    assert conversion.record is not None
    assert record.steps == conversion.record.steps
    assert world == conversion.world
    assert record.header.model == conversion.record.header.model == "mockllm/model"
