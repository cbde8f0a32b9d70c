"""How far a judge agrees with labels that people gave: Cohen's kappa of statements and of grounding, with intervals.

The criteria of an episode are read in the same notes, so intervals are of resamples of whole episodes: percentile
intervals (B. Efron and R. Tibshirani, An Introduction to the Bootstrap, Chapman and Hall 1993, chapter 13).
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from whatworked.arguments import whole_number
from whatworked.errors import InvalidOptionError
from whatworked.process.drift.criteria import CRITERIA
from whatworked.process.drift.judgement import Judgement
from whatworked.statistics.bootstrap import MOST_RESAMPLES, RESAMPLES
from whatworked.storage.canonical import canonical_json
from whatworked.storage.files import read_file
from whatworked.surfaces.masks import FloatArray, IntArray
from whatworked.wording import first_few

HEADER = ("episode", "criterion", "stated", "grounded")
WHOLE = "all"
"""Under which the agreement over all criteria stands."""
_WORDS = {"yes": True, "no": False}
_LARGEST = 1 << 24
_CONFIDENCE = 0.95


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
    episodes : int
        From which the pairs are.
    pairs : int
        Criteria that both read.
    judged, labelled : int
        How many the judge credits, and how many the labels do.
    same : int
        How many are read alike.
    kappa : float or None
        Cohen's kappa; None where both give one and the same answer throughout.
    low, high : float or None
        95 % interval of kappa over resampled episodes. Resamples without a kappa are left out; None with one episode
        or where fewer than half of the resamples have one.
    """

    episodes: int
    pairs: int
    judged: int
    labelled: int
    same: int
    kappa: float | None
    low: float | None = None
    high: float | None = None


class Agreements(NamedTuple):
    """Agreement on one criterion, or on all.

    Attributes
    ----------
    stated, grounded : Agreement
        Of statements, and of grounding.
    """

    stated: Agreement
    grounded: Agreement


class Disagreement(NamedTuple):
    """A criterion that judge and label read differently.

    Attributes
    ----------
    episode, criterion : str
        Which.
    judged, labelled : Label
        What each says.
    """

    episode: str
    criterion: str
    judged: Label
    labelled: Label


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
    data = read_file(path, _LARGEST)
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


def agreement(
    judgements: Iterable[Judgement], labels: Mapping[tuple[str, str], Label], resamples: int = RESAMPLES, seed: int = 0
) -> dict[str, Agreements]:
    """Compare a judge with labels, on what both read.

    Parameters
    ----------
    judgements : iterable of Judgement
        The judge's.
    labels : mapping of (str, str) to Label
        By episode and criterion.
    resamples : int
        Of the episodes, for the intervals.
    seed : int
        Of the resampling; equal arguments give equal intervals.

    Returns
    -------
    dict of str to Agreements
        Over all criteria under ``"all"``, then by criterion, those without a pair left out. Criteria without an answer
        of the judge make no pair.

    Raises
    ------
    InvalidOptionError
        If no label is of what was judged, or for a number of resamples or a seed that is not allowed.
    """
    resamples, seed = whole_number(resamples, "resamples", 1), whole_number(seed, "seed", 0)
    if resamples > MOST_RESAMPLES:
        raise InvalidOptionError(f"resamples is {resamples}; it must be at most {MOST_RESAMPLES}")
    pairs = _pairs(judgements, labels)
    groups = {WHOLE: pairs} | {name: [pair for pair in pairs if pair.criterion == name] for name in CRITERIA}
    return {
        name: Agreements(
            _compare([(p.episode, p.judged.stated, p.labelled.stated) for p in group], resamples, seed),
            _compare([(p.episode, p.judged.grounded, p.labelled.grounded) for p in group], resamples, seed),
        )
        for name, group in groups.items()
        if group
    }


def disagreements(judgements: Iterable[Judgement], labels: Mapping[tuple[str, str], Label]) -> tuple[Disagreement, ...]:
    """What judge and labels read differently.

    Parameters
    ----------
    judgements : iterable of Judgement
        The judge's.
    labels : mapping of (str, str) to Label
        By episode and criterion.

    Returns
    -------
    tuple of Disagreement
        In the order of the labels.

    Raises
    ------
    InvalidOptionError
        If no label is of what was judged.
    """
    return tuple(pair for pair in _pairs(judgements, labels) if pair.judged != pair.labelled)


