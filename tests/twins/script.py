"""What a twin answers, in order; it fails on a request nobody expected and on an answer nobody asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

KEY = "test-key-of-the-twin"
MODEL = "twin-1"
USAGE = (31, 7)
THOUGHT_TOKENS = 5
"""Of those of an answer that was thought about first."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer; streamed word by word where the client asks for a stream. `thought` comes before it.

    `cut`: the service has ended it at its limit of tokens.
    """

    text: str
    refused: bool = False
    thought: str = ""
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Status:
    """An error of the service."""

    code: int
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection breaks in the midst of `text`."""

    text: str


@dataclass(frozen=True, slots=True)
class Stall:
    """`after` words of `text`, then nothing until the client has gone, which sets `gone`, or `over` is set."""

    text: str
    over: asyncio.Event
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    after: int = 1


Step = Answer | Status | Cut | Stall


class Refusal(Exception):
    """The request is one that the real service refuses; `kind` is the service's own word for it."""

    def __init__(self, code: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.code, self.kind, self.message = code, kind, message


class Script:
    """The steps of one test, and the requests that came."""

    def __init__(self, *steps: Step) -> None:
        self._steps = list(steps)
        self.requests: list[dict[str, Any]] = []
        self.refusals: list[str] = []

    def add(self, *steps: Step) -> None:
        """Expect more requests."""
        self._steps += steps

    def next(self) -> Step:
        """Return what is answered to the request that just came."""
        if not self._steps:
            raise Refusal(400, "unexpected", "the script expects no more requests")
        return self._steps.pop(0)

    def assert_finished(self) -> None:
        """Fail unless every step was asked for and no request was refused."""
        assert not self._steps, f"nobody asked for {self._steps}"
        assert not self.refusals, f"refused as the service would: {self.refusals}"


def thought_of(step: Step) -> str:
    """Return what a step thinks before it answers."""
    return step.thought if isinstance(step, Answer) else ""


def is_cut(step: Step) -> bool:
    """Tell whether the service ends a step at its limit of tokens."""
    return isinstance(step, Answer) and step.cut


def words(text: str) -> list[str]:
    """Return `text` in pieces as a model streams them."""
    parts = text.split(" ")
    return [parts[0], *(f" {part}" for part in parts[1:])]
