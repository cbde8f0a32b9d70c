"""Run the conditions named on the command line; print utilities, bounds of rounding and metric disagreement as JSON.

Started by the tests in a process of its own, because the numeric profile has to stand in the environment before numpy
loads.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
from rounding_bounds import FAMILIES, bounds

from whatworked import catalog, workflows
from whatworked.declaration.workflow import Store
from whatworked.errors import SourceUnavailableError
from whatworked.sources import Library
from whatworked.surfaces import mask_strings


def table(library: Library, condition: str) -> dict[str, Any]:
    one = catalog.condition(condition)
    data = library.prepared(one.source)
    workflow = workflows.get(one.family).restricted(one.dimensions)
    store: Store = {}
    utilities, allowed, worst = {}, {}, 0.0
    for mask in mask_strings(one.dimensions):
        prediction = workflow.predict(data, mask, store)
        utilities[mask] = workflow.score(data, prediction.value, prediction.warnings).utility
        allowed[mask] = bounds(data, mask).total if one.family in FAMILIES else 0.0
        # Unlike the built-in function this keeps a NaN.
        worst = float(np.maximum(worst, workflow.metric.disagreement(data, prediction.value)))
    return {"utility": utilities, "rounding": allowed, "disagreement": worst}


def main() -> None:
    library = Library(sys.argv[1], offline=True)
    found = {}
    for condition in sys.argv[2:]:
        try:
            found[condition] = table(library, condition)
        except SourceUnavailableError:
            continue
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