def agreement_bytes(
    judgements: Sequence[Judgement],
    labels: Mapping[tuple[str, str], Label],
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> bytes:
    """Agreement and disagreements as the bytes of a file.

    Parameters
    ----------
    judgements : sequence of Judgement
        The judge's.
    labels : mapping of (str, str) to Label
        By episode and criterion.
    resamples, seed : int
        As for `agreement`.

    Returns
    -------
    bytes
        A line of canonical JSON, the same for the same judgements and labels.

    Raises
    ------
    InvalidOptionError
        As for `agreement`.
    """
    found = agreement(judgements, labels, resamples, seed)
    content = {
        "format": "drift-agreement/1",
        "judges": sorted({judgement.answered_by or judgement.judge for judgement in judgements}),
        "resamples": resamples,
        "seed": seed,
        "agreement": {
            name: {"stated": pair.stated._asdict(), "grounded": pair.grounded._asdict()} for name, pair in found.items()
        },
        "disagreements": [
            pair._asdict() | {"judged": pair.judged._asdict(), "labelled": pair.labelled._asdict()}
            for pair in disagreements(judgements, labels)
        ],
    }
    return canonical_json(content) + b"\n"


def _pairs(judgements: Iterable[Judgement], labels: Mapping[tuple[str, str], Label]) -> list[Disagreement]:
    """What both read, alike or not."""
    judged = {
        (judgement.episode, statement.criterion): Label(statement.stated, statement.grounded)
        for judgement in judgements
        for statement in judgement.statements
        if statement.reply == "answer"
    }
    pairs = [Disagreement(*key, judged[key], label) for key, label in labels.items() if key in judged]
    if not pairs:
        raise InvalidOptionError(
            "no label is of an episode and criterion that were judged; episodes go by their folder"
        )
    return pairs


def _compare(readings: Sequence[tuple[str, bool, bool]], resamples: int, seed: int) -> Agreement:
    """Agreement of readings, each of an episode."""
    first, second = [reading[1] for reading in readings], [reading[2] for reading in readings]
    episodes = list(dict.fromkeys(reading[0] for reading in readings))
    # For each episode: both say no, only the label yes, only the judge yes, both yes.
    counts = np.zeros((len(episodes), 4), dtype=np.int64)
    for episode, judged, labelled in readings:
        counts[episodes.index(episode), 2 * judged + labelled] += 1
    same = sum(judged == labelled for judged, labelled in zip(first, second, strict=True))
    kappa, low, high = cohen_kappa(first, second), None, None
    if len(episodes) > 1 and kappa is not None:
        low, high = _interval(counts, resamples, seed)
    return Agreement(len(episodes), len(readings), sum(first), sum(second), same, kappa, low, high)


def _interval(counts: IntArray, resamples: int, seed: int) -> tuple[float | None, float | None]:
    """The percentile interval of kappa over resampled rows of counts, shape (episodes, 4)."""
    random = np.random.default_rng(seed)
    drawn = random.multinomial(len(counts), np.full(len(counts), 1 / len(counts)), size=resamples) @ counts
    kappas = _kappas(drawn)
    if 2 * kappas.size < resamples:
        return None, None
    low, high = np.quantile(kappas, [(1 - _CONFIDENCE) / 2, (1 + _CONFIDENCE) / 2]).tolist()
    return low, high


def _kappas(counts: IntArray) -> FloatArray:
    """Cohen's kappa of rows of counts, where it is defined."""
    neither, label_only, judge_only, both = counts.T.astype(float)
    number = neither + label_only + judge_only + both
    judged, labelled = judge_only + both, label_only + both
    chance = judged * labelled + (number - judged) * (number - labelled)
    defined = chance < number**2
    gain = (neither + both) * number - chance
    kappas: FloatArray = gain[defined] / (number**2 - chance)[defined]
    return kappas


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
