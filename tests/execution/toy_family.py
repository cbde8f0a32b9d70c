"""A small workflow family, quick to run and easy to break, for tests of the executor."""

from __future__ import annotations

import os
import signal
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from whatworked.catalog import Condition
from whatworked.declaration import Metric, PredictionForm, PreparedInput, Workflow, values_fingerprint
from whatworked.declaration.workflow import Option, Stage
from whatworked.errors import SourceUnavailableError


def _mark(data: PreparedInput, stage: str) -> None:
    """Leave a trace of a stage's run where the test asked for it."""
    if folder := data.facts.get("traces"):
        with (Path(folder) / stage).open("a") as stream:
            stream.write(f"{os.getpid()}\n")


def shift(data: PreparedInput, by: float) -> Any:
    _mark(data, "shift")
    return data.arrays["x"] + by


def bend(data: PreparedInput, power: int, x: Any) -> Any:
    _mark(data, "bend")
    if power == 3:
        warnings.warn("bent a lot", RuntimeWarning, stacklevel=1)
    return np.sign(x) * np.abs(x) ** (power / 2)


def mix(data: PreparedInput, setting: tuple[bool, bool], x: Any) -> Any:
    _mark(data, "mix")
    if data.facts.get("slow"):
        time.sleep(data.facts["slow"])
    if data.facts.get("fails") == list(setting):
        raise ValueError("this setting cannot be mixed")
    if data.facts.get("exits") == list(setting):
        raise SystemExit("a file called \udcff")
    if data.facts.get("spoils") == list(setting):
        return x * np.nan
    if data.facts.get("dies"):
        os.kill(os.getpid(), signal.SIGKILL)
    reverse, smooth = setting
    x = x[::-1] if reverse else x
    return np.cumsum(x) / np.arange(1, x.size + 1) if smooth else x


def error(data: PreparedInput, prediction: Any) -> float:
    return float(np.abs(prediction - data.arrays["y"]).mean())


WORKFLOW = Workflow(
    family="toys",
    summary="Shift, bend and mix a vector.",
    options=(
        Option("A", "shift", "0", "0.5"),
        Option("B", "bend", "not", "square root"),
        Option("C", "order", "forward", "backward"),
        Option("D", "smoothing", "none", "running mean"),
        Option("E", "bend further", "no", "power 3/2 (only with B)"),
        Option("F", "nothing much", "0.0", "a bit more shift (only with A)"),
    ),
    stages=(
        Stage("shift", shift, "AF", lambda on: (0.75 if on["F"] else 0.5) if on["A"] else 0.0),
        Stage("bend", bend, "BE", lambda on: (3 if on["E"] else 1) if on["B"] else 2),
        Stage("mix", mix, "CD", lambda on: (on["C"], on["D"])),
    ),
    metric=Metric("MAE", error, error, cost_scale=lambda data: 2.0, unit="cm"),
    form=PredictionForm("the vector", values_fingerprint, "float64"),
)

FOUR = Condition("box", "box", "toys", 4, "four")
SIX = Condition("box__d6", "box", "toys", 6, "paired")
OTHER = Condition("jar__d6", "jar", "toys", 6, "added")
CONDITIONS = (FOUR, SIX, OTHER)


def workflow_of(family: str) -> Workflow:
    assert family == "toys"
    return WORKFLOW


class Shelf:
    """Prepared inputs by source, with facts that make them slow, failing or deadly."""

    def __init__(self, **facts: dict[str, Any]) -> None:
        self.facts = facts

    def __call__(self, source: str) -> PreparedInput:
        facts = self.facts.get(source, {})
        if facts.get("absent"):
            raise SourceUnavailableError(f"source {source} is not on this machine")
        rng = np.random.default_rng(len(source) + ord(source[0]))
        return PreparedInput(source, "toys", {"x": rng.normal(size=500), "y": rng.normal(size=500)}, facts)
