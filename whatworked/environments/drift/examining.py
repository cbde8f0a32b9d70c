"""A report on instances: every constraint, the set that they make, and whether they are retired."""

from __future__ import annotations

from collections.abc import Sequence

from whatworked.environments.drift.answer_space import answer_space, set_finding
from whatworked.environments.drift.checking import canonical_file, parse_instance
from whatworked.environments.drift.constraints import Finding, findings
from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.order import answer_of
from whatworked.environments.drift.sets import retirement_reason


def examine(instance: Instance) -> list[Finding]:
    """Constraints of one instance, and whether it still counts.

    Parameters
    ----------
    instance : Instance
        What to examine.

    Returns
    -------
    list of Finding
        G1 to G9, G11, and ``retired``.
    """
    reason = retirement_reason(instance)
    again = answer_of(parse_instance(canonical_file(instance)))
    same = again == answer_of(instance)
    return [
        *findings(instance),
        Finding("G11", same, f"one answer, recomputed from its canonical file: {'yes' if same else 'no'}"),
        Finding("retired", reason is None, reason or "no"),
    ]


def examine_set(instances: Sequence[Instance]) -> list[tuple[str, Finding]]:
    """Findings of each instance with its name, and that of the whole set.

    Parameters
    ----------
    instances : sequence of Instance
        At least one.

    Returns
    -------
    list of (str, Finding)
    """
    rows = [(instance.file.name, finding) for instance in instances for finding in examine(instance)]
    return [*rows, ("all", Finding("G10", *set_finding(answer_space(instances))))]
