"""The paper that is kept beside a live session: also one that another version of the program put there."""

from __future__ import annotations

import pytest
from redis.asyncio import Redis

from exaim_core import CasePaper
from infra.errors import CorruptSession
from infra.keys import SessionKeys
from infra.papers import keep_paper, read_paper

KEYS = SessionKeys("t-1", "s-1")


async def test_a_paper_with_fields_of_another_version_is_read(store: Redis) -> None:
    await store.set(KEYS.name("paper"), '{"case_id": "x", "age": 74, "ward": 7}')
    assert await read_paper(store, KEYS) == CasePaper(case_id="x", age=74)


async def test_a_paper_is_kept_without_the_words_it_was_made_of(store: Redis) -> None:
    await keep_paper(store, KEYS, CasePaper.model_validate({"case_id": "x", "sources": {"age": "74"}}))
    assert await read_paper(store, KEYS) == CasePaper(case_id="x")


async def test_what_is_no_paper_is_damage(store: Redis) -> None:
    await store.set(KEYS.name("paper"), '{"age": "secret"}')
    with pytest.raises(CorruptSession) as damage:
        await read_paper(store, KEYS)
    assert "secret" not in str(damage.value)
