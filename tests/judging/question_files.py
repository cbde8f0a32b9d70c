"""Questions written for tests, and a panel to ask them of."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from whatworked.judging import Case, Judge, Panel, Patience, Question, open_panel
from whatworked.judging.questions import load_question

COLOUR = """
id = "colour"
version = 1
asks = "Which colour?"
read_by = ["a test"]
votes = 3
prompt = "Which colour is the thing?\\n\\n{{thing}}"
vote = { value = "choice" }
[fields]
thing = "the thing"
[answer]
type = "object"
[answer.properties.choice]
type = "string"
enum = ["red", "blue"]
"""

IMPATIENT = Patience(attempts=2, first=0.0, most=0.0)


def question(folder: Path, text: str = COLOUR, name: str = "colour") -> Question:
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return load_question(path)


def things(asked: Question, number: int) -> list[Case]:
    """Cases that differ."""
    return [Case(question=asked, fields={"thing": f"thing {n}"}, about=f"t{n}") for n in range(number)]


def with_panel(judge: Judge, work: Callable[[Panel], Any], **options: Any) -> Any:
    """What some work with a panel returns."""

    async def run() -> Any:
        async with open_panel(judge, **{"patience": IMPATIENT, **options}) as panel:
            return await work(panel)

    return asyncio.run(run())
