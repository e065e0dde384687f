"""A listener says in one kind of error what it lacks: no API, no room."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from lab.demo.client import fresh_grant
from lab.demo.listener import Grant, ListenerError, end_session, follow, listen, open_session


@pytest.fixture
def nowhere() -> Iterator[str]:
    """An address at which nothing answers."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield "{}:{}".format(*bound.getsockname())


async def test_an_api_that_is_not_there_is_told_by_its_address(nowhere: str) -> None:
    api, grant = f"http://{nowhere}", Grant("s", "room", "", "", "secret")
    for asking in (
        open_session(api, "case"),
        fresh_grant(api, grant),
        end_session(api, grant),
        follow(f"{api}/#session=s&invitation=i"),
    ):
        with pytest.raises(ListenerError, match=nowhere):
            await asking


async def test_a_room_that_can_not_be_joined_is_told_too(nowhere: str) -> None:
    grant = Grant("s", "room", f"ws://{nowhere}", "token", "secret")
    with pytest.raises(ListenerError, match="could not be joined"):
        async with listen(grant):
            pytest.fail("nobody can be there")
