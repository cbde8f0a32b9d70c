"""Records: how long converting a long log takes, and how it grows with the steps.

Logs of 500 to 4,000 steps are written in a few formats and converted; the table gives seconds and the ratio to the
log of half the length, which is 2 where time grows with the steps and not with their square. Reading the record back
and finding quotes in it are measured beside. Then graphs of such runs, with two acts, a proposition, a verdict and
marks for every step, are measured without any call, and what a judge would be sent is estimated.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from whatworked.judging import find_quote
from whatworked.process.graph import Assembly, Graph, Quoted, WorldFacts
from whatworked.process.juries import estimate_score, questions
from whatworked.process.measures import measure
from whatworked.process.records import Record, convert, read_record, unknown_world, write_record

STEPS = (500, 1000, 2000, 4000)
OUTPUT = "epoch {}: loss = -0.5, accuracy — «Wert» — 0.75\n" * 40


def claude_code(steps: int) -> str:
    rows = [{"type": "system", "subtype": "init", "tools": [], "model": "m", "session_id": "s"}]
    for number in range(steps):
        call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": f"python run.py {number}"}}
        said = {"role": "assistant", "id": f"m{number}", "content": [{"type": "text", "text": "Next."}, call]}
        came = {"type": "tool_result", "tool_use_id": f"t{number}", "content": OUTPUT}
        rows.append({"type": "assistant", "session_id": "s", "message": said})
        rows.append({"type": "user", "session_id": "s", "message": {"role": "user", "content": [came]}})
    return "".join(json.dumps(row) + "\n" for row in rows)


def openai_messages(steps: int) -> str:
    rows: list[dict[str, object]] = [{"role": "user", "content": "Go."}]
    for number in range(steps):
        function = {"name": "bash", "arguments": json.dumps({"command": f"python run.py {number}"})}
        rows.append(
            {"role": "assistant", "content": "Next.", "tool_calls": [{"id": f"c{number}", "function": function}]}
        )
        rows.append({"role": "tool", "tool_call_id": f"c{number}", "content": OUTPUT})
    return json.dumps(rows)


def codex_text(steps: int) -> str:
    stamp = "[2026-01-01T00:00:00] "
    body = [f"{stamp}OpenAI Codex v0.5.0 (research preview)\n"]
    body.extend(
        f"{stamp}exec python run.py {number} in /work\n{stamp}python run.py {number} succeeded in 9ms:\n{OUTPUT}"
        for number in range(steps)
    )
    return "".join(body)


def aider(steps: int) -> str:
    edit = "Next.\n\na.py\n```python\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```\n\n"
    noted = "> Applied edit to a.py  \n\n"
    told = "#### Run 1 completed. Here are the results:  \n" + "#### x  \n" * 20 + "\n"
    return "# aider chat started at 2026-01-01 00:00:00\n\n" + (edit + noted + told) * (steps // 2)


FORMATS: dict[str, Callable[[int], str]] = {
    "claude-code": claude_code,
    "openai-messages": openai_messages,
    "codex-text": codex_text,
    "aider": aider,
}


def built_graph(record: Record) -> Graph:
    """A graph in which every action is a launch with its check, and every word a belief."""
    assembly = Assembly(record)
    ideas = [assembly.idea(f"idea {number}") for number in range(len(record.steps) // 5 + 1)]
    for idea in ideas:
        assembly.mark("topic", idea, "research")
        assembly.mark("subject", idea, f"subject {idea[-1]}")
    for step in record.steps:
        idea = ideas[step.id // 5]
        if step.action is None or step.observation is None:
            continue
        launch = assembly.act("launch", Quoted(step.id, "python run.py"), idea)
        check = assembly.act("check", Quoted(step.id, "loss = -0.5"), idea)
        belief = assembly.proposition("belief", Quoted(step.id, "Next."), idea)
        assert launch is not None
        assert check is not None
        assert belief is not None
        assembly.edge("reads", check, launch)
        verdict = "confirms" if step.id % 2 else "contradicts"
        assembly.edge(verdict, check, idea, Quoted(step.id, "loss = -0.5"))  # type: ignore[arg-type]
        assembly.mark("said", check, "favourable")
        assembly.mark("aftermath", check, "left")
    return assembly.finish(
        scorer="1/benchmark",
        judge="nobody",
        cheap=True,
        record=record,
        digest="0" * 64,
        world=WorldFacts(task=None, prompt=False, submission=None, measure_size=None),
        asked=dict.fromkeys(questions(), 1),
        undecided={},
        unfinished={},
    )


def measured() -> None:
    """Print how long measuring takes without calls, and how what is asked grows."""
    print(f"\n{'steps':>7}{'build s':>9}{'measure s':>11}{'ratio':>7}{'estimate s':>12}{'characters':>13}{'ratio':>7}")
    before: tuple[float, float] | None = None
    with tempfile.TemporaryDirectory() as folder:
        for steps in STEPS:
            path = Path(folder) / "log"
            path.write_text(claude_code(steps), encoding="utf-8")
            (found,) = convert([path])
            assert found.record is not None
            start = time.perf_counter()
            graph = built_graph(found.record)
            built = time.perf_counter() - start
            start = time.perf_counter()
            scores = measure(graph)
            taken = time.perf_counter() - start
            assert scores.axes[1].score is not None
            start = time.perf_counter()
            parts = estimate_score(found.record, unknown_world())
            estimated = time.perf_counter() - start
            characters = sum(part.characters.expected for part in parts.values())
            ratios = ("-", "-") if before is None else (f"{taken / before[0]:.1f}", f"{characters / before[1]:.2f}")
            print(
                f"{len(found.record.steps):7}{built:9.2f}{taken:11.2f}{ratios[0]:>7}{estimated:12.2f}"
                f"{characters:13,.0f}{ratios[1]:>7}"
            )
            before = taken, characters


def main() -> None:
    """Print the tables."""
    print(f"{'format':18}{'steps':>7}{'MB':>7}{'convert s':>11}{'ratio':>7}{'read s':>8}{'quotes/s':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for name, build in FORMATS.items():
            before = None
            for steps in STEPS:
                path = Path(folder) / "log"
                path.write_text(build(steps), encoding="utf-8")
                start = time.perf_counter()
                (found,) = convert([path])
                taken = time.perf_counter() - start
                assert found.record is not None
                assert found.format == name
                write_record(Path(folder) / "record", found.record)
                start = time.perf_counter()
                record = read_record(Path(folder) / "record")
                read = time.perf_counter() - start
                shown = [step.observation for step in record.steps if step.observation is not None][:200]
                start = time.perf_counter()
                for text in shown:
                    find_quote(text[-60:], text)
                quotes = len(shown) / (time.perf_counter() - start)
                ratio = "-" if before is None else f"{taken / before:.1f}"
                size = path.stat().st_size / 1e6
                print(f"{name:18}{len(record.steps):7}{size:7.1f}{taken:11.2f}{ratio:>7}{read:8.2f}{quotes:10.0f}")
                before = taken
    measured()


if __name__ == "__main__":
    main()
