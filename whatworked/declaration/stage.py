"""The parts of a workflow declaration: options and stages."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whatworked.surfaces.masks import check_dimensions, option_letters

if TYPE_CHECKING:
    from whatworked.declaration.prepared import PreparedInput

Switches = Mapping[str, bool]
"""Options by letter; True means changed. A stage sees only the letters it reads."""

StageKey = tuple[str, tuple[Hashable, ...]]
"""Name of a stage and every setting its result depends on: equal keys, equal results (on one prepared input)."""


@dataclass(frozen=True)
class Option:
    """A binary choice.

    Attributes
    ----------
    letter : str
        A, B, C, … in the order of the mask.
    name : str
        What is chosen, in a few words.
    off, on : str
        The default setting (bit 0) and the changed setting (bit 1).
    """

    letter: str
    name: str
    off: str
    on: str


@dataclass(frozen=True)
class Stage:
    """One step of a workflow: a pure function of the prepared input, its setting and earlier results.

    Attributes
    ----------
    name : str
        Unique within the workflow.
    run : callable
        ``run(data, setting, *inputs) -> result``. `inputs` are the results of the stages in `needs`, in that order.
        They are shared between masks, so `run` must not change them, nor depend on anything else. Module-level
        functions can be sent to worker processes by every backend, lambdas cannot.
    reads : str
        Letters of the options it reads; "" for a stage that is the same under every mask.
    setting : callable or None
        ``setting(on) -> hashable`` with `on` the read options by letter. It must leave out what has no effect: return
        the same value for masks between which the stage does the same thing. By default the switch itself for one
        option read, the tuple of the switches for several, None for none.
    needs : tuple of str or None
        Earlier stages whose results it takes; by default the one before (none for the first).
    direct : callable or None
        ``direct(data, setting) -> result``: the same result, bit for bit, by the plain library call. A cold run uses
        it in place of `run`, where `run` is a finer-grained computation that shares more.
    """

    name: str
    run: Callable[..., Any]
    reads: str = ""
    setting: Callable[[Switches], Hashable] | None = None
    needs: tuple[str, ...] | None = None
    direct: Callable[..., Any] | None = None

    def setting_under(self, switches: Switches) -> Hashable:
        """Its setting under all options' switches.

        Parameters
        ----------
        switches : mapping of str to bool
            Every option by letter; True means changed.

        Returns
        -------
        hashable

        Raises
        ------
        KeyError
            If the function `setting` looks at an option that the stage does not read. A `Workflow` refuses such a
            stage.
        """
        read = {letter: switches[letter] for letter in self.reads}
        if self.setting is not None:
            return self.setting(read)
        return tuple(read.values()) if len(read) > 1 else next(iter(read.values()), None)


@dataclass(frozen=True)
class StageResult:
    """What a stage returned, and the warning categories raised by it and by every stage it depends on."""

    value: Any
    raised: Mapping[str, tuple[str, ...]]


Store = MutableMapping[StageKey, StageResult]
"""Stage results of one source, shared between masks."""


def call(
    name: str, run: Callable[..., Any], data: PreparedInput, setting: Hashable, inputs: Sequence[StageResult]
) -> StageResult:
    """Run one stage and record the warnings it raises."""
    with warnings.catch_warnings(record=True) as raised:
        # "always": how often a warning was raised before must not matter.
        warnings.simplefilter("always")
        value = run(data, setting, *(result.value for result in inputs))
    earlier = {stage: categories for result in inputs for stage, categories in result.raised.items()}
    return StageResult(value, earlier | {name: tuple(entry.category.__name__ for entry in raised)})


def needs_of(stages: Sequence[Stage], index: int) -> tuple[str, ...]:
    """Names of the stages whose results stage `index` takes."""
    declared = stages[index].needs
    if declared is not None:
        return declared
    return (stages[index - 1].name,) if index else ()


def declaration_problems(options: Sequence[Option], stages: Sequence[Stage]) -> Iterator[str]:
    """Every contradiction between options and stages, one sentence each."""
    letters = tuple(option.letter for option in options)
    if letters != option_letters(check_dimensions(len(options))):
        yield f"option letters are {', '.join(letters)}; they must be A, B, C, … in order"
    if not stages:
        yield "it has no stages"
    earlier: set[str] = set()
    for index, stage in enumerate(stages):
        if unknown := set(stage.reads) - set(letters):
            yield f"stage {stage.name!r} reads {', '.join(sorted(unknown))}, which is not an option"
        if missing := set(needs_of(stages, index)) - earlier:
            yield f"stage {stage.name!r} needs {', '.join(sorted(missing))}, which is not an earlier stage"
        if stage.name in earlier:
            yield f"two stages are called {stage.name!r}"
        if stage.setting is not None and not stage.reads:
            yield f"stage {stage.name!r} has a setting but reads no option"
        if problem := _setting_problem(stage):
            yield f"setting of stage {stage.name!r} {problem}"
        earlier.add(stage.name)
    if unread := set(letters).difference(*(stage.reads for stage in stages)):
        yield f"no stage reads option {', '.join(sorted(unread))}"


def _setting_problem(stage: Stage) -> str:
    """What is wrong with the setting function under some switches, or nothing."""
    for bits in itertools.product((False, True), repeat=len(stage.reads)):
        try:
            hash(stage.setting_under(dict(zip(stage.reads, bits, strict=True))))
        except KeyError as error:
            return f"looks at {error}, which the stage does not read"
        except TypeError as error:
            return f"cannot be hashed: {error}"
    return ""
