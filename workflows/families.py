"""Which families the package declares."""

from __future__ import annotations

FAMILIES = (
    "classification",
    "regression",
    "clustering",
    "forecasting",
    "restoration",
    "retrieval",
    "beat_detection",
    "link_prediction",
)
"""The package's own families, in the order in which everything lists them."""
