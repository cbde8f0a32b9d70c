"""From records to statements: runs put together, averages, paired differences, what they support."""

from __future__ import annotations

from whatworked.comparing.comparison import (
    Against,
    Cost,
    Figure,
    compare_methods,
)
from whatworked.comparing.findings import (
    uncompared,
)
from whatworked.comparing.pool import (
    Pool,
    pooled,
    read_pool,
)
from whatworked.comparing.statements import (
    Statement,
)
from whatworked.comparing.summary import (
    Standing,
    standings,
)

__all__ = [
    "Against",
    "Cost",
    "Figure",
    "Pool",
    "Standing",
    "Statement",
    "compare_methods",
    "pooled",
    "read_pool",
    "standings",
    "uncompared",
]
