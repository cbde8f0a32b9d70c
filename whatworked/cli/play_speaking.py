"""``whatworked play drift --player inspect:MODEL``: a model plays with words, with or without a note aid."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from whatworked.cli.judging import ModelOptions, print_estimates, spent_text
from whatworked.cli.output import print_json, print_text

if TYPE_CHECKING:
    from whatworked.episodes.episode import Episode
    from whatworked.episodes.speaking import Transcript
    from whatworked.episodes.ticket import Ticket
    from whatworked.judging import Panel, Prices

CALLS = "model.calls"
"""Journal of calls in an episode's folder."""


def play_speaking(
    held: Ticket, model: str, scaffold: str | None, asking: ModelOptions, games: int, as_json: bool
) -> int:
    """Let a model play the episode of a ticket, or say what that would cost."""
    from whatworked.environments.drift import DriftEnvironment
    from whatworked.episodes.speaking.aids import new_aid
    from whatworked.errors import InvalidOptionError

    if held.environment != DriftEnvironment.name:
        raise InvalidOptionError(
            f"a model plays {DriftEnvironment.name} with words, not {held.environment}; for that use the Inspect task "
            f"`whatworked/{held.environment}` (docs/agents.md)"
        )
    if games != 1:
        raise InvalidOptionError(f"--games {games} is for scripted players; give each episode of a model its own --out")
    new_aid(scaffold)  # a wrong name is told before anything is made
    prices = asking.prices()
    if asking.dry_run:
        _print_estimates(held, model, scaffold, prices)
        return 0
    _play(held, model, scaffold, asking, prices, as_json)
    return 0


def _print_estimates(held: Ticket, model: str, scaffold: str | None, prices: Prices | None) -> None:
    import tempfile

    import msgspec

    from whatworked.episodes.speaking import estimate_speaking

    with tempfile.TemporaryDirectory() as folder, msgspec.structs.replace(held, folder=folder).opened() as episode:
        player, aid = estimate_speaking(episode.opening.facts, scaffold)
    rows = [(["player"], player), *([] if scaffold is None else [([scaffold], aid)])]
    print_estimates(rows, ["who"], prices, model)
    print_text(
        "Expected, with the least (what can be yielded is yielded at once) and the most (every turn is used, with the "
        "longest prompt). Nothing was sent, and nothing was written."
    )


def _play(
    held: Ticket, model: str, scaffold: str | None, asking: ModelOptions, prices: Prices | None, as_json: bool
) -> None:
    from whatworked.cli.play import print_result, result_of
    from whatworked.episodes.about import About, note_player
    from whatworked.episodes.speaking.aids import MARK
    from whatworked.episodes.speaking.transcript import TRANSCRIPT, transcript_bytes
    from whatworked.judging import named_judge, open_panel
    from whatworked.storage.canonical import canonical_json, sha256
    from whatworked.storage.files import write_atomic

    judge = named_judge(model, base_url=asking.base_url)
    about = About(player=model if scaffold is None else f"{model}{MARK}{scaffold}")
    with held.opened() as episode:
        note_player(episode.folder, about)
        of = sha256(canonical_json([episode.terms.instance_digest, dict(episode.terms.options), scaffold]))

        async def asked() -> tuple[Transcript, Panel]:
            async with open_panel(
                judge, journal=episode.folder.path / CALLS, of=of, jobs=1, caps=asking.caps, prices=prices
            ) as panel:
                return await _spoken(episode, panel, model, scaffold), panel

        spoken, panel = asyncio.run(asked())
        write_atomic(episode.folder.path / TRANSCRIPT, transcript_bytes(spoken))
        result: dict[str, Any] = result_of(episode, about)
    if as_json:
        print_json([result | {"unread": spoken.unread, "aid_calls": spoken.aid_calls, "aid_limit": spoken.aid_limit}])
        return
    print_result(result)
    aid = "" if scaffold is None else f"; {scaffold} used {spoken.aid_calls} of its {spoken.aid_limit} calls"
    print_text(f"{len(spoken.turns)} replies, {spoken.unread} of them could not be taken{aid}", indent=2)
    print_text(spent_text(panel.spent, panel.money, prices), indent=2)


async def _spoken(episode: Episode, panel: Panel, model: str, scaffold: str | None) -> Transcript:
    from whatworked.episodes.fronts.game import Game
    from whatworked.episodes.playing import RecordedHost
    from whatworked.episodes.speaking import speak
    from whatworked.progress import progress

    game = Game(RecordedHost(episode))
    with progress(game.facts["budget"], "turn", label=model) as bar:
        return await speak(game, panel, model, scaffold=scaffold, progress=bar)
