"""Pass questions to the dialogue, one at a time; a newer one replaces the one that waits."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final, Protocol

from agents.dialogue.values import Answer, DialogueStalled, Question
from exaim_core.board.shown import BoardView
from infra.errors import StoreError
from infra.unexpected_errors import UnexpectedError, contained

log = logging.getLogger(__name__)

WITHIN_S: Final = 3.5  # an answer takes milliseconds; a store that hangs is given up before this
FAILED: Final = "failed"  # kind of an answer that did not come in time
NO_ANSWER: Final = "I can't answer that now."


class Dialogue(Protocol):
    """What answers questions; `agents.dialogue.Dialogue` is the real one."""

    async def answer(self, question: Question) -> Answer:
        """Return the answer. Raises: DialogueStalled, StoreError: the thread can't be kept."""
        ...


class ReadAhead(Protocol):
    """What reads the discussion before anybody asks; `agents.dialogue.graph.Dialogue` is the real one."""

    def note(self, board: BoardView) -> None:
        """Take what the board holds now, without waiting."""
        ...

    async def foreseen(self, question: Question) -> str | None:
        """Return the answer's text ahead of the question, storing nothing; None if unknown."""
        ...

    async def run(self) -> None:
        """Read what was noted until cancelled."""
        ...


class Replies:
    """Owns the question being answered, the one that waits, and the one that may come in a moment."""

    def __init__(
        self,
        dialogue: Dialogue,
        on_answer: Callable[[Question, Answer], None],
        read_ahead: ReadAhead | None = None,
        on_foreseen: Callable[[Question, str], None] = lambda question, text: None,
        on_dropped: Callable[[Question], None] = lambda question: None,
    ) -> None:
        """`on_foreseen` takes the text of an answer that `read_ahead` knows ahead of the question.

        `on_dropped` takes a question that a newer one replaced: it gets no answer.
        """
        self._on_dropped = on_dropped
        self._dialogue, self._on_answer = dialogue, on_answer
        self._read_ahead, self._on_foreseen = read_ahead, on_foreseen
        self._next: Question | None = None
        self._perhaps: Question | None = None
        self._some = asyncio.Event()

    def ask(self, question: Question) -> None:
        """Queue a question in the place of one that still waits, which is dropped."""
        dropped, self._next, self._perhaps = self._next, question, None
        if dropped is not None:
            self._on_dropped(dropped)
        self._some.set()

    def foresee(self, question: Question) -> None:
        """Queue a question that may come, in the place of one that still waits."""
        self._perhaps = question
        self._some.set()

    async def run(self) -> None:
        """Answer until cancelled. Every question taken up gets an answer, if only `NO_ANSWER`."""
        while True:
            await self._some.wait()
            self._some.clear()
            perhaps, self._perhaps = self._perhaps, None
            if self._next is None and perhaps is not None:
                await self._foresee(perhaps)
            question, self._next = self._next, None
            if question is not None:
                self._on_answer(question, await self._answer(question))

    async def _foresee(self, question: Question) -> None:
        if self._read_ahead is None:
            return
        try:
            with contained():
                text = await self._read_ahead.foreseen(question)
        except UnexpectedError as error:  # the question itself may still come, and is then answered
            log.error("an answer could not be foreseen: %s", error)  # noqa: TRY400  # quotes
            return
        if text is not None and self._next is None:
            self._on_foreseen(question, text)

    async def _answer(self, question: Question) -> Answer:
        try:
            with contained(TimeoutError, DialogueStalled, StoreError):
                async with asyncio.timeout(WITHIN_S):
                    return await self._dialogue.answer(question)
        except (TimeoutError, DialogueStalled, StoreError) as error:
            log.warning("a question was not answered: %s", type(error).__name__)
        except UnexpectedError as error:
            log.error("a question was not answered: %s", error)  # noqa: TRY400  # quotes
        return Answer(
            turn_id=question.turn_id, text=NO_ANSWER, sentences=(), topic=None, found=False, kind=FAILED
        )
