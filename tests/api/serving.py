"""The real application over a transport without sockets, its store given by URL and its SFU by script."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

from agents.keys import KEY_HEADER, signed
from agents.recorded import Catalogue, default_cases
from api import create_app
from infra.access import new_secret
from infra.reports.recorder import RecordLimits
from infra.settings import Settings, load_settings
from infra.sfu_port import SfuPort
from infra.watcher import WatchLimits

KEY, SECRET = "a-key", "a-secret-of-more-than-thirty-two-characters"
OPENER_KEY = "k" * 43
BASE = "http://127.0.0.1:8080"
CASE = "case-hyperkalaemia-aki"
NOWHERE = "unix:///nonexistent/store.sock"


def stopped() -> float:
    """Return the time of a clock that stands still: how fast a machine sends then decides nothing."""
    return 0.0


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
        "opener_key": OPENER_KEY,
    }
    return load_settings(_env_file=None, **(defaults | given))


@cache
def shipped() -> Catalogue:
    """Return the cases that come with the program, read once for all tests."""
    return Catalogue.open((default_cases(),))


@asynccontextmanager
async def serving(
    settings: Settings,
    sfu: SfuPort | None = None,
    watch: WatchLimits | None = None,
    recording: RecordLimits | None = None,
    key: str | None = None,
    now_s: Callable[[], float] = time.monotonic,
) -> AsyncIterator[httpx.AsyncClient]:
    """Run the application's whole life around the block; no watcher or recorder unless asked for.

    The client shows a key: a good one, unless another, or none (""), is given.
    """
    catalogue = shipped() if settings.cases == (default_cases(),) else None
    app = create_app(
        settings,
        sfu=sfu,
        watch=watch,
        recording=recording,
        health_kept_s=0.0,
        catalogue=catalogue,
        now_s=now_s,
    )
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url=BASE, timeout=20.0) as client,
    ):
        shown = a_key() if key is None else key
        client.headers.update({KEY_HEADER: shown} if shown else {})
        yield client


def a_key(**more: Any) -> str:
    """Return a key that is good now."""
    return signed(OPENER_KEY, "key", **({"until_s": time.time() + 600} | more))


def bearer(secret: str) -> dict[str, str]:
    """Return the header that carries a session's secret."""
    return {"Authorization": f"Bearer {secret}"}


async def redeemed(client: httpx.AsyncClient, page_url: str) -> dict[str, str]:
    """Follow a live session's link as its page does; return the header with the clinician's secret."""
    path, code = invitation_in(page_url)
    secret = new_secret()
    answer = await client.post(BASE + path, headers=bearer(code), json={"client_secret": secret})
    assert answer.status_code == 200, answer.text
    return bearer(secret)


def invitation_in(page_url: str) -> tuple[str, str]:
    """Return the path of the invitation in a link, and its code."""
    given = {name: values[0] for name, values in parse_qs(urlsplit(page_url).fragment).items()}
    return f"/sessions/{given['session']}/invitation", given["invitation"]


def refusal(answer: httpx.Response) -> tuple[int, str]:
    """Return status and code of a refused call, and check that its body has the one form of errors."""
    body = answer.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message"}
    assert body["error"]["message"]
    return answer.status_code, body["error"]["code"]
