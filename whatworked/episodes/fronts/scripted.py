"""Scripted players as an Inspect model provider, so that Inspect's own commands run without a network.

``--model wwscript/rgp`` plays by the scripted player ``rgp``. A provider is asked anew at each turn and keeps nothing,
so the player is run from its beginning with the replies that stand in the messages, up to its first call without one:
that call is the model's output.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import anyio.to_thread
from inspect_ai.model import (
    ChatMessage,
    ChatMessageTool,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from whatworked.environments.protocol import Call, Json, Tool
from whatworked.episodes.fronts.game import Game
from whatworked.episodes.playing import called, named_player
from whatworked.episodes.reply import Reply


@modelapi(name="wwscript")
class ScriptedModel(ModelAPI):
    """A scripted player in a model's place.

    Parameters
    ----------
    model_name : str
        The player.
    base_url, api_key : str or None
        Not used.
    config : GenerateConfig
        Not used.
    **arguments : object
        The player's own, such as ``-M seed=3``.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **arguments: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        self._player = named_player(model_name)
        self._seed = int(arguments.get("seed", 0))

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """The player's next call, or a closing word.

        Parameters
        ----------
        input : list of ChatMessage
            The conversation.
        tools : list of ToolInfo
            What can be called.
        tool_choice : ToolChoice
            Not used.
        config : GenerateConfig
            Not used.
        """
        del tool_choice, config
        game = _Replayed(input, tools)
        call = await anyio.to_thread.run_sync(self._next_call, game)
        if call is None:
            output = ModelOutput.from_content(self.model_name, "I am done.")
        else:
            output = ModelOutput.for_tool_call(self.model_name, call.tool, call.arguments)
        # Without a count Inspect would load a tokenizer from the network.
        output.usage = ModelUsage(input_tokens=0, output_tokens=0, total_tokens=0)
        return output

    def _next_call(self, game: _Replayed) -> Call | None:
        try:
            called(self._player, Game(game), self._seed)
        except _Wanted as wanted:
            return wanted.call
        return None


class _Wanted(BaseException):
    """A call that has no reply yet; no `except Exception` of a player may catch it."""

    def __init__(self, call: Call) -> None:
        super().__init__()
        self.call = call


class _Replayed:
    """The episode as far as the messages tell it."""

    def __init__(self, messages: Sequence[ChatMessage], tools: Sequence[ToolInfo]) -> None:
        said = [message for message in messages if isinstance(message, ChatMessageTool)]
        self._replies = [_reply(message) for message in said]
        self._tools = tuple(Tool(name=tool.name, purpose=tool.description) for tool in tools)
        self.text = next((message.text for message in messages if message.role == "user"), "")
        self.facts: Mapping[str, Json] = {}
        self._used = 0

    def standing(self) -> Reply:
        """As the last reply says it."""
        return self._replies[self._used - 1] if self._used else Reply(number=0)

    def tools(self) -> Sequence[Tool]:
        """As the model sees them."""
        return self._tools

    def call(self, call: Call) -> Reply:
        """The recorded reply.

        Parameters
        ----------
        call : Call
            The next one.
        """
        if self._used == len(self._replies):
            raise _Wanted(call)
        self._used += 1
        return self._replies[self._used - 1]


def _reply(message: ChatMessageTool) -> Reply:
    return Reply.of(json.loads(message.error.message if message.error else message.text))
