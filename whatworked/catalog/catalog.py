"""The catalog of conditions, derived from the manifests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from whatworked.arguments import names as as_names
from whatworked.catalog.manifest_files import Entry, entries
from whatworked.catalog.tracks import OWN, SIX, TRACKS, Track, outside_track
from whatworked.errors import unknown_name
from whatworked.workflows import FAMILIES


@dataclass(frozen=True)
class Condition:
    """A source paired with a set of options.

    Attributes
    ----------
    id : str
        ``<source>`` for four options and for a family of its own size, ``<source>__d6`` for six.
    source, family : str
        Ids of the source and its workflow family.
    dimensions : int
        Number of options d, 4 or 6, or that of a family of its own size; the condition has 2**d configurations.
    track : str
        ``"four"``, four options; ``"paired"``, six options on a source that also has four; ``"added"``, six options
        alone; ``"outside-5"``, all options of a family of its own size.
    problem : str
        What is wrong with the manifest of its source, so that it cannot run; empty where nothing is.
    """

    id: str
    source: str
    family: str
    dimensions: int
    track: str
    problem: str = field(default="", repr=False)


def conditions() -> tuple[Condition, ...]:
    """All conditions: the four-option track, the paired six-option ones, the added ones, those of other sizes.

    Returns
    -------
    tuple of Condition
        Within a track by family, then source, both in the order of the catalog.

    Raises
    ------
    ManifestError
        If a folder of manifests does not exist, or two share an id; a wrong one alone is its conditions' `problem`.

    Examples
    --------
    >>> [one.id for one in conditions()][:4]
    ['banknote', 'breast_diagnostic', 'ionosphere', 'spambase']
    """
    known = sorted(entries().values(), key=lambda entry: (_family_rank(entry.family), entry.family, entry.id))
    return (
        *(_condition(entry, track) for track in TRACKS for entry in known if track in entry.tracks),
        *(_own_condition(entry) for entry in known if OWN in entry.tracks),
    )


def condition(name: str) -> Condition:
    """The condition of an id.

    Parameters
    ----------
    name : str
        For instance ``"wine__d6"``.

    Returns
    -------
    Condition

    Raises
    ------
    UnknownNameError
        If there is none of that id; the message offers the nearest.
    ManifestError
        If a folder of manifests does not exist, or two share an id; a wrong one alone is its conditions' `problem`.

    Examples
    --------
    >>> condition("wine__d6")
    Condition(id='wine__d6', source='wine', family='clustering', dimensions=6, track='paired')
    """
    known = {condition.id: condition for condition in conditions()}
    if not isinstance(name, str) or name not in known:
        raise unknown_name("condition", name, known)
    return known[name]


def families() -> tuple[str, ...]:
    """Families that have a source.

    Returns
    -------
    tuple of str
        In the order of the catalog; those from outside come last.

    Raises
    ------
    ManifestError
        If a folder of manifests does not exist, or two share an id; a wrong one alone is its conditions' `problem`.

    Examples
    --------
    >>> families()[:3]
    ('classification', 'regression', 'clustering')
    """
    ordered = sorted(conditions(), key=lambda condition: _family_rank(condition.family))
    return tuple(dict.fromkeys(condition.family for condition in ordered))


def sources(family: str | None = None) -> tuple[str, ...]:
    """Source ids of one family, or of all.

    Parameters
    ----------
    family : str, optional
        Name of the family; default all.

    Returns
    -------
    tuple of str
        In catalog order.

    Raises
    ------
    UnknownNameError
        If no source is of that family.
    ManifestError
        If a folder of manifests does not exist, or two share an id; a wrong one alone is its conditions' `problem`.

    Examples
    --------
    >>> sources("clustering")
    ('dry_bean', 'glass', 'seeds', 'wine')
    """
    known = families()
    if family is not None and (not isinstance(family, str) or family not in known):
        raise unknown_name("family", family, known)
    wanted = known if family is None else (family,)
    return tuple(
        dict.fromkeys(condition.source for kind in wanted for condition in conditions() if condition.family == kind)
    )


def select(names: str | Iterable[str] = (), family: str | Iterable[str] = ()) -> tuple[Condition, ...]:
    """Conditions by id and family; all of them if neither is given.

    Parameters
    ----------
    names : str or iterable of str
        Ids, several or one.
    family : str or iterable of str
        Families, several or one.

    Returns
    -------
    tuple of Condition
        In catalog order: those of the ids and those of the families, each once.

    Raises
    ------
    UnknownNameError
        If a condition or family does not exist.
    InvalidOptionError
        If names or families are given otherwise.
    ManifestError
        If a folder of manifests does not exist, or two share an id; a wrong one alone is its conditions' `problem`.

    Examples
    --------
    >>> [one.id for one in select("wine", family="retrieval")]
    ['wine', 'arguana', 'scifact', 'scifact__d6']
    """
    wanted = {condition(name).id for name in as_names(names, "names")}
    kinds = set(as_names(family, "family"))
    for kind in kinds:
        sources(kind)
    if not wanted and not kinds:
        return conditions()
    return tuple(condition for condition in conditions() if condition.id in wanted or condition.family in kinds)


def _condition(entry: Entry, track: Track) -> Condition:
    four = track == "four"
    name = entry.id if four else f"{entry.id}{SIX}"
    return Condition(name, entry.id, entry.family, 4 if four else 6, track, entry.problem)


def _own_condition(entry: Entry) -> Condition:
    return Condition(entry.id, entry.id, entry.family, entry.options, outside_track(entry.options), entry.problem)


def _family_rank(family: str) -> int:
    return FAMILIES.index(family) if family in FAMILIES else len(FAMILIES)
