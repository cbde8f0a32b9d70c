"""Declaring a workflow: options, stages, a metric, and the identity of a prediction."""

from __future__ import annotations

from whatworked.declaration.fingerprint import (
    PredictionForm,
    labels_fingerprint,
    rankings_fingerprint,
    samples_fingerprint,
    values_fingerprint,
)
from whatworked.declaration.metric import (
    Metric,
)
from whatworked.declaration.outcome import (
    Outcome,
)
from whatworked.declaration.prepared import (
    PreparedInput,
)
from whatworked.declaration.stage import (
    Option,
    Stage,
)
from whatworked.declaration.workflow import (
    Prediction,
    Workflow,
)

__all__ = [
    "Metric",
    "Option",
    "Outcome",
    "Prediction",
    "PredictionForm",
    "PreparedInput",
    "Stage",
    "Workflow",
    "labels_fingerprint",
    "rankings_fingerprint",
    "samples_fingerprint",
    "values_fingerprint",
]
