"""What extraction offers: acts and propositions with quotes; and how several passes become one list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

Card = TypeVar("Card", "ActCard", "PropositionCard")


@dataclass(frozen=True)
class ActCard:
    """An act as a judge offers it.

    Attributes
    ----------
    type : str
        What sort of act.
    step : int
        Where.
    quote : str
        The part of the record.
    idea : str or None
        Name of what it is about.
    shows : tuple of int
        Steps of the launches whose outcome it shows.
    builds_on : int or None
        Step of the launch that it changes.
    """

    type: str
    step: int
    quote: str
    idea: str | None
    shows: tuple[int, ...]
    builds_on: int | None


@dataclass(frozen=True)
class PropositionCard:
    """A proposition as a judge offers it.

    Attributes
    ----------
    type : str
        What sort of proposition.
    step : int
        Where.
    quote : str
        The words.
    idea : str or None
        Name of what it is about.
    """

    type: str
    step: int
    quote: str
    idea: str | None


@dataclass(frozen=True)
class Cards:
    """What one pass, or all of them together, found.

    Attributes
    ----------
    acts : tuple of ActCard
        In order of steps.
    propositions : tuple of PropositionCard
        In order of steps.
    """

    acts: tuple[ActCard, ...]
    propositions: tuple[PropositionCard, ...]


def read_cards(answer: Mapping[str, Any]) -> Cards:
    """Cards of an answer that fits its schema.

    Parameters
    ----------
    answer : mapping
        The answer.

    Returns
    -------
    Cards
        Names of ideas with white space shortened; an empty one is None.
    """
    acts = [
        ActCard(item["type"], item["step"], item["quote"], _name(item["idea"]), tuple(item["shows"]), item["builds_on"])
        for item in answer["acts"]
    ]
    said = [
        PropositionCard(item["type"], item["step"], item["quote"], _name(item["idea"]))
        for item in answer["propositions"]
    ]
    return Cards(tuple(acts), tuple(said))


def merge_passes(passes: Sequence[Cards], needed: int) -> Cards:
    """One list from several passes.

    An act is one by its step and type, a proposition by words of its step that overlap. Each is kept if at least
    `needed` passes found it, once each; what they say of it is decided by most of them, the type of a proposition by
    at least `needed`. Names of ideas are those of the first pass that used each idea.

    Parameters
    ----------
    passes : sequence of Cards
        One for each pass, in order.
    needed : int
        How many must agree.

    Returns
    -------
    Cards
        The same for the same passes.
    """
    acts = [_merged_act(group) for group in _act_groups(passes) if len(group) >= needed]
    said = [card for group in _proposition_groups(passes) if (card := _merged_proposition(group, needed)) is not None]
    names = _first_names(passes)
    return Cards(
        tuple(sorted((_renamed(act, names) for act in acts), key=lambda card: (card.step, card.type))),
        tuple(sorted((_renamed(card, names) for card in said), key=lambda card: (card.step, card.quote, card.type))),
    )


def alike(first: str, second: str) -> bool:
    """Whether two quotes of one step are of one proposition: one holds the other, or they share half their words.

    Parameters
    ----------
    first, second : str
        Quotes.

    Returns
    -------
    bool

    Examples
    --------
    >>> alike("the loss fell", "I see that the loss fell"), alike("the loss fell", "a new idea")
    (True, False)
    """
    if first in second or second in first:
        return True
    left, right = set(first.split()), set(second.split())
    return 2 * len(left & right) >= min(len(left), len(right)) > 0


def _name(text: str | None) -> str | None:
    return (" ".join(text.split()) or None) if text is not None else None


def _act_groups(passes: Sequence[Cards]) -> Iterable[list[tuple[int, ActCard]]]:
    groups: dict[tuple[int, str], dict[int, ActCard]] = {}
    for number, found in enumerate(passes):
        for act in found.acts:
            groups.setdefault((act.step, act.type), {}).setdefault(number, act)
    return [list(group.items()) for group in groups.values()]


def _proposition_groups(passes: Sequence[Cards]) -> Iterable[list[tuple[int, PropositionCard]]]:
    groups: list[dict[int, PropositionCard]] = []
    for number, found in enumerate(passes):
        for said in found.propositions:
            home = next(
                (
                    group
                    for group in groups
                    if number not in group
                    and any(said.step == other.step and alike(said.quote, other.quote) for other in group.values())
                ),
                None,
            )
            if home is None:
                groups.append({number: said})
            else:
                home[number] = said
    return [list(group.items()) for group in groups]


def _merged_act(group: Sequence[tuple[int, ActCard]]) -> tuple[int, ActCard]:
    cards = [card for _, card in group]
    half = len(cards) / 2
    shows = Counter(step for card in cards for step in set(card.shows))
    return group[0][0], replace(
        cards[0],
        quote=_most(card.quote for card in cards),
        shows=tuple(sorted(step for step, number in shows.items() if number > half)),
        builds_on=_most(card.builds_on for card in cards),
    )


def _merged_proposition(
    group: Sequence[tuple[int, PropositionCard]], needed: int
) -> tuple[int, PropositionCard] | None:
    kind, number = Counter(card.type for _, card in group).most_common(1)[0]
    if number < needed:
        return None
    pass_number, first = next((place, card) for place, card in group if card.type == kind)
    longest = max((card.quote for _, card in group), key=lambda quote: (len(quote), quote))
    return pass_number, replace(first, quote=longest)


Choice = TypeVar("Choice")


def _most(values: Iterable[Choice]) -> Choice:
    """What most say; of several the first."""
    return Counter(values).most_common(1)[0][0]


def _renamed(found: tuple[int, Card], names: Callable[[int, str], str]) -> Card:
    number, card = found
    return card if card.idea is None else replace(card, idea=names(number, card.idea))


def _first_names(passes: Sequence[Cards]) -> Callable[[int, str], str]:
    """From a pass and a name of it to the name that an earlier pass most often gave the same cards."""
    told: dict[tuple[int, str], Counter[str]] = {}
    groups: list[list[tuple[int, Any]]] = [*_act_groups(passes), *_proposition_groups(passes)]
    for group in groups:
        first = next((card.idea for _, card in group if card.idea is not None), None)
        for number, card in group:
            if card.idea is not None and first is not None:
                told.setdefault((number, card.idea), Counter())[first] += 1

    def name(number: int, idea: str) -> str:
        found = told.get((number, idea))
        if not found:
            return idea
        most = max(found.values())
        return min(other for other, count in found.items() if count == most)

    return name
