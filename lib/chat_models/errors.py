"""What can go wrong with a chat model. No message holds a prompt, an answer or a key.

LLMError
├── MissingPackage     the provider's client is not installed
├── MissingKey         the provider's key is not in the environment
└── CallFailed         a call brought nothing; `reason` says why, in one word for flags and counters
    ├── Overdue        its deadline passed
    ├── RateLimited    429; `retry_after_s` if the service named it
    ├── Unavailable    5xx, no connection, or an error that the client does not explain
    ├── CutShort       a stream or an answer ended before its end
    ├── Refused        the model or its filter would not answer
    ├── Unparsable     what came has not the shape that was asked for
    ├── WrongRequest   4xx: key, model name or request is wrong; trying again does not help
    │   └── TooLong    the question is longer than the model's context; a shorter one may be taken
    ├── TokenLimit     the answer was ended at a limit of tokens: the provider's, or the context's
    ├── Looping        the answer said the same again and again, and was ended
    ├── Overlong       the answer was longer than whoever asked reads, and was ended there
    ├── Empty          an answer without a word
    └── SwitchedOff    the breaker is open; nothing was sent
"""

from __future__ import annotations

import asyncio
import re
from typing import Final

from chat_models.unconnected import chain, unconnected


class LLMError(Exception):
    """Any of the errors in this module."""


class MissingPackage(LLMError):
    """The client of a provider is not installed. `no_model`: the setting by which none is needed, if any."""

    def __init__(self, package: str, no_model: str | None = None) -> None:
        super().__init__(
            f"{package} is not installed: make setup, then .venv/bin/uv pip install --require-hashes "
            f"-r requirements/llm.lock (docs/llm.md){_or(no_model)}"
        )
        self.package = package


class MissingKey(LLMError):
    """The key of a provider is not in the environment. `no_model`: as in `MissingPackage`."""

    def __init__(self, provider: str, variable: str, role: str, no_model: str | None = None) -> None:
        super().__init__(
            f"{variable} is not set, and {role} wants {provider}: set it in the environment, or in EXAIM Voice's "
            f".env; or choose another provider by {role.upper()}_LLM_PROVIDER{_or(no_model)}"
        )
        self.variable = variable


def _or(no_model: str | None) -> str:
    return f", or {no_model} for no model" if no_model else ""


class CallFailed(LLMError):
    """A call brought nothing that can be used. `answer`: the text, where one came that is of no use as it is."""

    reason = "unavailable"
    retryable = False

    def __init__(self, what: str = "", *, answer: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(what or self.reason)
        self.answer, self.retry_after_s = answer, retry_after_s


class Overdue(CallFailed):
    """The deadline passed; what was under way was cancelled."""

    reason = "deadline"


class RateLimited(CallFailed):
    """The service asks to wait: `retry_after_s` seconds, None if it does not say how long."""

    reason = "rate_limited"
    retryable = True


class Unavailable(CallFailed):
    """The service failed or can't be reached; `because` says why there is no connection, if that is known."""

    reason = "unavailable"
    retryable = True
    because = ""


class CutShort(CallFailed):
    """An answer ended before its end; nothing of it is used as a whole."""

    reason = "cut_short"
    retryable = True


class Refused(CallFailed):
    """The model or the service's filter would not answer."""

    reason = "refused"


class Unparsable(CallFailed):
    """The answer has not the shape that was asked for; `answer` is its text, for whoever reads prose."""

    reason = "unparsable"


class WrongRequest(CallFailed):
    """The service does not take the request; key, model name or base URL may be wrong."""

    reason = "wrong_request"


class TooLong(WrongRequest):
    """The question is longer than the model takes; the service is well, and a shorter one may be answered."""

    reason = "too_long"


class TokenLimit(CallFailed):
    """A limit of tokens ended the answer: nothing of it counts. Not asked again: the same limit would end it again."""

    reason = "token_limit"


class Looping(CallFailed):
    """The answer said the same again and again, and was ended; the same question would bring the same again."""

    reason = "looping"


class Overlong(CallFailed):
    """The answer was longer than whoever asked reads, and was ended there: nothing of it counts. Not asked again."""

    reason = "overlong"


class Empty(CallFailed):
    """An answer came to its end without a word of text."""

    reason = "empty"


class SwitchedOff(CallFailed):
    """The breaker is open after failures; nothing was sent."""

    reason = "breaker_open"


MESSAGE_CHARS: Final = 2_000  # of what a client raised that are looked at
_LIMITED: Final = frozenset({"LengthFinishReasonError"})
_REFUSALS: Final = frozenset({"OpenAIRefusalError", "ContentFilterFinishReasonError"})
_TRANSPORT: Final = frozenset(
    {"httpx", "httpx2", "httpcore", "httpcore2", "aiohttp", "anyio", "openai", "groq", "requests"}
)
_TOO_LONG: Final = re.compile(
    r"context[ _](?:length|size|window)|prompt is too long|input token count|request too large|reduce the length",
    re.IGNORECASE,
)
"""As llama.cpp, vLLM and OpenAI, Anthropic, Google and Groq say it, by their documentation (llama.cpp: seen)."""
_BROKEN: Final = ("RemoteProtocolError", "IncompleteRead", "ReadError", "ClientPayloadError")


def translated(error: BaseException) -> CallFailed:
    """Return a client's exception as one of ours, by its HTTP status if it or a cause of it has one."""
    causes = list(chain(error))
    names = [type(each).__name__ for each in causes]
    kind = type(error).__name__
    if _REFUSALS.intersection(names):
        return Refused(kind)
    if _LIMITED.intersection(names):
        return TokenLimit(kind)
    if any(name in _BROKEN for name in names):
        return CutShort(kind)
    status = next((found for each in causes if (found := _status(each)) is not None), None)
    if status == 429:
        return RateLimited(kind, retry_after_s=_retry_after_s(causes))
    if status is not None and (status >= 500 or status in {408, 409}):
        return Unavailable(f"{kind}, status {status}", retry_after_s=_retry_after_s(causes))
    if status is not None and 400 <= status < 500:
        too_long = status in {400, 413, 422} and any(
            _TOO_LONG.search(str(each)[:MESSAGE_CHARS]) for each in causes
        )
        return (TooLong if too_long else WrongRequest)(f"{kind}, status {status}")
    if any(isinstance(each, asyncio.TimeoutError) for each in causes):
        return Overdue(kind)
    unexplained = not any(
        type(each).__module__.split(".")[0] in _TRANSPORT or isinstance(each, OSError) for each in causes
    )
    failed = Unavailable(kind)
    failed.retryable = not unexplained
    failed.because = unconnected(error)
    return failed


def _status(error: BaseException) -> int | None:
    if type(error).__module__.startswith("aiohttp"):
        return None  # of a body that broke off, not of the service's answer
    for name in ("status_code", "code"):
        value = getattr(error, name, None)
        if isinstance(value, int) and 400 <= value < 600:
            return value
    return None


def _retry_after_s(causes: list[BaseException]) -> float | None:
    """Return the seconds that a Retry-After header names; a date, which no such service sends, is none."""
    for error in causes:
        headers = getattr(getattr(error, "response", None), "headers", None)
        value = headers.get("retry-after") if headers is not None else None
        if value is not None and re.fullmatch(r"\d{1,6}(?:\.\d+)?", value.strip()):
            return float(value)
    return None
