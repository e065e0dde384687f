"""How soon a case of a team of ours is heard and seen: at the ear and on the page, on a whole stack.

Three figures at the listener. From "Start the team" to the first sound of the reasoning: the greeting is none of
it, nor is what tells the team's steps. From a token to the ear: from when the last token that an utterance rests on
was in the log, to its first sound; what waited for another one's end counts too. From a model's wire to the page:
each word of a model that writes at a steady pace, through LangChain's callbacks, to the message that shows it.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import httpx
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from redis.asyncio import Redis

from exaim_live import LiveTeam, open_session
from exaim_live.langchain import TeamCallbackHandler
from infra import store
from infra.keys import SessionKeys
from infra.streams import SessionStreams
from lab.bench.figures import Figure, figure, table, write
from lab.bench.loudness import loudness, sound_after
from lab.demo.listener import Grant, Listener, Received, end_session, follow, listen
from lab.demo.stackproc import SETTLES_S, RunningStack, stack
from lab.teams.keys import each_its_own

CASES: Final = (
    ("cdss", "low-sodium"),
    ("doctors", "low-sodium"),
    ("cdss", "thunderclap-headache"),
    ("doctors", "fever-after-chemotherapy"),
)
FIRST_WORD_S: Final = 8.0
PAGE_MS: Final = 150.0
FIRST_WITHIN_S: Final = 45.0
WHOLE: Final = 2  # so many cases are heard for a while, for the way from token to ear
LISTENED_S: Final = 60.0
WORDS: Final = 400
WORD_S: Final = 0.07  # a model that writes fourteen words a second
_WORD: Final = re.compile(r"\bw\d{4}\b")

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Begun:
    """One case: from its start to the first sound of its reasoning, and from tokens to the ear. Seconds."""

    team: str
    script: str
    first_s: float | None
    ears_s: tuple[float, ...]


async def run(out: Path, *, cases: int, say: Say) -> bool:
    """Measure on a stack of its own; return whether every aim was met. Raises: StackFailed, ListenerError."""
    await asyncio.to_thread(shutil.rmtree, out, ignore_errors=True)
    async with stack(out / "run", {"EXAIM_SPARES": "off"}) as running:
        client = store.connect(running.redis_url)
        try:
            await asyncio.sleep(SETTLES_S)
            shown = await _page(running, say)
            begun = []
            own = each_its_own(running.api_url)
            for number in range(cases):
                begun.append(await _case(running, client, number, next(own)))
                say(f"teams: {number + 1} of {cases}: {_line(begun[-1])}")
        finally:
            await client.aclose()
    figures = rows(begun, shown)
    write(out, "9-teams", figures)
    (out / "cases.json").write_text(json.dumps([asdict(each) for each in begun], indent=1), encoding="utf-8")
    text = table(figures)
    (out / "table.md").write_text(text + "\n", encoding="utf-8")
    say(f"{text}\nload at the end: {os.getloadavg()[0]:.1f}")
    return all(each.met is not False for each in figures) and all(each.first_s is not None for each in begun)


def rows(begun: Sequence[Begun], shown_ms: Sequence[float]) -> list[Figure]:
    """Return the figures. Raises: ValueError: nothing was heard."""
    first = [1000 * each.first_s for each in begun if each.first_s is not None]
    ears = [1000 * took for each in begun for took in each.ears_s]
    return [
        figure(
            *('"Start the team" → first sound of the reasoning', "ms", first),
            most=1000 * FIRST_WORD_S,
            aim=f"p50 ≤ {1000 * FIRST_WORD_S:g} ms",
        ),
        figure("token → ear, scripted case", "ms", ears),
        figure(
            *("a model's word → the page", "ms", shown_ms),
            most=PAGE_MS,
            at="p95",
            aim=f"p95 ≤ {PAGE_MS:g} ms",
        ),
    ]


def _line(begun: Begun) -> str:
    first = "nothing was heard" if begun.first_s is None else f"first heard after {begun.first_s:.1f} s"
    return f"{begun.team}, {begun.script}: {first}"


async def _case(running: RunningStack, client: Redis, number: int, headers: dict[str, str]) -> Begun:
    """Begin a scripted case, and listen to its first sound, or for a minute."""
    team, script = CASES[number % len(CASES)]
    async with httpx.AsyncClient(base_url=running.api_url, timeout=10.0, headers=headers) as http:
        began_s = time.monotonic()
        answer = (await http.post("/teams", json={"team": team, "scripted": script})).raise_for_status()
    body = answer.json()
    grant = Grant(body["session_id"], body["room"], body["livekit_url"], body["token"], body["client_secret"])
    async with listen(grant) as listener:
        await listener.command("ready")
        first = await listener.wait_for(_reasons(listener), FIRST_WITHIN_S)
        await asyncio.sleep(LISTENED_S if number < WHOLE else 1.0)
        sound, until_s = loudness(listener.heard), time.monotonic()
        heard_s = sound_after(sound, first.at_s, until_s)
        streams = SessionStreams(client, SessionKeys(body["thread_id"], body["session_id"]))
        written = await _written(streams)
        ears = []
        for message in filter(_reasons(listener), listener.messages):
            at_s = sound_after(sound, message.at_s, until_s)
            token_s = written.get(_update_of(listener, message))
            if at_s is not None and token_s is not None:
                ears.append(at_s - token_s)
    await end_session(running.api_url, grant)
    return Begun(team, script, None if heard_s is None else heard_s - began_s, tuple(ears))


def _reasons(listener: Listener) -> Callable[[Received], bool]:
    """Return a test for the first clause of an utterance that some update of the reasoning brought."""

    def wanted(message: Received) -> bool:
        first = message.type == "segment" and message.body["index"] == 0
        return first and bool(_update_of(listener, message))

    return wanted


def _update_of(listener: Listener, segment: Received) -> str:
    """Return the update of the utterance that a clause belongs to; "": the voice's own words, or unknown."""
    uid = segment.body["utterance_id"]
    told = (each.body for each in listener.messages if each.type == "utterance")
    return next((str(each["update_id"] or "") for each in told if each["utterance_id"] == uid), "")


