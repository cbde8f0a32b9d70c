"""From grades to figures: averages, paired differences, bootstrap intervals."""

from __future__ import annotations

from whatworked.statistics.averages import (
    Mean,
    Measurement,
    Summary,
    macro_mean,
    summarize,
)
from whatworked.statistics.bootstrap import (
    Interval,
    difference_interval,
    macro_interval,
)
from whatworked.statistics.multiplicity import (
    holm,
    smallest_detectable,
)
from whatworked.statistics.paired import (
    Comparison,
    Omission,
    compare,
    source_omission,
)
from whatworked.statistics.ranks import (
    Association,
    RankedItem,
    rank_association,
)

__all__ = [
    "Association",
    "Comparison",
    "Interval",
    "Mean",
    "Measurement",
    "Omission",
    "RankedItem",
    "Summary",
    "compare",
    "difference_interval",
    "holm",
    "macro_interval",
    "macro_mean",
    "rank_association",
    "smallest_detectable",
    "source_omission",
    "summarize",
]
