"""Prepared inputs of the sources that a run needs, and why others are absent."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from whatworked.declaration.prepared import PreparedInput
from whatworked.errors import SourceUnavailableError, WhatWorkedError

Prepare = Callable[[str], PreparedInput]
"""From a source's id to its prepared input, as `whatworked.sources.library.Library.prepared`."""


@dataclass(frozen=True)
class Inputs:
    """Sources of one run.

    Attributes
    ----------
    prepared : dict of str to PreparedInput
        Those that are here, by id.
    absent : dict of str to SourceUnavailableError
        Those that no route leads to, with what to do about it.
    broken : dict of str to str
        Those whose data are here but wrong, with what is wrong.
    """

    prepared: dict[str, PreparedInput] = field(default_factory=dict)
    absent: dict[str, SourceUnavailableError] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)

    def problem(self, source: str) -> str | None:
        """Why `source` cannot run, and what to do about it; None if it can."""
        return str(self.absent[source]) if source in self.absent else self.broken.get(source)

    def absence(self, source: str) -> tuple[str, ...]:
        """The reasons alone why `source` is absent; none if it is not, or if they are not known."""
        return self.absent[source].why if source in self.absent else ()


def load_inputs(sources: Iterable[str], prepare: Prepare) -> Inputs:
    """Prepare each source once; one that is absent or broken does not stop the others."""
    inputs = Inputs()
    for source in dict.fromkeys(sources):
        try:
            inputs.prepared[source] = prepare(source)
        except SourceUnavailableError as error:
            inputs.absent[source] = error
        except WhatWorkedError as error:
            inputs.broken[source] = str(error)
        except Exception as error:  # whatever one source meets, the others go on
            inputs.broken[source] = f"source {source} cannot be prepared: {type(error).__name__}: {error}"
    return inputs
