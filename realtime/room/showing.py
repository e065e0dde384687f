"""Keep captions and the agent's state up to date for clients that know only LiveKit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from realtime.room.captions import Captions
from realtime.room.livekit_room import VoiceRoom

LOOK_EVERY_S: Final = 0.1  # a word lasts 0.38 s


async def show_captions(room: VoiceRoom, captions: Captions, played: Callable[[], int]) -> None:
    """Send words once the listener's ear, at session sample `played`, is past them. Raises: RoomGone."""
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        for caption in captions.due(played()):
            await room.caption(caption.segment_id, caption.text, final=caption.final)


async def show_agent_state(room: VoiceRoom, state: Callable[[], str]) -> None:
    """Keep LiveKit's attribute as we are. It is for show: what the SFU does not confirm is set again."""
    shown = ""
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        now = state()
        if now != shown and await room.set_agent_state(now):
            shown = now
