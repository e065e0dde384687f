"""Contain unexpected errors in the one session, or the one round, in which they are raised.

Elsewhere failures are caught by name. But a process that serves several sessions must not end by a mistake of this
program that one of them brings up. So here, and nowhere else, every exception is caught. It is reported by its type
and place only, since its own words may quote the case.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

log = logging.getLogger(__name__)

FRAMES_TOLD: Final = 6
OURS: Final = Path(__file__).resolve().parent.parent


class UnexpectedError(Exception):
    """A mistake of this program. `kind`: the type of the exception."""

    def __init__(self, error: Exception) -> None:
        self.kind = type(error).__name__
        super().__init__(f"a mistake of this program, please report it: {_told(error)}")


def _told(error: BaseException) -> str:
    """Return type and place of an exception, without its words: the place is in our own code."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(map(_told, error.exceptions))
    frames = [each for each in traceback.extract_tb(error.__traceback__) if _is_ours(Path(each.filename))]
    places = [f"{Path(each.filename).name}:{each.lineno}" for each in frames[-FRAMES_TOLD:]]
    return f"{type(error).__name__} at {' > '.join(places)}"


def _is_ours(file: Path) -> bool:
    """Return whether a file is of this program, and not of a library installed inside its folder."""
    return file.is_relative_to(OURS) and "site-packages" not in file.parts and file != Path(__file__)


@contextmanager
def contained(*expected: type[Exception]) -> Iterator[None]:
    """Let `expected` errors of a block, and groups of them, pass; turn others into UnexpectedError."""
    try:
        yield
    except expected:
        raise
    except Exception as error:  # the last resort: see the module's docstring
        others = error.split(expected)[1] if isinstance(error, ExceptionGroup) and expected else error
        if others is None:
            raise
        raise UnexpectedError(others) from None


@dataclass(slots=True)
class RestartedLoop:
    """A loop that is started again after each unexpected error, until it is cancelled.

    Args:
        run: the loop.
        first_s: pause after a mistake; after each one in a row twice as long.
        longest_s: the longest pause. A run of that length ends the row.
    """

    name: str
    run: Callable[[], Awaitable[None]]
    first_s: float = 1.0
    longest_s: float = 60.0
    problem: str | None = field(default=None, init=False)
    """While it pauses: why, and for how long; else None."""

    async def forever(self) -> None:
        """Run the loop, and start it again after each unexpected error, until cancelled."""
        clock, pause_s = asyncio.get_running_loop().time, self.first_s
        while True:
            began_s = clock()
            try:
                with contained():
                    await self.run()
            except UnexpectedError as error:
                if clock() - began_s >= self.longest_s:
                    pause_s = self.first_s
                self.problem = (
                    f"has stopped by {error.kind} and begins again after {pause_s:g} s; see the log"
                )
                log.error("the %s begins again in %g s: %s", self.name, pause_s, error)  # noqa: TRY400  # quotes
            else:
                return
            await asyncio.sleep(pause_s)
            self.problem, pause_s = None, min(self.longest_s, pause_s * 2)
