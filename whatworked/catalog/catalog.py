"""The catalog of conditions, derived from the manifests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from whatworked.arguments import names as as_names
from whatworked.catalog.manifest_files import manifests
from whatworked.catalog.manifest_layout import Manifest
from whatworked.catalog.tracks import SIX, TRACKS, Track
from whatworked.errors import unknown_name
from whatworked.workflows import FAMILIES


@dataclass(frozen=True)
class Condition:
    """A source paired with a set of options.

    Attributes
    ----------
    id : str
        ``<source>`` for four options, ``<source>__d6`` for six.
    source, family : str
        Ids of the source and its workflow family.
    dimensions : int
        Number of options d, 4 or 6; the condition has 2**d configurations.
    track : {"four", "paired", "added"}
        Four options; six options on a source that also has four; six options alone.
    """

    id: str
    source: str
    family: str
    dimensions: int
    track: Track


def conditions() -> tuple[Condition, ...]:
    """All conditions: the four-option track, the paired six-option ones, the added ones.

    Returns
    -------
    tuple of Condition
        Within a track by family, then source, both in the order of the catalog.

    Raises
    ------
    ManifestError
        If a manifest is wrong; only those from outside the package can be.

    Examples
    --------
    >>> [one.id for one in conditions()][:4]
    ['banknote', 'breast_diagnostic', 'ionosphere', 'spambase']
    """
    known = sorted(
        manifests().values(), key=lambda manifest: (_family_rank(manifest.family), manifest.family, manifest.id)
    )
    return tuple(_condition(manifest, track) for track in TRACKS for manifest in known if track in manifest.tracks)


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
        If a manifest is wrong; only those from outside the package can be.

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
        If a manifest is wrong; only those from outside the package can be.

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
        If a manifest is wrong; only those from outside the package can be.

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
        If a manifest is wrong; only those from outside the package can be.

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


def _condition(manifest: Manifest, track: Track) -> Condition:
    four = track == "four"
    return Condition(
        manifest.id if four else f"{manifest.id}{SIX}", manifest.id, manifest.family, 4 if four else 6, track
    )


def _family_rank(family: str) -> int:
    return FAMILIES.index(family) if family in FAMILIES else len(FAMILIES)
