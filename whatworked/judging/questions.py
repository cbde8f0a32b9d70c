"""Closed questions as versioned data files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import msgspec

from whatworked.errors import QuestionError
from whatworked.judging.fences import LABEL, Material, fenced, mark_for, texts_of
from whatworked.judging.schema import Schema, json_schema, offences
from whatworked.storage.toml_text import read_toml
from whatworked.wording import counted

_PLACE = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_CHOICES = frozenset({"string", "integer", "boolean", "null"})
"""Types of what can be voted on."""
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
MOST_ATTEMPTS = 3
"""Replies for one vote at most, whatever their classes."""


class Floor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long a quote must be.

    Attributes
    ----------
    characters : int
        Least number of characters, with white space shortened.
    words : int
        Least number of words.
    """

    characters: int = 1
    words: int = 1


class Counting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which part of an answer is voted on.

    Attributes
    ----------
    value : str
        The property that holds the choice.
    list : str or None
        Where one answer decides many things: the property that holds the list of them. `value` and `key` are then
        properties of its items.
    key : str or None
        The property that names what an item of the list is about.
    """

    value: str
    list: str | None = None
    key: str | None = None


class Question(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A closed question to a judge.

    Attributes
    ----------
    id : str
        Its name: small letters, digits and single hyphens.
    version : int
        Raised with every change of what is asked.
    asks : str
        The question in one line, for people.
    read_by : tuple of str
        What reads the answers: measures, juries, edges.
    prompt : str
        What is asked, with ``{{name}}`` where the quoted material of a field goes.
    fields : mapping of str to str
        The fields, each with what it holds. Every one stands in the prompt.
    answer : Schema
        What an answer must look like: an object.
    votes : int
        How often it is asked.
    floor : int or None
        How many answers a decision needs; None is a majority of the votes.
    early_stop : bool
        Whether votes that cannot change the outcome are left out.
    max_tokens : int
        Most tokens of an answer; asked again with twice as many where an answer was cut off.
    temperature : float or None
        Sampling temperature; None is the provider's own.
    retries : int or None
        How often one vote is asked again at most, whatever came back; None leaves that to the class of each reply.
    shortest_quote : Floor
        How long quotes in an answer must be.
    vote : Counting or None
        Which part of an answer is voted on; None where the caller counts, or where nothing is voted on.
    """

    id: str
    version: int
    asks: str
    read_by: tuple[str, ...]
    prompt: str
    fields: Mapping[str, str]
    answer: Schema
    votes: int
    floor: int | None = None
    early_stop: bool = False
    max_tokens: int = 1024
    temperature: float | None = None
    retries: int | None = None
    shortest_quote: Floor = Floor()
    vote: Counting | None = None

    def render(self, fields: Mapping[str, Material]) -> str:
        """The prompt with its quoted material between fences, the rule for it, and the form of the answer.

        Parameters
        ----------
        fields : mapping of str to str or sequence of (str, str)
            The material of every field: a text, or texts with labels.

        Returns
        -------
        str
            The same for the same material.

        Raises
        ------
        QuestionError
            If a field is missing or unknown, or a label cannot stand in a fence or stands twice.
        """
        self._check(fields)
        mark = mark_for(texts_of(fields))
        frame = _frame()
        asked = _PLACE.sub(lambda place: fenced(place[1], fields[place[1]], mark), self.prompt.strip())
        schema = json.dumps(json_schema(self.answer), ensure_ascii=False)
        return "\n\n".join(
            [
                frame.quoted.strip().format(mark=mark),
                asked,
                frame.answer.strip().replace("{schema}", schema),
            ]
        )

    def _check(self, fields: Mapping[str, Material]) -> None:
        missing = [name for name in self.fields if name not in fields]
        unknown = [name for name in fields if name not in self.fields]
        if missing or unknown:
            said = [f"lacks {', '.join(missing)}"] * bool(missing) + [f"has no {', '.join(unknown)}"] * bool(unknown)
            raise QuestionError(f"question {self.id!r} {' and '.join(said)}; its fields: {', '.join(self.fields)}")
        for name, material in fields.items():
            labels = [] if isinstance(material, str) else [label for label, _ in material]
            for label in labels:
                if not LABEL.fullmatch(label):
                    raise QuestionError(
                        f"field {name} of question {self.id!r}: label {label!r} cannot stand in a fence"
                    )
            if len(set(labels)) < len(labels):
                raise QuestionError(f"field {name} of question {self.id!r} has a label twice")

    def long_enough(self, quote: str) -> bool:
        """Whether a quote reaches the question's floor.

        Parameters
        ----------
        quote : str
            What an answer quotes.

        Returns
        -------
        bool
        """
        words = quote.split()
        return len(" ".join(words)) >= self.shortest_quote.characters and len(words) >= self.shortest_quote.words

    def attempts(self) -> int:
        """How many replies one vote may take.

        Returns
        -------
        int
        """
        return MOST_ATTEMPTS if self.retries is None else self.retries + 1

    def majority(self) -> int:
        """How many equal votes decide.

        Returns
        -------
        int
            More than half of those that are asked for.
        """
        return self.votes // 2 + 1

    def needed(self) -> int:
        """How many answers a decision needs.

        Returns
        -------
        int
        """
        return self.majority() if self.floor is None else self.floor


