"""A judge behind Inspect's model interface: any provider that it reaches, servers on the own machine included.

What Inspect does on its own is switched off where it would hide something: it sends each request once, so that waits,
caps and classes of failure are the panel's, and statuses of the server are seen.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from whatworked.errors import JudgeError, MissingExtraError
from whatworked.judging.judges import Request
from whatworked.judging.replies import Kind, Reply
from whatworked.judging.secrets import redact

if TYPE_CHECKING:
    from inspect_ai.model import Model, ModelOutput

_CLIENTS_WITH_RETRIES = ("openai", "openai-api", "anthropic")
"""Providers whose own client sends again unless told otherwise, which hides the server's status."""
_ANOTHER_WILL_FAIL = frozenset({401, 402, 403, 404})
"""Statuses that concern the key, the bill or the model's name: no other request will fare better."""
_PASSING = frozenset({408, 409, 425, 429})
_STOPS: Mapping[str, Kind] = {"max_tokens": "truncated", "model_length": "truncated", "content_filter": "filtered"}
_LONGEST_DETAIL = 300


class InspectJudge:
    """A model that Inspect reaches.

    Parameters
    ----------
    model : str or inspect_ai.model.Model
        Its name as Inspect has it, ``provider/model``; for a server that speaks OpenAI's form,
        ``openai-api/NAME/model`` with `base_url`.
    base_url : str, optional
        Where the server is, if it is not the provider's own.
    timeout : float
        Seconds that a reply may take.
    settings : mapping of str to object, optional
        Further arguments of the provider, as Inspect's ``-M`` has them.

    Raises
    ------
    MissingExtraError
        If Inspect is not installed.
    JudgeError
        If Inspect has no such provider, or the provider lacks its package or its key.
    """

    def __init__(
        self,
        model: str | Model,
        *,
        base_url: str | None = None,
        timeout: float = 300.0,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        try:
            import inspect_ai.model  # noqa: F401
        except ImportError as error:
            raise MissingExtraError(
                'asking a model needs inspect-ai; install it with: pip install "whatworked[inspect]"'
            ) from error
        self.name = model if isinstance(model, str) else str(model)
        self._timeout = timeout
        self._given = None if isinstance(model, str) else model
        self._base_url = base_url
        self._settings = dict(settings or {})
        self._opened = 0
        # Made at once, so that a wrong name or a missing key is told before anything else is done.
        self._own = _model(model, base_url, self._settings) if isinstance(model, str) else None

    async def __aenter__(self) -> Self:
        """Hold the connections of a model that was given by name; a panel does so."""
        self._opened += 1
        return self

    async def __aexit__(self, *error: object) -> None:
        """Close them with the last panel: they belong to the event loop that they were made in."""
        self._opened -= 1
        if self._opened == 0 and self._own is not None:
            own, self._own = self._own, None
            await own.api.aclose()

    def _model(self) -> Model:
        if self._given is not None:
            return self._given
        if self._own is None:
            self._own = _model(self.name, self._base_url, self._settings)
        return self._own

    async def reply(self, request: Request) -> Reply:
        """Send one request, once.

        Parameters
        ----------
        request : Request
            What is asked.

        Returns
        -------
        Reply

        Raises
        ------
        JudgeError
            For a status that concerns the key, the bill or the model's name.
        """
        from inspect_ai.model import GenerateConfig

        config = GenerateConfig(
            max_retries=0,
            attempt_timeout=max(1, round(self._timeout)),
            # The panel says how many calls are under way at once.
            max_connections=1000,
            max_tokens=request.max_tokens,
            temperature=request.temperature,
        )
        try:
            output = await self._model().generate(request.prompt, config=config)
        except Exception as error:
            return self._failure(error)
        return _reply(output)

    def _failure(self, error: Exception) -> Reply:
        """What a failed request means, from the exception of whatever client made it."""
        cause = _cause(error)
        if type(cause).__name__ == "AttemptTimeoutError":
            return Reply(kind="unreachable", detail=f"no reply within {self._timeout:g} s")
        status = _status(cause)
        detail = _told(cause, status)
        if status in _ANOTHER_WILL_FAIL:
            raise JudgeError(
                f"{self.name}: {detail}. Check the key, the account and the model's name, then run the same command "
                "again; what was answered is kept"
            ) from error
        lasting = status is not None and 400 <= status < 500 and status not in _PASSING
        return Reply(kind="unreachable", detail=detail, retry_after=_retry_after(cause), lasting=lasting)


def _model(name: str, base_url: str | None, given: Mapping[str, Any]) -> Model:
    from inspect_ai._util.error import PrerequisiteError
    from inspect_ai.model import get_model

    provider, _, rest = name.partition("/")
    settings = dict(given)
    if provider in _CLIENTS_WITH_RETRIES:
        settings.setdefault("max_retries", 0)
    if provider == "openai-api":
        settings.setdefault("stream", False)
    key = None
    if base_url is not None and provider == "openai-api":
        # Servers on the own machine ask for none, the client insists on one.
        variable = rest.partition("/")[0].upper().replace("-", "_") + "_API_KEY"
        key = os.environ.get(variable, "none")
    try:
        return get_model(name, base_url=base_url, api_key=key, memoize=False, **settings)
    except (PrerequisiteError, ValueError, TypeError) as error:
        said = " ".join(re.sub(r"\[/?[a-z ]+\]", "", str(error)).removeprefix("ERROR: ").split())
        raise JudgeError(f"the judge {name!r} cannot be asked: {said}") from error


def _reply(output: ModelOutput) -> Reply:
    if not output.choices:
        return Reply(kind="unreachable", detail="the server's reply holds no choice")
    content = output.choices[0].message.content
    refused = [] if isinstance(content, str) else [part for part in content if getattr(part, "refusal", None)]
    kind: Kind = "refusal" if refused else _STOPS.get(output.stop_reason, "answer")
    detail = output.error or ""
    if output.stop_reason == "model_length":
        detail = "the prompt is longer than the model reads"
    return Reply(
        kind=kind,
        text=output.completion,
        model=output.model or None,
        input_tokens=None if output.usage is None else output.usage.input_tokens,
        output_tokens=None if output.usage is None else output.usage.output_tokens,
        detail=_clean(detail),
    )


def _cause(error: BaseException) -> BaseException:
    """The exception of the client below those that Inspect and its retries put around it."""
    attempt = getattr(error, "last_attempt", None)
    inner = attempt.exception() if attempt is not None else None
    if inner is None and type(error).__name__ == "ModelGenerateError":
        inner = error.__cause__
    return error if inner is None else _cause(inner)


def _status(error: BaseException) -> int | None:
    for found in (getattr(error, "status_code", None), getattr(error, "code", None)):
        if isinstance(found, int) and 100 <= found < 600:
            return found
    return None


def _retry_after(error: BaseException) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", {})
    try:
        return float(headers.get("retry-after", ""))
    except ValueError:
        return None


def _told(error: BaseException, status: int | None) -> str:
    """What a person should know of an error; never the request, which some clients repeat."""
    said = _clean(str(error))
    if status is not None:
        return f"status {status}: {said}"
    if isinstance(error, ValueError | LookupError | TypeError | AttributeError):
        return f"the server's reply cannot be read ({type(error).__name__}: {said})"
    return f"{type(error).__name__}: {said}"


def _clean(text: str) -> str:
    text, _ = redact(" ".join(text.split()), "")
    return text if len(text) <= _LONGEST_DETAIL else text[:_LONGEST_DETAIL] + "…"
