"""Runs by what a person calls them: a folder, a packed file, a name on the leaderboard."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path

from whatworked.comparing.collection import RunCollection, collect_runs
from whatworked.errors import UnknownNameError, nearest
from whatworked.leaderboard.board import recorded_board
from whatworked.leaderboard.packing import SUFFIX, read_packed
from whatworked.leaderboard.verification import verified
from whatworked.runs.folder import Run, is_claimed, read_run
from whatworked.wording import first_few


def find_run(name: Path | str, references: Path | None = None) -> Run:
    """The run of a folder, a packed file or a submission on the leaderboard.

    Parameters
    ----------
    name : Path or str
        A folder that `whatworked.bench` wrote, a packed file, which is graded again, or the name of a submission.
    references : Path, optional
        Folder of reference tables for packed files; default: those of the package.

    Returns
    -------
    Run
        Without costs and surfaces if it was packed.

    Raises
    ------
    UnknownNameError
        If it is none of these.
    RunError
        As `whatworked.runs.read_run`, or if a packed file is refused.
    """
    path, packed = Path(name), _recorded(str(name))
    if _is_folder(path):
        return read_run(path)
    if path.is_file():
        return verified(read_packed(path), references)
    if packed is None:
        raise _unknown(str(name))
    return verified(read_packed(packed), references)


def _is_folder(path: Path) -> bool:
    """Whether a name means a folder: one that bears the name of a submission, and holds no run, does not hide that."""
    return path.is_dir() and (_recorded(str(path)) is None or is_claimed(path))


def collect_named(names: Sequence[Path | str], references: Path | None = None) -> RunCollection:
    """Runs by name, put together.

    Of a packed run, beside runs of one's own, only the conditions, tracks and budgets that these have are kept.
    A method on the leaderboard, such as ``RGP``, stands for its submission without the other methods.

    Parameters
    ----------
    names : sequence of Path or str
        What `find_run` takes, or a method on the leaderboard.
    references : Path, optional
        As for `find_run`.

    Returns
    -------
    RunCollection

    Raises
    ------
    UnknownNameError, RunError, InvalidOptionError
        As `find_run` and `whatworked.comparing.collect_runs`.
    """
    runs: list[Run] = []
    alone: list[str] = []
    packed: list[bool] = []
    for name in names:
        own = Path(name).is_file() or (Path(name).is_dir() and is_claimed(Path(name)))
        submission = None if own else _submission_of(str(name))
        run = find_run(submission or name, references)
        alone.append(str(name) if submission else "")
        runs.append(run)
        packed.append(not _is_folder(Path(name)))
    collection = collect_runs(runs)
    kept: set[str] = set()
    for method, shown in zip(alone, collection.names, strict=True):
        kept |= {shown[method]} if method else set(shown.values())
    collection = collection.narrowed(methods=kept & set(collection.methods))
    return collection if all(packed) or not any(packed) else _at_places_of(collection, runs, packed)


def _at_places_of(collection: RunCollection, runs: Iterable[Run], packed: Iterable[bool]) -> RunCollection:
    """Without the conditions, tracks and budgets that only packed runs have."""
    own = [row for run, away in zip(runs, packed, strict=True) if not away for row in run.rows()]
    held = collection.rows
    tracks = {row.track for row in own} & {row.track for row in held}
    budgets = {row.budget for row in own} & {row.budget for row in held}
    conditions = {row.condition for row in own} & {row.condition for row in held}
    return collection.narrowed(tracks, budgets, conditions=conditions)


def _submission_of(method: str) -> str | None:
    """The submission of a method on the leaderboard, unless a submission bears that name itself."""
    entries = recorded_board()
    if any(entry.submission == method for entry in entries):
        return None
    return next((entry.submission for entry in entries if entry.method == method), None)


def _recorded(name: str) -> Path | None:
    for file in sorted(files("whatworked.results").iterdir(), key=lambda member: member.name):
        if file.name == name + SUFFIX:
            return Path(str(file))
    return None


def _unknown(name: str) -> UnknownNameError:
    entries = recorded_board()
    known = list(dict.fromkeys([*(entry.submission for entry in entries), *(entry.method for entry in entries)]))
    near = nearest(name, known)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return UnknownNameError(
        f"{name!r} is no folder of a run, no packed file, and no run or method on the leaderboard{hint} (there are: "
        f"{first_few(known, 12)}); make a run with `whatworked bench`"
    )
