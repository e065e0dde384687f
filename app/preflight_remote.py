"""The part of `app.preflight` that asks servers elsewhere, with their client libraries."""

from __future__ import annotations

import asyncio
from typing import Final

from app.exits import CantStart, Exit
from infra import store
from infra.database import RecordError
from infra.database.records import SqlRecords
from infra.errors import StoreError
from infra.settings import Settings
from infra.sfu import Sfu
from infra.sfu_port import RoomGone, SfuError

STORE_WITHIN_S: Final = 5.0
STORE_URL: Final = (
    "Give redis://user:password@host:6379/0, rediss:// for TLS, or unix:///a/socket; in a password write "
    "/ ? # @ and : as %2F %3F %23 %40 and %3A. Or unset it for a store of our own."
)
NO_SUCH_ROOM: Final = "exaim-preflight"  # asked for only to see whether the key is taken


async def look(settings: Settings) -> None:
    """Ask the store, the SFU and the database that the settings name, if they do. Raises: CantStart."""
    if settings.redis_url:
        await check_store(settings.redis_url)
    if settings.livekit_url:
        await check_sfu(settings.livekit_url, settings.livekit_api_key, settings.livekit_api_secret)
    if settings.database_url and settings.records_url:
        await check_database(settings.records_url)


async def check_store(url: str) -> None:
    """Raises: CantStart: the store can't be reached or must not be used."""
    unreadable = CantStart(Exit.STORE, f"REDIS_URL can't be read. {STORE_URL}")
    after_login = url.partition("://")[2].partition("/")[2]
    if "@" in after_login and not url.startswith("unix:"):  # a password with a bare slash in it
        raise unreadable
    try:
        client = store.connect(url)
    except ValueError:  # its text quotes a piece of the URL, which may be one of the password
        raise unreadable from None
    try:
        async with asyncio.timeout(STORE_WITHIN_S):
            await store.check(client)
    except TimeoutError:
        message = f"The store at REDIS_URL gave no answer within {STORE_WITHIN_S:g} s."
        raise CantStart(Exit.STORE, f"{message} Start it, or unset REDIS_URL.") from None
    except StoreError as error:
        raise CantStart(
            Exit.STORE, f"REDIS_URL: {error}\n  mend: that, or unset REDIS_URL for a store of our own."
        ) from None
    except TypeError:  # an option that the client does not know
        raise unreadable from None
    finally:
        await client.aclose()


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
