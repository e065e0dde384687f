"""Load the database's adapter at its first use: SQLAlchemy takes as long as the rest of a start."""

from __future__ import annotations

import asyncio

from infra.database.port import Records, RowFate, StoredSession


class LateRecords(Records):
    """`SqlRecords` at `url`, made off the event loop by the first call, which may raise its errors."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._records: Records | None = None
        self._loading = asyncio.Lock()

    async def write(self, stored: StoredSession) -> RowFate:
        """As the port."""
        return await (await self._loaded()).write(stored)

    async def get(self, session_id: str) -> StoredSession | None:
        """As the port."""
        return await (await self._loaded()).get(session_id)

    async def revoke(self, session_id: str) -> None:
        """As the port."""
        await (await self._loaded()).revoke(session_id)

    async def forget(self, ended_before_ms: int) -> int:
        """As the port."""
        return await (await self._loaded()).forget(ended_before_ms)

    async def check(self) -> None:
        """As the port."""
        await (await self._loaded()).check()

    async def aclose(self) -> None:
        """Close all connections, if there are any."""
        records, self._records = self._records, None
        if records is not None:
            await records.aclose()

    async def _loaded(self) -> Records:
        async with self._loading:
            if self._records is None:
                self._records = await asyncio.to_thread(_made, self._url)
            return self._records


def _made(url: str) -> Records:
    from infra.database.records import SqlRecords

    return SqlRecords(url)
