"""Benchmark runs: estimators and policies under budgets, resumable, and their comparison."""

from __future__ import annotations

from whatworked.runs.benchmark import bench, named_methods
from whatworked.runs.description import PlanDescription, RecordCost, RunManifest
from whatworked.runs.folder import Run, read_run
from whatworked.runs.plan import Method, Plan, crossed
from whatworked.runs.tasks import Task, catalog_tasks
from whatworked.runs.tidy import TidyRow

__all__ = [
    "Method",
    "Plan",
    "PlanDescription",
    "RecordCost",
    "Run",
    "RunManifest",
    "Task",
    "TidyRow",
    "bench",
    "catalog_tasks",
    "crossed",
    "named_methods",
    "read_run",
]
