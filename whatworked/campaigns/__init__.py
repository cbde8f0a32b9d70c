"""A pipeline of one's own, measured as one goes: ask, run, stop, and say what each option does."""

from __future__ import annotations

from whatworked.campaigns.asking import Ask
from whatworked.campaigns.campaign import Campaign, open_campaign
from whatworked.campaigns.coding import Coding, read_coded
from whatworked.campaigns.estimates import BestSetting, NoiseFloor, OptionEffect, TableRow
from whatworked.campaigns.findings import Findings, find
from whatworked.campaigns.measuring import measure
from whatworked.campaigns.options import Option, read_options
from whatworked.campaigns.plan import Plan
from whatworked.campaigns.run import Run
from whatworked.campaigns.scale import Scale, UnitMap

__all__ = [
    "Ask",
    "BestSetting",
    "Campaign",
    "Coding",
    "Findings",
    "NoiseFloor",
    "Option",
    "OptionEffect",
    "Plan",
    "Run",
    "Scale",
    "TableRow",
    "UnitMap",
    "find",
    "measure",
    "open_campaign",
    "read_coded",
    "read_options",
]
