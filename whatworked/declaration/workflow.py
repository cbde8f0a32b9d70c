"""Declaring a workflow: options, an ordered chain of stages, a metric.

A stage states which options it reads and turns them into a small hashable *setting*. The tuple of its settings is the
program a mask runs. Sharing of work, code equivalence and the text shown to a player all follow from that one
declaration.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from whatworked.declaration import text
from whatworked.declaration.fingerprint import PredictionForm
from whatworked.declaration.outcome import Outcome
from whatworked.declaration.stage import (
    Option,
    Stage,
    StageKey,
    StageResult,
    Store,
    Switches,
    call,
    declaration_problems,
    needs_of,
)
from whatworked.errors import DeclarationError, InvalidMaskError
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.masks import mask_rank, mask_strings

if TYPE_CHECKING:
    from whatworked.declaration.metric import Metric
    from whatworked.declaration.prepared import PreparedInput

__all__ = ["Option", "Prediction", "Stage", "StageKey", "StageResult", "Store", "Switches", "Workflow"]


@dataclass(frozen=True)
class Prediction:
    """What the last stage of a workflow returned for one mask.

    Attributes
    ----------
    value : object
        The prediction, in the form that the workflow's `PredictionForm` states.
    warnings : tuple of str
        Categories of the warnings raised on the way, in stage order.
    """

    value: Any
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Workflow:
    """A declared workflow family.

    Attributes
    ----------
    family : str
        Name of the family.
    summary : str
        One sentence on what it does.
    options : tuple of Option
        The options of the masks, A first.
    stages : tuple of Stage
        In order; the result of the last one is the prediction.
    metric : Metric
        Scores a prediction.
    form : PredictionForm
        Identity and fingerprint of a prediction.
    held_off : tuple of Option
        Options kept at their default, as in the four-option track.
    version : str
        Goes into the record of every reference table; raised with each change of a stage that may change a result. The
        record of a family from outside the package has a digest of its text besides.

    Raises
    ------
    DeclarationError
        At construction, listing every contradiction found.
    """

    family: str
    summary: str
    options: tuple[Option, ...]
    stages: tuple[Stage, ...]
    metric: Metric
    form: PredictionForm
    held_off: tuple[Option, ...] = ()
    version: str = "1"

    def __post_init__(self) -> None:
        problems = list(declaration_problems(self.options + self.held_off, self.stages))
        if problems:
            raise DeclarationError(f"workflow {self.family!r}: " + "; ".join(problems))

    @property
    def d(self) -> int:
        """Number of options."""
        return len(self.options)

    def restricted(self, d: int) -> Workflow:
        """The workflow with only its first `d` options, the others held at their default.

        Parameters
        ----------
        d : int
            From 1 to the number of options, those held off included.

        Returns
        -------
        Workflow

        Raises
        ------
        InvalidMaskError
            If it has fewer than `d` options or `d` is less than 1.
        """
        every = self.options + self.held_off
        if not 1 <= d <= len(every):
            raise InvalidMaskError(f"{self.family} has {len(every)} options; cannot restrict it to {d}")
        return replace(self, options=every[:d], held_off=every[d:])

    def settings(self, mask: str | Sequence[int]) -> tuple[Hashable, ...]:
        """Setting of every stage under a mask.

        Parameters
        ----------
        mask : str or sequence of int
            The configuration: a 0/1 string or d bits, option A first.

        Returns
        -------
        tuple of hashable
            In stage order. Masks with equal settings are the same program.

        Raises
        ------
        InvalidMaskError
            If the mask is none of the d options.
        """
        switches = self._switches(mask)
        return tuple(stage.setting_under(switches) for stage in self.stages)

    def equivalence(self, d: int | None = None) -> Equivalence:
        """Classes of masks with equal settings.

        Parameters
        ----------
        d : int, optional
            Over the first `d` options, the others held off; default all.

        Returns
        -------
        Equivalence

        Raises
        ------
        InvalidMaskError
            If the workflow has fewer than `d` options or `d` is less than 1.
        """
        workflow = self if d is None or d == self.d else self.restricted(d)
        return Equivalence.from_keys([workflow.settings(mask) for mask in mask_strings(workflow.d)])

    def stage_keys(self, mask: str | Sequence[int]) -> tuple[StageKey, ...]:
        """What the result of every stage depends on under a mask.

        Parameters
        ----------
        mask : str or sequence of int
            The configuration: a 0/1 string or d bits, option A first.

        Returns
        -------
        tuple of (str, tuple of hashable)
            In stage order: the name of the stage, and the settings of all stages its result depends on, its own last.
            Equal keys mean equal results on one source.

        Raises
        ------
        InvalidMaskError
            If the mask is none of the d options.
        """
        settings = self.settings(mask)
        return tuple(
            (stage.name, tuple(settings[k] for k in self._ancestry[index])) for index, stage in enumerate(self.stages)
        )

    def predict(self, data: PreparedInput, mask: str | Sequence[int], store: Store | None = None) -> Prediction:
        """Run the stages of one mask.

        Parameters
        ----------
        data : PreparedInput
            The source.
        mask : str or sequence of int
            The configuration: a 0/1 string or d bits, option A first.
        store : mutable mapping, optional
            Results of earlier calls *on the same source* by stage key: what is found there is not run again, what is
            run is added. Without it, nothing is shared (a cold run). The caller may take entries out at any time.

        Returns
        -------
        Prediction
            The prediction and the warnings of all stages.

        Raises
        ------
        InvalidMaskError
            If the mask is none of the d options.
        """
        shared = store is not None
        run = _Run(self, data, self.settings(mask), self.stage_keys(mask), {} if store is None else store, shared)
        result = run.result(len(self.stages) - 1)
        raised = tuple(category for stage in self.stages for category in result.raised.get(stage.name, ()))
        return Prediction(result.value, raised)

    def score(self, data: PreparedInput, prediction: Any, raised: tuple[str, ...] = ()) -> Outcome:
        """Score a prediction.

        Parameters
        ----------
        data : PreparedInput
            The source.
        prediction : object
            What `predict` gave as `value`.
        raised : tuple of str
            Warning categories to record with it.

        Returns
        -------
        Outcome

        Raises
        ------
        InvalidOptionError
            If the metric is a cost whose scale on this source is not a finite number above 0.
        MetricDisagreementError
            In a workflow that is `checked`, if the second computation of the metric differs.
        """
        native = float(self.metric.native(data, prediction))
        return Outcome(
            utility=self.metric.utility(data, native),
            native=native,
            digest=self.form.digest(prediction),
            fingerprint=self.form.fingerprint(prediction),
            warnings=raised,
            extras={} if self.metric.extras is None else dict(self.metric.extras(data, prediction)),
        )

    def run(self, data: PreparedInput, mask: str | Sequence[int], store: Store | None = None) -> Outcome:
        """Run and score one mask.

        Parameters
        ----------
        data : PreparedInput
            The source.
        mask : str or sequence of int
            The configuration: a 0/1 string or d bits, option A first.
        store : mutable mapping, optional
            As for `predict`; without it the run is cold.

        Returns
        -------
        Outcome

        Raises
        ------
        InvalidMaskError, InvalidOptionError, MetricDisagreementError
            As for `predict` and `score`.
        """
        prediction = self.predict(data, mask, store)
        return self.score(data, prediction.value, prediction.warnings)

    def checked(self) -> Workflow:
        """The same workflow, whose runs compute the metric twice (see `Metric.checked`).

        Returns
        -------
        Workflow
        """
        return replace(self, metric=self.metric.checked())

    def describe(self) -> dict[str, Any]:
        """Facts of the declaration: options, stages, metric.

        Returns
        -------
        dict
            JSON values by name.
        """
        return text.describe(self)

    def code(self) -> str:
        """Source text of the modules that hold the stages.

        Returns
        -------
        str
            Each module under a comment with its name, then the helper modules that they import from their own package.
        """
        return text.code(self)

    @cached_property
    def inputs(self) -> tuple[tuple[int, ...], ...]:
        """Positions of the stages whose results each stage takes."""
        position = {stage.name: index for index, stage in enumerate(self.stages)}
        return tuple(
            tuple(position[name] for name in needs_of(self.stages, index)) for index in range(len(self.stages))
        )

    @cached_property
    def _ancestry(self) -> tuple[tuple[int, ...], ...]:
        """Per stage the positions of all stages its result depends on, itself last."""
        found: list[tuple[int, ...]] = []
        for index, direct in enumerate(self.inputs):
            above = {k for parent in direct for k in found[parent]}
            found.append((*sorted(above), index))
        return tuple(found)

    def _switches(self, mask: str | Sequence[int]) -> dict[str, bool]:
        if not isinstance(mask, str):
            mask = "".join(str(int(bit)) for bit in mask)
        mask_rank(mask, self.d)
        switches = {option.letter: bit == "1" for option, bit in zip(self.options, mask, strict=True)}
        return switches | {option.letter: False for option in self.held_off}


@dataclass(frozen=True)
class _Run:
    """One mask's program on one source; a stage runs when its result is asked for and not in the store."""

    workflow: Workflow
    data: PreparedInput
    settings: tuple[Hashable, ...]
    keys: tuple[StageKey, ...]
    store: Store
    shared: bool

    def result(self, index: int) -> StageResult:
        held = self.store.get(self.keys[index])
        if held is None:
            held = self.store[self.keys[index]] = self._fresh(index)
        return held

    def _fresh(self, index: int) -> StageResult:
        stage = self.workflow.stages[index]
        if stage.direct is not None and not self.shared:
            return call(stage.name, stage.direct, self.data, self.settings[index], ())
        inputs = [self.result(k) for k in self.workflow.inputs[index]]
        return call(stage.name, stage.run, self.data, self.settings[index], inputs)
