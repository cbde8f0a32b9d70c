"""Reading a run window by window, several times over, into acts and propositions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from whatworked.judging import Case
from whatworked.process.graph import Quoted
from whatworked.process.graph.gates import act_fields, said_fields
from whatworked.process.graph.model import ACT_TYPES, Field
from whatworked.process.juries.cards import ActCard, Cards, PropositionCard, merge_passes, read_cards
from whatworked.process.juries.catalog import questions
from whatworked.process.juries.inquiry import Inquiry, floor_of
from whatworked.process.juries.windows import Labelled, Window, windows

NAME = "extract"


@dataclass
class _Pass:
    """One reading of the run: what it found, and what the next window is told of it."""

    number: int
    found: list[Cards | None] = field(default_factory=list)
    reached: list[bool] = field(default_factory=list)
    ideas: dict[str, None] = field(default_factory=dict)
    launches: dict[int, str] = field(default_factory=dict)

    def note(self, cards: Cards) -> None:
        """Take over names of ideas and open launches."""
        for idea in [*(act.idea for act in cards.acts), *(said.idea for said in cards.propositions)]:
            if idea is not None:
                self.ideas.pop(idea, None)  # the latest stand last
                self.ideas[idea] = None
        for act in cards.acts:
            if act.type == "launch":
                self.launches[act.step] = act.quote
        for act in cards.acts:
            for step in act.shows:
                self.launches.pop(step, None)


async def extract(inquiry: Inquiry) -> Cards:
    """Acts and propositions that enough passes agree on.

    Windows of a pass are read one after another, for each is told of the one before; passes are read at the same time
    and do not know of each other. A window that too few passes got an answer to is counted as undecided, or as
    unanswered where the judge could not be reached.

    Parameters
    ----------
    inquiry : Inquiry
        About the run.

    Returns
    -------
    Cards
        With quotes that stand in the record.
    """
    question = questions()[NAME]
    wanted = 1 if inquiry.cheap else question.votes
    needed = 1 if inquiry.cheap else question.majority()
    cut = windows(inquiry.record, inquiry.settings)
    passes = [_Pass(number) for number in range(wanted)]
    await asyncio.gather(*(_read(inquiry, reading, cut) for reading in passes))
    for place in range(len(cut)):
        answered = sum(reading.found[place] is not None for reading in passes)
        inquiry.count(NAME, finished=all(reading.reached[place] for reading in passes), decided=answered >= needed)
    return merge_passes([_joined(reading.found) for reading in passes], needed)


async def _read(inquiry: Inquiry, reading: _Pass, cut: Sequence[Window]) -> None:
    for number, window in enumerate(cut):
        vote = await inquiry.panel.ask(_case(inquiry, reading, window, number), reading.number)
        inquiry.note([vote])
        cards = None
        if vote.kind == "answer":
            cards = _standing(inquiry, read_cards(vote.answer), window)
            reading.note(cards)
        reading.found.append(cards)
        reading.reached.append(vote.kind != "unreachable")


def _case(inquiry: Inquiry, reading: _Pass, window: Window, number: int) -> Case:
    settings = inquiry.settings
    ideas = list(reading.ideas)[-settings.ideas :]
    launches = list(reading.launches.items())[-settings.launches :]
    fields: dict[str, str | Labelled] = {
        "ideas": tuple((f"idea-{place}", name) for place, name in enumerate(ideas, 1)),
        "launches": tuple((f"step-{step}", quote[: settings.excerpt]) for step, quote in launches),
        "before": window.before,
        "steps": window.texts,
    }
    return Case(question=questions()[NAME], fields=fields, about=f"window {number + 1}")


def _standing(inquiry: Inquiry, cards: Cards, window: Window) -> Cards:
    """Those cards whose step is in the window and whose quote stands there; the others are counted."""

    def stands(card: ActCard | PropositionCard, fields: tuple[Field, ...]) -> bool:
        quoted = Quoted(card.step, card.quote)
        return inquiry.assembly.quote(quoted, fields, floor_of(NAME)) is not None

    kinds = {known: act_fields(known) for known in ACT_TYPES}
    acts = [act for act in cards.acts if _is_inside(inquiry, act.step, window)]
    said = [card for card in cards.propositions if _is_inside(inquiry, card.step, window)]
    return Cards(
        tuple(act for act in acts if stands(act, next(kinds[known] for known in kinds if known == act.type))),
        tuple(card for card in said if stands(card, said_fields(inquiry.record.steps[card.step]))),
    )


def _is_inside(inquiry: Inquiry, step: int, window: Window) -> bool:
    if step in window.steps:
        return True
    inquiry.assembly.drop("step outside the window that was read")
    return False


def _joined(found: Sequence[Cards | None]) -> Cards:
    kept = [cards for cards in found if cards is not None]
    return Cards(
        tuple(act for cards in kept for act in cards.acts), tuple(card for cards in kept for card in cards.propositions)
    )
