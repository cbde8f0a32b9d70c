"""The loop of a player that answers with text: a prompt a turn, its reply carried out, an unreadable one sent back.

A note aid stands beside it. It is asked between turns, within calls of its own; it writes a region on top of the
workspace as the prompt shows it, never in the workspace itself. So the same replies of the player make the same world.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from whatworked.environments.drift.events import Event
from whatworked.environments.drift.telling import DIGEST_CHARACTERS, Experience, digest_lines
from whatworked.environments.drift.texts import text_file
from whatworked.environments.drift.turns import Turn as Reading
from whatworked.environments.drift.turns import prompt_segments, read_reply, retry_text
from whatworked.environments.protocol import Json
from whatworked.episodes.fronts.game import Game
from whatworked.episodes.reply import Reply
from whatworked.episodes.speaking.aid_calls import AidCalls, AidView
from whatworked.episodes.speaking.aids import Aid, call_limit, new_aid
from whatworked.episodes.speaking.texts import turn_texts
from whatworked.episodes.speaking.transcript import Transcript, Turn
from whatworked.errors import EpisodeError, JudgeError
from whatworked.judging import Call, Panel, Request, read_answer
from whatworked.progress import Progress
from whatworked.wording import printable

TURN, PREFLIGHT = "drift-turn", "drift-preflight"
"""Names under which a player's calls are kept."""
REPLY_TOKENS = 4096
"""Most tokens of a reply."""
_UNREAD: Mapping[str, Any] = {}
"""Arguments of the call that stands for a reply that could not be read: the rules refuse it, and count a turn."""


async def speak(
    game: Game, panel: Panel, player: str, *, scaffold: str | None = None, progress: Progress | None = None
) -> Transcript:
    """Let whoever a panel asks play an episode of the drift, until it is closed.

    Parameters
    ----------
    game : Game
        The episode. One that was begun before is played again from its start, out of what is written down.
    panel : Panel
        Who answers. Its journal of calls, caps and patience hold for player and aid alike; with a journal, an
        interrupted episode goes on where it was, and nothing is asked twice.
    player : str
        What to call the player.
    scaffold : str, optional
        A note aid, one of `AIDS`.
    progress : Progress, optional
        Told of every turn.

    Returns
    -------
    Transcript
        The same for the same replies.

    Raises
    ------
    UnknownNameError
        If there is no scaffold of that name.
    EpisodeError
        If the host cannot go on.
    JudgeError
        If the model cannot be reached, or a cap is reached. What was played and answered is kept.
    """
    aid = new_aid(scaffold)
    calls = AidCalls(panel, call_limit(scaffold, game.facts["budget"]))
    conversation = _Conversation(game, panel, aid, calls)
    await conversation.preflight()
    while not conversation.closed:
        await conversation.turn()
        if progress is not None:
            progress.update()
    return Transcript(
        player=player,
        scaffold=scaffold,
        turns=tuple(conversation.turns),
        aid_calls=calls.budget.used,
        aid_limit=calls.budget.limit,
    )


