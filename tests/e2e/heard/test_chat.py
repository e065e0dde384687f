"""A stock LiveKit client types in the room's chat, and hears and reads what comes of it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

import pytest
from livekit import rtc

from lab.demo.listener import end_session, listen, open_session
from tests.e2e import calm
from tests.e2e.conftest import PROMISED_S, SPOKEN_WITHIN_S, UpStack
from tests.e2e.heard.scenes import of

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]

ASKED = "What is the potassium?"
SOON_S = 60.0  # a bound for busy cores


async def send(room: rtc.Room, text: str) -> None:
    """Send as LiveKit's own components do: a text stream, and a copy for clients that know none."""
    sent = await room.local_participant.send_text(text, topic="lk.chat")
    copy = {"id": sent.stream_id, "timestamp": sent.timestamp, "message": text, "ignoreLegacy": True}
    await room.local_participant.publish_data(json.dumps(copy), topic="lk-chat-topic")


@dataclass(frozen=True, slots=True)
class Typed:
    """What came of three messages: the answer, the reply to one that is too long, and what all were taken for."""

    answer: dict[str, Any]
    captions: str
    reply: str
    decided: list[str]


async def a_stock_client_types(up: UpStack) -> Typed:
    grant = await open_session(up.api_url, calm.CASE_ID)
    replies: asyncio.Queue[rtc.TextStreamReader] = asyncio.Queue()
    async with listen(grant, beats=False) as client:
        client.room.register_text_stream_handler("lk.chat", lambda reader, _: replies.put_nowait(reader))
        await client.wait_for(lambda m: _is(m, "utterance", kind="greeting", phase="spoken"), SOON_S)
        await send(client.room, ASKED)
        answer = await client.wait_for(lambda m: _is(m, "answer", question=ASKED), SOON_S)
        spoken = answer.body["utterance_id"]
        await client.wait_for(
            lambda m: _is(m, "utterance", utterance_id=spoken, phase="spoken"), SPOKEN_WITHIN_S
        )
        await send(client.room, "x" * 301)
        reply = await (await asyncio.wait_for(replies.get(), SOON_S)).read_all()
        await send(client.room, "stop")
        await client.wait_for(lambda m: _is(m, "mode", mode="quiet"), PROMISED_S)
        await client.wait_for(lambda m: _is(m, "turn", phase="decided", text="stop"), PROMISED_S)
        decided = [m.body["text"] for m in client.messages if _is(m, "turn", phase="decided")]
        read = " ".join(client.captions)
    await end_session(up.api_url, grant)
    return Typed(answer.body, read, reply, decided)


@of(a_stock_client_types, lasts_s=30.0)
def test_who_types_in_a_stock_client_is_answered_and_can_ask_for_quiet(found: Typed) -> None:
    assert found.answer["found"]
    beginning = " ".join(found.answer["sentences"][0]["text"].split()[:4])
    assert beginning in found.captions, "a stock client shows the answer among the captions"
    assert "300" in found.reply
    assert found.decided == [ASKED, "stop"], "each message was done once"


def _is(message: Any, type_: str, **wanted: Any) -> bool:
    return message.type == type_ and all(message.body.get(name) == value for name, value in wanted.items())
