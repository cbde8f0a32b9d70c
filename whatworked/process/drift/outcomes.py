"""Episodes and their judgements as outcomes: read, matched, and held to be comparable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from whatworked.environments.drift.environment import DriftEnvironment
from whatworked.episodes.standings import EpisodeRow
from whatworked.errors import EpisodeError, InvalidOptionError
from whatworked.process.drift.contrasts import Outcome
from whatworked.process.drift.judgement import Judgement
from whatworked.storage.files import read_file
from whatworked.wording import first_few

LOGGED = (
    *("evidence", "evidence_auc", "reach", "interventions", "exact"),
    *("intake_right", "answer_right", "counter_right"),
)
"""Measures of the log."""
JUDGED = ("blocks", "auc", "xc", "rc", "evidenced")
"""Measures that need a judgement."""
_LARGEST = 1 << 24


def outcomes_of(rows: Sequence[EpisodeRow], judgements: Path | None = None) -> tuple[list[Outcome], list[str]]:
    """Outcomes of episodes of the drift.

    Parameters
    ----------
    rows : sequence of EpisodeRow
        Read and scored.
    judgements : Path, optional
        Folder with ``NAME.judgement.json`` of them, NAME being that of an episode's folder.

    Returns
    -------
    outcomes : list of Outcome
        Of those that are over; a missing prediction is a wrong one, and an episode without notes states nothing.
    left_out : list of str
        What was left out, and why.

    Raises
    ------
    InvalidOptionError
        If they have more than one budget, or two of one name were judged.
    EpisodeError
        If a judgement cannot be read, or is of another episode.
    StorageError
        If a file cannot be read.
    """
    left_out = [f"{row.folder}: it is of {row.record.terms.environment}" for row in rows if not _is_drift(row)]
    drift = [row for row in rows if _is_drift(row)]
    left_out += [f"{row.folder}: it is not finished" for row in drift if not _is_over(row)]
    over = [row for row in drift if _is_over(row)]
    budgets = sorted({int(str(row.record.terms.options["budget"])) for row in over})
    if len(budgets) > 1:
        raise InvalidOptionError(
            f"the episodes have budgets of {', '.join(map(str, budgets))} paid actions, which do not compare; give "
            "episodes of one budget"
        )
    read = {} if judgements is None else _judgements(over, judgements)
    unjudged = [str(row.folder) for row in over if judgements is not None and _awaits(row) and row.folder not in read]
    if unjudged:
        left_out.append(f"no finished judgement of {first_few(unjudged)} is in {judgements}: measures of the log alone")
    return [_outcome(row, read.get(row.folder), silent=judgements is not None) for row in over], left_out


def _is_drift(row: EpisodeRow) -> bool:
    return row.record.terms.environment == DriftEnvironment.name


def _is_over(row: EpisodeRow) -> bool:
    used, limits = row.score.values, row.record.terms.budgets
    spent = any(float(used[name] or 0) >= limits[name] for name in ("paid", "turns", "aux_turns"))
    return spent or row.state != "unfinished"


def _awaits(row: EpisodeRow) -> bool:
    """Whether there are notes for a judge to read; without any nothing is stated, and nobody need say so."""
    return bool(row.score.values["notes"])


def _outcome(row: EpisodeRow, judgement: Judgement | None, *, silent: bool) -> Outcome:
    values: dict[str, float | None] = {name: row.score.values[name] for name in LOGGED}
    if silent and not _awaits(row):
        values |= dict.fromkeys(JUDGED, 0.0)
    if judgement is not None and judgement.score is not None:
        score = judgement.score
        counts = (score.blocks, score.auc, score.xc, score.rc, len(score.evidenced))
        values |= dict(zip(JUDGED, map(float, counts), strict=True))
    terms = row.record.terms
    return Outcome(row.about.player or "unnamed", terms.instance_digest, str(terms.options["variant"]), values)


def _judgements(rows: Iterable[EpisodeRow], folder: Path) -> Mapping[Path, Judgement]:
    """Finished judgements, by the folder of the episode."""
    found: dict[Path, Judgement] = {}
    names: set[str] = set()
    for row in rows:
        name = row.folder.resolve().name
        path = folder / f"{name}.judgement.json"
        if name in names:
            raise InvalidOptionError(f"more than one episode is called {name}, so that {path} could be of either")
        names.add(name)
        if not path.is_file():
            continue
        try:
            judgement = msgspec.json.decode(read_file(path, _LARGEST), type=Judgement)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise EpisodeError(f"{path} is no judgement: {error}; run `whatworked drift judge` again") from None
        if judgement.evidence != row.score.details["detectors"]:
            raise EpisodeError(f"{path} is of another episode than {row.folder}; judge that one again")
        if judgement.score is not None:
            found[row.folder] = judgement
    return found
