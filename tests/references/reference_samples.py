"""Small tables for the tests."""

from __future__ import annotations

import msgspec

from whatworked.references.schema import Header, OptionNote, Row, Table
from whatworked.surfaces import mask_strings


def table(d: int = 2, **changes: object) -> Table:
    options = tuple(OptionNote("ABCDEF"[i], f"option {i}", "off", "on → é") for i in range(d))
    header = Header(
        schema=1, condition="toy", family="toys", source="box", options=options, metric="MAE", unit="mV", cost_scale=0.1
    )
    rows = tuple(
        Row(
            mask=mask,
            utility=1 / (rank + 3),
            native=0.1 * (rank + 2),
            prediction=f"{rank:064x}",
            warnings=("RuntimeWarning", "RuntimeWarning") if rank == 1 else (),
            fingerprint={"n": 3, "quantiles": [1e-300, 0.1 + 0.2, -5.0]},
            sensitivity={"f1_150ms": 1.0, "f1_50ms": 0.1} if rank else {},
        )
        for rank, mask in enumerate(mask_strings(d))
    )
    return msgspec.structs.replace(Table(header, rows), **changes)
