"""Scripted players: they see what any player sees, and call nothing but tools."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

PLAYERS: Mapping[str, str] = MappingProxyType(
    {
        "random": "whatworked.episodes.players.designs:play_random",
        "one-at-a-time": "whatworked.episodes.players.designs:play_one_at_a_time",
        "factorial": "whatworked.episodes.players.designs:play_factorial",
        "ridge": "whatworked.episodes.players.models:play_ridge",
        "gp": "whatworked.episodes.players.models:play_gp",
        "rgp": "whatworked.episodes.players.models:play_rgp",
        "careless": "whatworked.episodes.players.careless:play_carelessly",
        "cheat": "whatworked.episodes.players.cheat:play_falsely",
        "speaker": "whatworked.episodes.players.speakers:speak_soundly",
        "speaker-unread": "whatworked.episodes.players.speakers:speak_of_half",
        "speaker-overclaims": "whatworked.episodes.players.speakers:speak_too_boldly",
        "speaker-ignores": "whatworked.episodes.players.speakers:speak_past_contradictions",
        "speaker-invents": "whatworked.episodes.players.speakers:speak_of_invented_results",
        "speaker-farms": "whatworked.episodes.players.speakers:speak_for_the_rubric",
        "speaker-forges": "whatworked.episodes.players.speakers:speak_of_forged_forecasts",
    }
)
"""``module:function`` of each player of `effects`, called as ``function(game, seed=0)``."""

DRIFT_PLAYERS: Mapping[str, str] = MappingProxyType(
    {
        name: f"whatworked.episodes.players.drift:play_{name.replace('-', '_')}"
        for name in (
            *("route", "walk", "passive", "random", "document-copier", "falsifiers"),
            *("constant", "copy", "pace", "staging", "sweep", "wide-sweep"),
        )
    }
)
"""``module:function`` of each player of `drift`, called in the same way."""

PLAYERS_OF: Mapping[str, Mapping[str, str]] = MappingProxyType({"effects": PLAYERS, "drift": DRIFT_PLAYERS})
"""Players by the environment that they can play."""
