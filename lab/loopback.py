"""A service of one path on a free port of loopback, for as long as a block lasts: providers' twins, and the lab's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
MOST_BYTES: Final = 1 << 20
ENDS_WITHIN_S: Final = 0.1  # for requests that are under way when the block ends


@asynccontextmanager
async def serving(path: str, handler: Handler) -> AsyncIterator[str]:
    """Serve `handler` at `path`; it is cancelled when its client goes. Yields the address without a path."""
    app = web.Application(client_max_size=MOST_BYTES)
    app.router.add_post(path, handler)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=ENDS_WITHIN_S, handler_cancellation=True)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        yield f"http://{host}:{port}"
    finally:
        await runner.cleanup()
