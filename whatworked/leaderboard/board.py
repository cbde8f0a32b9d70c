"""The leaderboard: verified submissions side by side, by track and budget."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from whatworked.catalog import TRACKS
from whatworked.comparing.summary import grouped, measurements, standings
from whatworked.errors import RunError
from whatworked.leaderboard.packing import SUFFIX, off_leaderboard, unpack
from whatworked.leaderboard.verification import verified
from whatworked.runs.folder import Run, pretty
from whatworked.statistics.bootstrap import macro_interval
from whatworked.storage.files import storage_errors
from whatworked.wording import first_few

BOARD = "leaderboard.json"


@dataclass(frozen=True)
class Entry:
    """One method of a submission under one budget on a whole track.

    Attributes
    ----------
    track, method, submission : str
    budget : int
    rules : bool
        Whether the run handed out code-equivalence classes.
    recovery : float
        Family-macro recovery.
    low, high : float or None
        Its 95 % bootstrap interval; None for a single record.
    strict, exact : float
        Number of sources, seeds averaged.
    sources, missing : int
        Number of sources; of missing deliveries.
    families : mapping of str to float
        Recovery by family.
    digest : str
        Digest of the submission.
    """

    track: str
    budget: int
    rules: bool
    method: str
    submission: str
    recovery: float
    low: float | None
    high: float | None
    strict: float
    exact: float
    sources: int
    missing: int
    families: Mapping[str, float]
    digest: str


def entries_of(run: Run, digest: str) -> list[Entry]:
    """Entries of a verified run: the tracks it covers whole, the budgets that leave something to infer."""
    rows = run.rows()
    groups = grouped(rows)
    whole = _whole_tracks(run)
    made = []
    for one in standings(rows):
        largest = max(row["dimensions"] for row in groups[one.track, one.budget, one.method])
        if one.track not in whole or one.budget >= (1 << largest) - 2:
            continue
        interval = macro_interval(measurements(groups[one.track, one.budget, one.method]))
        made.append(
            Entry(
                track=one.track,
                budget=one.budget,
                rules=bool(run.description["rules"]),
                method=one.method,
                submission=run.name,
                recovery=interval.estimate,
                low=interval.low,
                high=interval.high,
                strict=one.strict,
                exact=one.exact,
                sources=one.sources,
                missing=one.missing,
                families=dict(one.families),
                digest=digest,
            )
        )
    return made


def board_of(folder: Path) -> list[Entry]:
    """Entries of all packed runs in a folder, each verified.

    Raises
    ------
    RunError
        If one of them is refused or was made on other reference tables than the package's, or two bear one name.
    """
    entries: list[Entry] = []
    names: Counter[str] = Counter()
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        with storage_errors(path, "read"):
            submission = unpack(path.read_bytes(), str(path))
        names[submission.name] += 1
        if off := off_leaderboard(submission.plan):
            raise RunError(
                f"{path} cannot stand on the leaderboard, which takes conditions of the catalog on the package's "
                f"tables only, so not {first_few(off)}; take the file out of "
                "the folder, or pack a run without them"
            )
        entries += entries_of(verified(submission), submission.digest)
    if repeated := [name for name, count in names.items() if count > 1]:
        raise RunError(f"{folder} holds several runs called {', '.join(repeated)}; give each its own name")
    return ranked(entries)


def ranked(entries: Iterable[Entry]) -> list[Entry]:
    """By track, budget, without and with rules, then falling recovery."""
    return sorted(
        entries,
        key=lambda one: (
            _track_rank(one.track),
            one.budget,
            one.rules,
            -round(one.recovery, 9),
            one.method,
            one.submission,
        ),
    )


def _track_rank(track: str) -> int:
    tracks: tuple[str, ...] = TRACKS
    return tracks.index(track) if track in tracks else len(tracks)


def encode_board(entries: Sequence[Entry]) -> bytes:
    """The leaderboard as a file: numbers to nine decimals, so that it is the same on every machine."""
    return pretty({"entries": [_rounded(asdict(one)) for one in entries]})


def recorded_board() -> list[Entry]:
    """The leaderboard that comes with the package."""
    from importlib.resources import files

    path = files("whatworked.results") / BOARD
    if not path.is_file():
        return []
    return [Entry(**one) for one in json.loads(path.read_text(encoding="utf-8"))["entries"]]


def _whole_tracks(run: Run) -> set[str]:
    """Tracks of the catalog of which the run has every condition."""
    from whatworked import catalog

    held = {entry["condition"] for entry in run.description["conditions"]}
    wanted: dict[str, set[str]] = {}
    for one in catalog.conditions():
        wanted.setdefault(one.track, set()).add(one.id)
    return {track for track, names in wanted.items() if names <= held}


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(inner) for key, inner in value.items()}
    return round(value, 9) if isinstance(value, float) else value
