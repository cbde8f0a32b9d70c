"""Experience for a campaign: what earlier campaigns, and tables of results, showed of the same options."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from whatworked.campaigns.asking import fit_results
from whatworked.campaigns.campaign import PLAN, Campaign, open_campaign
from whatworked.campaigns.options import Option
from whatworked.campaigns.plan import Plan
from whatworked.campaigns.scale import Direction, Scale
from whatworked.campaigns.tables import one_each, options_of, read_rows, results_of, value_column
from whatworked.errors import InvalidOptionError
from whatworked.inference.noise import noise_level
from whatworked.storage.files import user_path
from whatworked.surfaces.experience import Experience, KnownSurface
from whatworked.surfaces.masks import FloatArray, IntArray

MOST = 200
"""Campaigns and tables in a folder; each is fitted once before the first run is chosen."""


def read_experience(
    folder: Path, options: Sequence[Option], direction: Direction = "maximize", own: Path | None = None
) -> Experience:
    """What the campaigns and tables in a folder say about some options.

    Parameters
    ----------
    folder : Path
        Holds folders of campaigns, at any depth, and CSV files with a column for each option and one, the last, of
        results.
    options : sequence of Option
        Of the campaign that is begun. They are matched by name; where the two levels stand the other way round there,
        they are turned.
    direction : {"maximize", "minimize"}
        Which results of a CSV file are good; a campaign says it itself.
    own : Path, optional
        Folder of the campaign that is begun or gone on with, which is no experience of its own.

    Returns
    -------
    Experience
        A surface that has no option in common, or fewer than two results, is left out.

    Raises
    ------
    InvalidOptionError
        If the folder holds nothing of the kind, or too much.
    JournalError, StorageError
        If a campaign is damaged or in use, or a file cannot be read.
    """
    place = user_path(folder)
    if not place.is_dir():
        raise InvalidOptionError(f"experience {str(folder)!r} is no folder; name one that holds campaigns or CSV files")
    # Resolved: the same folder may be named by way of `..` or a link.
    mine = [] if own is None else [user_path(own).resolve()]
    campaigns = [path.parent for path in sorted(place.rglob(PLAN)) if path.parent.resolve() not in mine]
    tables = [path for path in sorted(place.rglob("*.csv")) if not path.is_dir()]
    tables = [path for path in tables if not _is_in(path, campaigns, mine)]
    if not campaigns and not tables:
        raise InvalidOptionError(
            f"{folder} holds no campaign and no CSV file; name the folder in which earlier campaigns lie"
        )
    if len(campaigns) + len(tables) > MOST:
        raise InvalidOptionError(f"{folder} holds {len(campaigns) + len(tables)} campaigns and tables; at most {MOST}")
    found = [_of_campaign(path, place, options) for path in campaigns]
    found += [_of_table(path, place, options, direction) for path in tables]
    distinct = {surface.digest: surface for surface in found if surface is not None}
    return Experience(tuple(option.name for option in options), tuple(distinct.values()))


def _is_in(path: Path, *folders: Sequence[Path]) -> bool:
    parents = path.resolve().parents
    return any(folder.resolve() in parents for several in folders for folder in several)


def _of_campaign(path: Path, place: Path, options: Sequence[Option]) -> KnownSurface | None:
    with open_campaign(path) as campaign:
        return _known(path.name if path == place else str(path.relative_to(place)), campaign, options)


def _of_table(path: Path, place: Path, options: Sequence[Option], direction: Direction) -> KnownSurface | None:
    rows = read_rows(path)
    column = value_column(rows, None)
    try:
        theirs = options_of(rows, column)
        campaign = Campaign(Plan(theirs, Scale(direction)))
        campaign.tell(one_each(results_of(rows, theirs, column)))
    except InvalidOptionError as error:
        raise InvalidOptionError(f"{path}: {error}") from None
    return _known(str(path.relative_to(place)), campaign, options)


def _known(name: str, campaign: Campaign, options: Sequence[Option]) -> KnownSurface | None:
    plan = campaign.plan
    measured, values = campaign.measured
    if np.unique(measured).size < 2 or not {option.name for option in plan.options} & {one.name for one in options}:
        return None
    unit_map = plan.scale.fitted(values)
    utilities = _means(measured, unit_map.utilities(values), plan.d)
    if plan.noise is None:
        noise = noise_level(fit_results(plan, unit_map, measured, values)).sd ** 2
    else:
        noise = unit_map.utility_sd(plan.noise) ** 2
    return KnownSurface(name, tuple(option.name for option in plan.options), _turned(utilities, plan, options), noise)


def _means(ranks: IntArray, values: FloatArray, d: int) -> FloatArray:
    """Mean result of every setting, NaN where there is none, shape (2**d,)."""
    counts = np.bincount(ranks, minlength=1 << d)
    sums = np.bincount(ranks, weights=values, minlength=1 << d)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _turned(utilities: FloatArray, plan: Plan, options: Sequence[Option]) -> FloatArray:
    """The table with the two levels of an option exchanged where they stand the other way round in `options`."""
    labels = {option.name: (option.label(0), option.label(1)) for option in options}
    cube = utilities.reshape((2,) * plan.d)
    for axis, option in enumerate(plan.options):
        if labels.get(option.name) == (option.label(1), option.label(0)):
            cube = np.flip(cube, axis)
    return np.ascontiguousarray(cube).reshape(-1)