def again(prompt: str, complaints: Sequence[str]) -> str:
    """The prompt of a question that is asked again, with what was wrong with the answer before.

    That may repeat words of the answer, and so of the record: it is quoted material as well.
    """
    said = "; ".join(complaints)
    block = fenced("complaints", said, mark_for([said]))
    return f"{prompt}\n\n{_frame().again.strip().replace('{complaints}', block)}"


class _Frame(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    version: int
    quoted: str
    answer: str
    again: str


@cache
def _frame() -> _Frame:
    return msgspec.toml.decode((Path(__file__).parent / "frame.toml").read_bytes(), type=_Frame)


def load_question(path: Path) -> Question:
    """Read a question's file strictly.

    Parameters
    ----------
    path : Path
        A TOML file.

    Returns
    -------
    Question

    Raises
    ------
    StorageError
        If it cannot be read.
    QuestionError
        For anything in it that is missing, unknown, of a wrong type, or contradicts the rest; all of it is named.
    """
    try:
        question = read_toml(path, Question)
    except ValueError as error:
        raise QuestionError(
            f"question {path}: {error}; see docs/judging.md for what a question's file holds"
        ) from error
    wrong = _wrong(question, path.stem)
    if wrong:
        raise QuestionError(f"question {path}: {'; '.join(wrong)}")
    return question


def load_questions(folder: Path) -> dict[str, Question]:
    """Read every question's file of a folder.

    Parameters
    ----------
    folder : Path
        Holds ``*.toml``, each named by the question's id.

    Returns
    -------
    dict of str to Question
        By id, in alphabetical order.

    Raises
    ------
    StorageError
        If a file cannot be read.
    QuestionError
        If a file breaks a rule, or there is none.
    """
    found = {path.stem: load_question(path) for path in sorted(folder.glob("*.toml"))}
    if not found:
        raise QuestionError(f"{folder} holds no questions; each is a file NAME.toml")
    return found


def _wrong(question: Question, stem: str) -> list[str]:
    """Everything that contradicts itself in a question's file."""
    wrong = []
    if not _ID.fullmatch(question.id):
        wrong.append(f"id {question.id!r} is not of small letters, digits and single hyphens")
    if question.id != stem:
        wrong.append(f"id {question.id!r} differs from the file's name {stem!r}")
    for name, value in (("version", question.version), ("votes", question.votes), ("max_tokens", question.max_tokens)):
        if value < 1:
            wrong.append(f"{name} is {value}; allowed: 1 and above")
    if question.floor is not None and not 1 <= question.floor <= question.votes:
        wrong.append(f"floor is {question.floor}; allowed: 1 to {counted(question.votes, 'vote')}")
    if question.retries is not None and not 0 <= question.retries < MOST_ATTEMPTS:
        wrong.append(f"retries is {question.retries}; allowed: 0 to {MOST_ATTEMPTS - 1}")
    if question.temperature is not None and not 0 <= question.temperature <= 2:
        wrong.append(f"temperature is {question.temperature:g}; allowed: 0 to 2")
    return [*wrong, *_wrong_places(question), *_wrong_answer(question)]


def _wrong_places(question: Question) -> list[str]:
    places = _PLACE.findall(question.prompt)
    wrong = [f"field {name!r} is not a small-letter name" for name in question.fields if not _NAME.fullmatch(name)]
    wrong += [f"the prompt does not hold {{{{{name}}}}}" for name in question.fields if name not in places]
    wrong += [f"the prompt holds {{{{{name}}}}}, which is no field" for name in places if name not in question.fields]
    return wrong


def _wrong_answer(question: Question) -> list[str]:
    wrong = [f"answer: {offence}" for offence in offences(question.answer)]
    if question.answer.types() != ("object",):
        wrong.append("answer: it must be an object")
    if question.vote is None:
        return wrong
    part = question.answer
    if (question.vote.list is None) != (question.vote.key is None):
        wrong.append("vote: list and key go together")
    if question.vote.list is not None:
        listed = question.answer.properties.get(question.vote.list)
        if listed is None or listed.items is None:
            return [*wrong, f"vote: {question.vote.list!r} is no list of the answer"]
        part = listed.items
    return [*wrong, *_wrong_vote(question.vote, part)]


def _wrong_vote(vote: Counting, part: Schema) -> list[str]:
    """What is wrong with the properties that are voted on, which must be there and hold one thing each."""
    names = [name for name in (vote.value, vote.key) if name is not None]
    missing = [name for name in names if name not in part.needed()]
    many = [name for name in names if name not in missing and not _CHOICES.issuperset(part.properties[name].types())]
    return [f"vote: {name!r} is no required property of the answer" for name in missing] + [
        f"vote: {name!r} may be {' or '.join(part.properties[name].types())}; allowed: {', '.join(sorted(_CHOICES))}"
        for name in many
    ]
