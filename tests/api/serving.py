"""The real application over a transport without sockets, its store given by URL and its SFU by script."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from api import create_app
from infra.reports.recorder import RecordLimits
from infra.settings import Settings, load_settings
from infra.sfu_port import SfuPort
from infra.watcher import WatchLimits

KEY, SECRET = "a-key", "a-secret-of-more-than-thirty-two-characters"
BASE = "http://127.0.0.1:8080"
CASE = "case-hyperkalaemia-aki"
NOWHERE = "unix:///nonexistent/store.sock"


def settings_for(folder: Path, store_url: str = NOWHERE, **given: Any) -> Settings:
    """Return settings that read nothing of this machine."""
    defaults: dict[str, Any] = {
        "livekit_url": "ws://127.0.0.1:7880",
        "livekit_api_key": KEY,
        "livekit_api_secret": SECRET,
        "redis_url": store_url,
        "engines_socket": folder / "engines.sock",
        "web_dist": folder / "dist",
        "run_dir": folder,
    }
    return load_settings(_env_file=None, **(defaults | given))


@asynccontextmanager
async def serving(
    settings: Settings,
    sfu: SfuPort | None = None,
    watch: WatchLimits | None = None,
    recording: RecordLimits | None = None,
) -> AsyncIterator[httpx.AsyncClient]:
    """Run the application's whole life around the block; no watcher or recorder unless asked for."""
    app = create_app(settings, sfu=sfu, watch=watch, recording=recording)
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url=BASE, timeout=20.0) as client,
    ):
        yield client


def bearer(secret: str) -> dict[str, str]:
    """Return the header that carries a session's secret."""
    return {"Authorization": f"Bearer {secret}"}


def refusal(answer: httpx.Response) -> tuple[int, str]:
    """Return status and code of a refused call, and check that its body has the one form of errors."""
    body = answer.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message"}
    assert body["error"]["message"]
    return answer.status_code, body["error"]["code"]
