"""A scene in which we read aloud: what the clinician does to it is the test's affair."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from tests.realtime.making import spoken, update, update_id
from tests.realtime.scene import GREETING, LONG, RATE_HZ, Scene
from tts_queue import Voice

ITEM = f"{update_id(1)}.1"
NEXT = f"{update_id(1)}.2"
SECOND = "Another thing is said after it."


@asynccontextmanager
async def reading(
    *more: Any,
    answers: Mapping[str, str] | None = None,
    answer_takes_s: float = 0.02,
    case_words: frozenset[str] = frozenset(),
    voice: Voice | None = None,
) -> AsyncIterator[Scene]:
    """Give a session that has greeted and is 2 s into a long item; a second one, and `more`, wait."""
    s = Scene(answers=answers, answer_takes_s=answer_takes_s, case_words=case_words, voice=voice)
    async with s.running():
        await s.client.come()
        await s.until(6.0)
        assert s.room.phases(GREETING)[-1] == "spoken"
        s.streams.commit(
            update(1, spoken(LONG, protects=True), spoken(SECOND, protects=True), *more), update_id(1)
        )
        await s.until(8.0)
        assert s.room.phases(ITEM)[-1] == "speaking"
        yield s


async def our_question(s: Scene) -> None:
    """Say twice what is not made out, and wait until we ask what was meant."""
    await s.ears.say("Blorp.", lasts_s=0.4)
    await s.ears.say("Blorp.", lasts_s=0.4)
    while ".question." not in s.room.bodies("segment")[-1]["utterance_id"]:
        await asyncio.sleep(0.01)


def sounding_from(s: Scene, at_s: float) -> float | None:
    """Return the first time at or after `at_s` at which sound leaves."""
    return next(
        (max(start / RATE_HZ, at_s) for start, end in s.sink.sounding() if end > at_s * RATE_HZ), None
    )


def spoken_ids(s: Scene) -> list[str]:
    """Return the ids of what sounded, in order, each once."""
    return list(dict.fromkeys(b["utterance_id"] for b in s.room.bodies("segment")))


def words_heard(s: Scene, utterance_id: str) -> list[str]:
    """Return the words of an utterance as the page saw them sounding, those of a clause gone on with once."""
    last: dict[int, list[str]] = {}
    for body in s.room.bodies("segment"):
        if body["utterance_id"] == utterance_id:
            known = last.get(body["index"], [])
            new = [word["text"] for word in body["words"]]
            last[body["index"]] = known[: len(known) - len(new)] + new if len(known) > len(new) else new
    return [word for index in sorted(last) for word in last[index]]


def turns(s: Scene) -> list[tuple[str, str]]:
    """Return the effect and reason of each decided turn, the last verdict on each."""
    decided = {
        b["turn_id"]: (b["effect"], b["why"]) for b in s.room.bodies("turn") if b["phase"] == "decided"
    }
    return list(decided.values())


def modes(s: Scene) -> list[str]:
    """Return the modes as the page was told them, without repeats."""
    told = [b["mode"] for b in s.room.bodies("mode")]
    return [mode for n, mode in enumerate(told) if n == 0 or told[n - 1] != mode]
