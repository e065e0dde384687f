"""The part of `app.preflight` that asks servers elsewhere, with their client libraries."""

from __future__ import annotations

import asyncio
from typing import Final
from urllib.parse import urlsplit

from app.exits import CantStart, Exit
from infra import store
from infra.database import RecordError
from infra.database.records import SqlRecords
from infra.errors import StoreError, StoreMisconfigured
from infra.settings import Settings
from infra.sfu import Sfu
from infra.sfu_port import RoomGone, SfuError

STORE_WITHIN_S: Final = 5.0
NO_SUCH_ROOM: Final = "exaim-preflight"  # asked for only to see whether the key is taken


async def look(settings: Settings) -> None:
    """Check the store, the SFU and the database that the settings name. Raises: CantStart."""
    if settings.redis_url:
        await check_store(settings.redis_url)
    if settings.livekit_url:
        await check_sfu(settings.livekit_url, settings.livekit_api_key, settings.livekit_api_secret)
    if settings.database_url and settings.records_url:
        await check_database(settings.records_url)


async def check_store(url: str) -> None:
    """Raises: CantStart: the store can't be reached or must not be used."""
    try:
        client = store.connect(url)
    except StoreMisconfigured as error:
        raise CantStart(Exit.STORE, f"{error}. Or unset it for a store of our own.") from None
    try:
        async with asyncio.timeout(STORE_WITHIN_S):
            await store.check(client)
    except TimeoutError:
        message = f"The store at REDIS_URL ({_place(url)}) gave no answer within {STORE_WITHIN_S:g} s."
        raise CantStart(Exit.STORE, f"{message} Start it, or unset REDIS_URL.") from None
    except StoreError as error:
        told = f"REDIS_URL ({_place(url)}): {error}"
        raise CantStart(
            Exit.STORE, f"{told}\n  mend: that, or unset REDIS_URL for a store of our own."
        ) from None
    finally:
        await client.aclose()


def _place(url: str) -> str:
    """Return host and port, or the socket's path: a URL without name, password and options."""
    parts = urlsplit(url)
    return parts.netloc.rpartition("@")[2] or parts.path


async def check_database(url: str) -> None:
    """Raises: CantStart: the database can't be reached, or is not for us."""
    try:
        records = SqlRecords(url)
        try:
            await records.check()
        finally:
            await records.aclose()
    except RecordError as error:
        message = f"{error}\n  mend: that, or unset DATABASE_URL for a file of our own."
        raise CantStart(Exit.DATABASE, message) from None


async def check_sfu(url: str, key: str, secret: str) -> None:
    """Raises: CantStart: the SFU can't be reached, or does not take the key."""
    try:
        async with Sfu(url, key, secret) as sfu:
            await sfu.room(NO_SUCH_ROOM)
    except RoomGone:
        return
    except SfuError as error:
        message = f"LIVEKIT_URL: {error}\n  mend: that, or unset LIVEKIT_URL for a server of our own."
        raise CantStart(Exit.SFU, message) from None
