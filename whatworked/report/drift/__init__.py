"""One self-contained page about an episode of the drift."""

from whatworked.report.drift.graph import Verdicts
from whatworked.report.drift.page import drift_page

__all__ = ["Verdicts", "drift_page"]
