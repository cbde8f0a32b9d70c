"""What was believed in games of `effects`, beside what is true; and process measures beside what was known."""

from __future__ import annotations

from whatworked.process.truth.checking import EVIDENCE, SCOPES, CheckedEffect, check_effect
from whatworked.process.truth.games import StatedBelief, TruthGame, TruthGames, read_games
from whatworked.process.truth.phrases import StatedEffect, stated_effects
from whatworked.process.truth.relation import KNOWLEDGE, SHOWN_AXES, Relation, limits_of, relation_sentence, relations
from whatworked.process.truth.tables import Tally, belief_row, game_row, relation_row, rows_csv, tallies

__all__ = [
    "EVIDENCE",
    "KNOWLEDGE",
    "SCOPES",
    "SHOWN_AXES",
    "CheckedEffect",
    "Relation",
    "StatedBelief",
    "StatedEffect",
    "Tally",
    "TruthGame",
    "TruthGames",
    "belief_row",
    "check_effect",
    "game_row",
    "limits_of",
    "read_games",
    "relation_row",
    "relation_sentence",
    "relations",
    "rows_csv",
    "stated_effects",
    "tallies",
]
