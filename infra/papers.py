"""The case paper of a live team's case, kept beside its session: there is no file to read it from."""

from __future__ import annotations

from pydantic import ValidationError
from redis.asyncio import Redis

from exaim_core import CasePaper
from infra.errors import CorruptSession
from infra.keys import SessionKeys
from infra.scripts import SESSION_TTL_MS, answering


async def keep_paper(client: Redis, keys: SessionKeys, paper: CasePaper) -> None:
    """Keep a session's paper, for as long as the session itself. Raises: StoreUnavailable."""
    async with answering("a case paper"):
        await client.set(keys.name("paper"), paper.model_dump_json(exclude_none=True), px=SESSION_TTL_MS)


async def read_paper(client: Redis, keys: SessionKeys) -> CasePaper | None:
    """Return a session's paper, or None if it has none. Raises: StoreUnavailable, CorruptSession."""
    async with answering("a case paper"):
        text = await client.get(keys.name("paper"))
    if text is None:
        return None
    try:
        return CasePaper.of_store(text)
    except ValidationError as error:  # its text may quote the paper
        raise CorruptSession("a case paper", type(error).__name__) from None
