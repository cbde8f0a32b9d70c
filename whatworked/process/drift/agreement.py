"""How far a judge agrees with labels that people gave: Cohen's kappa of statements and of grounding."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from whatworked.errors import InvalidOptionError
from whatworked.process.drift.criteria import CRITERIA
from whatworked.process.drift.judgement import Judgement
from whatworked.storage.files import storage_errors
from whatworked.wording import first_few

HEADER = ("episode", "criterion", "stated", "grounded")
_WORDS = {"yes": True, "no": False}


class Label(NamedTuple):
    """What a person says of one criterion.

    Attributes
    ----------
    stated, grounded : bool
        Whether the notes state it, and ground it.
    """

    stated: bool
    grounded: bool


class Agreement(NamedTuple):
    """How two readings of the same notes compare.

    Attributes
    ----------
    pairs : int
        Criteria that both read.
    judged, labelled : int
        How many the judge credits, and how many the labels do.
    same : int
        How many are read alike.
    kappa : float or None
        Cohen's kappa; None where both give one and the same answer throughout.
    """

    pairs: int
    judged: int
    labelled: int
    same: int
    kappa: float | None


def read_labels(path: Path) -> dict[tuple[str, str], Label]:
    """Read a CSV file of labels strictly.

    Parameters
    ----------
    path : Path
        Its header is ``episode,criterion,stated,grounded``; the last two are yes or no.

    Returns
    -------
    dict of (str, str) to Label
        By episode and criterion.

    Raises
    ------
    StorageError
        If it cannot be read.
    InvalidOptionError
        For a line that is malformed, unknown, or stands twice; every one is named.
    """
    with storage_errors(path, "read"):
        data = path.read_bytes()
    try:
        rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig")), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InvalidOptionError(f"labels {path}: {error}; a CSV file in UTF-8 is expected") from None
    if not rows or tuple(cell.strip() for cell in rows[0]) != HEADER:
        raise InvalidOptionError(f"labels {path}: the first line is not {','.join(HEADER)}")
    found: dict[tuple[str, str], Label] = {}
    wrong = []
    for number, row in enumerate(rows[1:], 2):
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        problem = _problem(cells, found)
        if problem:
            wrong.append(f"line {number} {problem}")
        else:
            found[cells[0], cells[1]] = Label(_WORDS[cells[2]], _WORDS[cells[3]])
    if wrong:
        raise InvalidOptionError(f"labels {path}: {first_few(wrong)}")
    if not found:
        raise InvalidOptionError(f"labels {path}: there are none below the first line")
    return found


def _problem(cells: Sequence[str], found: Mapping[tuple[str, str], Label]) -> str | None:
    if len(cells) != len(HEADER):
        return f"has {len(cells)} cells; allowed: {len(HEADER)}"
    episode, criterion, *words = cells
    if criterion not in CRITERIA:
        return f"names criterion {criterion!r}; allowed: {', '.join(CRITERIA)}"
    if not _WORDS.keys() >= set(words):
        return f"says {' and '.join(map(repr, words))}; allowed: yes and no"
    if words == ["no", "yes"]:
        return "is grounded without being stated"
    if (episode, criterion) in found:
        return f"labels {criterion} of {episode} again"
    return None


def agreement(judgements: Iterable[Judgement], labels: Mapping[tuple[str, str], Label]) -> tuple[Agreement, Agreement]:
    """Compare a judge with labels, on what both read.

    Parameters
    ----------
    judgements : iterable of Judgement
        The judge's.
    labels : mapping of (str, str) to Label
        By episode and criterion.

    Returns
    -------
    tuple of (Agreement, Agreement)
        Of statements, and of grounding. Criteria without an answer of the judge are left out.

    Raises
    ------
    InvalidOptionError
        If no label is of what was judged.
    """
    judged = {
        (judgement.episode, statement.criterion): Label(statement.stated, statement.grounded)
        for judgement in judgements
        for statement in judgement.statements
        if statement.reply == "answer"
    }
    both = [(judged[key], label) for key, label in labels.items() if key in judged]
    if not both:
        raise InvalidOptionError(
            "no label is of an episode and criterion that were judged; episodes go by their folder"
        )
    return (
        _compare([(first.stated, second.stated) for first, second in both]),
        _compare([(first.grounded, second.grounded) for first, second in both]),
    )


def _compare(pairs: Sequence[tuple[bool, bool]]) -> Agreement:
    first, second = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    same = sum(judged == labelled for judged, labelled in pairs)
    return Agreement(len(pairs), sum(first), sum(second), same, cohen_kappa(first, second))


def cohen_kappa(first: Sequence[object], second: Sequence[object]) -> float | None:
    """Agreement of two readings beyond what their shares alone would give.

    Parameters
    ----------
    first, second : sequence
        Answers to the same things, in one order.

    Returns
    -------
    float or None
        1 for equal readings, 0 for what chance gives; None where chance alone gives full agreement, or of nothing.
        Formula: J. Cohen, Educational and Psychological Measurement 20 (1960) 37.

    Examples
    --------
    >>> cohen_kappa([True, True, False, False], [True, False, False, False])
    0.5
    """
    number = len(first)
    same = sum(one == other for one, other in zip(first, second, strict=True))
    counts, others = Counter(first), Counter(second)
    chance = sum(counts[answer] * others[answer] for answer in counts)  # in pairs of number squared
    if chance == number**2:
        return None
    return (same * number - chance) / (number**2 - chance)
