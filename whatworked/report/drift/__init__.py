"""One self-contained page about an episode of the drift."""

from whatworked.report.drift.graph import Verdicts
from whatworked.report.drift.page import drift_page
from whatworked.report.drift.verdicts import verdicts_of

__all__ = ["Verdicts", "drift_page", "verdicts_of"]
