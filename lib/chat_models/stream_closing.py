"""Leaving a model's stream before its end, so that the service stops writing and is paid no more.

Closing the generator is not enough: the clients of Groq and of Google, between two pieces, keep the connection
until they are collected. A read that is cancelled closes it at once, with every client. So one more piece is
asked for, and cancelled as soon as it would have to wait.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

log = logging.getLogger(__name__)

READY_MOST: Final = (
    10_000  # pieces that have come already and are let go; a service that is faster is not waited for
)
WITHIN_S: Final = 1.0


@asynccontextmanager
async def closing_stream(stream: AsyncIterator[Any]) -> AsyncGenerator[AsyncIterator[Any], None]:
    """Close `stream` and its connection at the end of the block, however the block is left."""
    try:
        yield stream
    finally:
        await close_stream(stream)


async def close_stream(stream: AsyncIterator[Any]) -> None:
    """End a stream that may be at any point. What its client raises at that is nobody's concern any more."""
    for _ in range(READY_MOST):
        asking = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        if not asking.done():
            asking.cancel()
            await asyncio.wait({asking}, timeout=WITHIN_S)
            break
        if _over(asking):
            break
    close = getattr(stream, "aclose", None)
    if close is not None:
        try:
            await close()
        except Exception as error:  # a client raises anything, also when it is closed
            log.warning("closing a model's stream raised %s", type(error).__name__)


def _over(asking: asyncio.Future[Any]) -> bool:
    return asking.cancelled() or asking.exception() is not None
