"""Know which message a team's words answer, by the task or thread in which they are said."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class _Mark:
    """A block in which a message is answered; None: none is, or the block is over.

    A task begun in a block may outlast it, so the block lets go of its message at its end.
    """

    __slots__ = ("message_id", "of")

    def __init__(self, of: Answering, message_id: str | None) -> None:
        self.of, self.message_id = of, message_id


_around: ContextVar[tuple[_Mark, ...]] = ContextVar("_around", default=())


class Answering:
    """The messages that one team is answering: several at once in several tasks, each in its own."""

    def __init__(self) -> None:
        self._open: list[_Mark] = []

    @contextmanager
    def within(self, message_id: str | None) -> Iterator[None]:
        """Have what is said here, and in tasks begun here, answer `message_id` while the block lasts."""
        mark = _Mark(self, message_id)
        _around.set((*_around.get(), mark))
        self._open.append(mark)
        try:
            yield
        finally:
            mark.message_id = None
            self._open.remove(mark)
            _around.set(tuple(each for each in _around.get() if each is not mark))

    def message_id(self) -> str | None:
        """Return which message is answered by who calls this; None: none.

        Who was begun in no block of this team's, as a framework's own worker thread, answers the only message
        that is being answered, if it is the only one.
        """
        known = [each.message_id for each in _around.get() if each.of is self]
        if known:
            return next((each for each in reversed(known) if each is not None), None)
        answered = {each.message_id for each in tuple(self._open)} - {None}
        return answered.pop() if len(answered) == 1 else None
