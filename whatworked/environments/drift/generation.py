"""Instances from seeds: drafts are drawn until one satisfies every constraint."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from whatworked.environments.drift.checking import instance_from
from whatworked.environments.drift.constraints import satisfies_all
from whatworked.environments.drift.drawing import Family, draw, generator_for
from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.order import answer_of

MOST_DRAFTS = 100_000
"""Drafts after which something must be wrong; about one in a hundred is taken."""


def generate(ensemble: str, number: int, *, family: Family = "paper", salt: bytes | None = None) -> Instance:
    """Generate one instance of a set.

    Parameters
    ----------
    ensemble : str
        Name of the set; sets of other names have other instances.
    number : int
        Place in the set, from 0.
    family : {"paper", "wide"}
        Which orders are drawn.
    salt : bytes, optional
        A secret that the seed is drawn with; without it the instance is public.

    Returns
    -------
    Instance
        With its answer stated, and `meta` saying the set, the number and the draft that was taken.

    Raises
    ------
    RuntimeError
        If no draft is taken, which no seed is known for.
    """
    for draft in range(MOST_DRAFTS):
        file = draw(generator_for(f"{family}/{ensemble}", number, draft, salt), family, f"{ensemble}-{number:03d}")
        instance = instance_from(file)
        if satisfies_all(instance):
            meta = {"ensemble": ensemble, "family": family, "number": number, "draft": draft}
            return instance_from(replace(file, answer=answer_of(instance), meta=meta | {"salted": salt is not None}))
    raise RuntimeError(f"no draft of {ensemble} {number} satisfies the constraints")


def generate_set(
    ensemble: str, count: int, *, family: Family = "paper", salt: bytes | None = None
) -> Iterator[Instance]:
    """Generate the first `count` instances of a set.

    Parameters
    ----------
    ensemble, family, salt
        As in `generate`.
    count : int
        How many.

    Yields
    ------
    Instance
    """
    for number in range(count):
        yield generate(ensemble, number, family=family, salt=salt)