async def _written(streams: SessionStreams) -> dict[str, float]:
    """Return by update when the last token that it rests on was in the log, on this process's monotonic clock."""
    ahead_s = time.time() - time.monotonic()
    logged = await streams.read_updates(count=1_000)
    return {each.update_id: float(each.update["last_delta_at_s"]) - ahead_s for each in logged}


class Steady(BaseChatModel):
    """Writes numbered words at a steady pace, and notes when it gave each away."""

    gave: dict[str, float]

    @property
    def _llm_type(self) -> str:
        return "lab"

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: Any = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for number in range(WORDS):
            await asyncio.sleep(WORD_S)
            word = f"w{number:04d}"
            self.gave[word] = time.monotonic()
            yield ChatGenerationChunk(
                message=AIMessageChunk(content=f"{word}. " if number % 9 == 8 else f"{word} ")
            )

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        raise NotImplementedError


async def _page(running: RunningStack, say: Say) -> list[float]:
    """Return how long each word of a model was on its way to the page, in ms."""
    opened = await open_session(running.api_url, title="Words")
    model = Steady(gave={})
    async with LiveTeam(opened) as team:
        grant = await follow(opened.page_url)
        async with listen(grant) as listener:
            await listener.command("ready")
            handler = TeamCallbackHandler(team, agent_of=lambda _: "cardiologist")
            async for _ in model.astream("Which?", {"callbacks": [handler]}):
                pass
            await asyncio.sleep(2.0)
            found = shown(listener.messages)
    await end_session(running.api_url, grant)
    say(f"teams: {len(found)} of {len(model.gave)} words were on the page")
    return [1000 * (at_s - model.gave[word]) for word, at_s in found.items()]


def shown(messages: Sequence[Received]) -> dict[str, float]:
    """Return when each numbered word was whole on the page, by the messages that append to the trace."""
    found: dict[str, float] = {}
    text = ""
    for message in sorted(messages, key=lambda each: each.seq):
        if message.type != "trace":
            continue
        text += "".join(item["text"] for item in message.body.get("items", ()))
        for word in _WORD.findall(text):
            found.setdefault(word, message.at_s)
        text = text[-16:]
    return found