class _Conversation:
    """One episode as it is talked through."""

    def __init__(self, game: Game, panel: Panel, aid: Aid, calls: AidCalls) -> None:
        self.turns: list[Turn] = []
        self.closed = False
        self._game = game
        self._panel = panel
        self._aid = aid
        self._aid_calls = calls
        self._history: list[Experience] = []
        self._recalled: list[str] = []
        self._notices: list[str] = []

    async def preflight(self) -> None:
        """Ask the five questions before the first action; an answer that cannot be read is none."""
        facts = self._game.facts
        segments = prompt_segments(facts, [], "", [], {})
        questions = "\n".join(f"{number}. {text}" for number, text in enumerate(facts["preflight"], 1))
        asked = f"{text_file('preflight.md')}\n\n{questions}\n{turn_texts().preflight}"
        call = await self._say(PREFLIGHT, f"{segments['A']}\n\n{segments['B']}\n\n{asked}", {})
        answers, problem = _answers(call)
        if problem is None:
            self._call("preflight", {"answers": answers})
        self.turns.append(Turn(turn=0, paid=0, reply=call.text, problem=problem))

    async def turn(self) -> None:
        """One prompt, its reply, and what becomes of it."""
        reply = self._call("look")
        if reply.refused is not None:  # after a deadline, for instance: nothing more can be done
            self.closed = True
            return
        view = reply.result
        notes, paid = str(view["workspace"]), self._game.facts["budget"] - view["budgets"]["paid_left"]
        await self._aid.before(AidView(notes, self._digest(), paid), self._aid_calls)
        region, aside = self._aid.region(), self._aid.aside()
        prompt = self._prompt(view, notes, region, aside)
        asked, self._aid_calls.asked = tuple(self._aid_calls.asked), []
        call = await self._say(TURN, prompt, {"turn": str(len(self.turns)), "notes": notes})
        problem = self._carry_out(call)
        self.turns.append(
            Turn(
                turn=len(self.turns), paid=paid, aid=asked, region=region, aside=aside, reply=call.text, problem=problem
            )
        )
        if problem is None and not self.closed:
            await self._aid.after(AidView(notes, self._digest(), paid), self._aid_calls)

    def _prompt(self, view: Mapping[str, Any], notes: str, region: str, aside: str) -> str:
        texts = turn_texts()
        segments = prompt_segments(self._game.facts, self._digest(), notes, self._recalled, view)
        workspace = f"{region}\n{segments['C']}" if region else segments["C"]
        parts = [
            segments["A"],
            f"{texts.events}\n\n{segments['B']}",
            f"{texts.workspace}\n\n{workspace}",
            f"{texts.recalled}\n\n{segments['D']}",
            f"{texts.view}\n\n{segments['E']}",
            *([aside] if aside else []),
            *([f"{texts.notices}\n\n" + "\n\n".join(self._notices)] if self._notices else []),
        ]
        return "\n\n".join(parts)

    async def _say(self, question: str, prompt: str, fields: Mapping[str, str]) -> Call:
        call = await self._panel.send(
            Request(
                question=question,
                version=turn_texts().version,
                prompt=prompt,
                fields=fields,
                vote=0,
                attempt=0,
                max_tokens=REPLY_TOKENS,
                temperature=None,
            )
        )
        if call.kind == "unreachable":
            raise JudgeError(
                f"no reply came from {call.model}: {printable(call.detail) or 'no reason'}. What was played and "
                "answered is kept; run the same command again when it can be reached"
            )
        return call

    def _carry_out(self, call: Call) -> str | None:
        """What is wrong with a reply; None where its calls were made."""
        self._notices, self._recalled = [], []
        problem = _problem_of(call)
        turn = read_reply(call.text) if problem is None else Reading((), problem)
        if turn.problem is not None:
            self._notices = [retry_text(turn.problem, call.text)]
            self._call("act", _UNREAD)
            return turn.problem
        charged = False
        for tool, arguments in turn.calls:
            if self.closed:
                break
            charged |= self._take(self._call(tool, arguments))
        if not charged and not self.closed:  # such as an argument that the host would not read
            self._call("act", _UNREAD)
        return None

    def _take(self, reply: Reply) -> bool:
        """What a call came to, for the next prompt; whether it took a turn."""
        if reply.refused is not None:
            self._notices.append(reply.refused.message)
        if "event" in reply.result:
            self._history.append(Experience(None, msgspec.convert(reply.result["event"], Event)))
        if "found" in reply.result:
            notice = reply.result.get("notice")
            self._recalled = [*reply.result["events"], *([] if notice is None else [notice])]
        return "event" in reply.result or (reply.refused is not None and reply.refused.code == "no_action")

    def _call(self, tool: str, arguments: Json = None) -> Reply:
        reply = self._game.call(tool, arguments)
        if reply.refused is not None and reply.refused.code == "host_fault":
            raise EpisodeError(f"{reply.refused.message}; run the same command again to go on")
        # Of the moment of the call: an episode that is played again was closed later.
        self.closed = reply.closed
        return reply

    def _digest(self) -> list[str]:
        return digest_lines(self._history, DIGEST_CHARACTERS)


def _problem_of(call: Call) -> str | None:
    if call.kind == "answer":
        return None
    return turn_texts().cut if call.kind == "truncated" else turn_texts().withheld


def _answers(call: Call) -> tuple[Any, str | None]:
    """Answers to the questions before the first action, or what is wrong with the reply."""
    problem = _problem_of(call)
    if problem is not None:
        return None, problem
    try:
        answers = read_answer(call.text)["answers"]
    except (ValueError, LookupError, TypeError):
        return None, 'the reply is not {"answers": [...]}'
    return answers, None
