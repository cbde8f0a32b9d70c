"""One run of a campaign."""

from __future__ import annotations

import msgspec


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one setting.

    Attributes
    ----------
    mask : str
        The setting.
    value : float or None
        The result; None for a hole.
    reason : str
        Why there is no result; empty where there is one.
    ran : list of str
        The arguments of the program that ran; empty for a function or a result that was told.
    seconds : float or None
        How long it took, where that is known.
    """

    mask: str
    value: float | None = None
    reason: str = ""
    ran: list[str] = []
    seconds: float | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.reason == ""):
            raise ValueError("a run has a value or the reason why it has none")
