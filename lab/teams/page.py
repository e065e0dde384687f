"""How soon a model's words are on the page, hop by hop, and what the way costs.

A model writes through LangChain's callbacks and a live team's client. Of each word is known when
the model gave it away, when the store had it in the session's log, and when the message that shows it had come.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from redis.asyncio import Redis

from exaim_live import LiveTeam, open_session
from exaim_live.langchain import TeamCallbackHandler
from infra.keys import SessionKeys
from infra.sessions import SessionStore
from infra.streams import Logged, SessionStreams
from lab.bench.figures import Figure, count, figure
from lab.bench.processes import Used, roles, snapshot, used
from lab.demo.listener import Received, end_session, follow, listen
from lab.demo.stackproc import RunningStack

PAGE_MS: Final = 150.0
WORDS: Final = 400
WORD_S: Final = (0.01, 0.13)  # from word to word, by chance: fourteen words a second, in step with no batch
SEED: Final = 7
SETTLED_S: Final = 8.0  # the greeting: what it costs is none of the words'
_WORD: Final = re.compile(r"\bw\d{4}\b")

Say = Callable[[str], None]


class Writes(BaseChatModel):
    """Writes numbered words, and notes when it gave each away."""

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
        chance = random.Random(SEED)
        for number in range(WORDS):
            await asyncio.sleep(chance.uniform(*WORD_S))
            word = f"w{number:04d}"
            self.gave[word] = time.monotonic()
            yield ChatGenerationChunk(
                message=AIMessageChunk(content=f"{word}. " if number % 9 == 8 else f"{word} ")
            )

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Shown:
    """Of each word: from the model to the log, from there to the page, and both, in ms. What the way used.

    `lost`: how many of the `words` that the model gave away never came to the page.
    """

    to_log_ms: tuple[float, ...]
    to_page_ms: tuple[float, ...]
    whole_ms: tuple[float, ...]
    words: int
    lost: int
    messages_per_s: float
    cpu: tuple[Used, ...]


def rows(shown: Shown) -> list[Figure]:
    """Return the figures. Raises: ValueError: no word was seen."""
    return [
        figure(
            *("a model's word → the page", "ms", shown.whole_ms),
            most=PAGE_MS,
            at="p95",
            aim=f"p95 ≤ {PAGE_MS:g} ms",
        ),
        count("words that never came to the page", "words", shown.lost, shown.words, most=0),
        figure("  the model → the session's log", "ms", shown.to_log_ms),
        figure("  the log → the page", "ms", shown.to_page_ms),
        figure("  messages that show words", "a second", [shown.messages_per_s]),
        figure("  CPU meanwhile, all but the SFU", "% of a core", [_all_but_the_sfu(shown.cpu)]),
    ]


def _all_but_the_sfu(cpu: Sequence[Used]) -> float:
    return sum(each.cpu_percent for each in cpu if each.role != "livekit-server")


async def measure(running: RunningStack, client: Redis, say: Say) -> Shown:
    """Have a model write in a live session that is listened to. Raises: ListenerError."""
    opened = await open_session(running.api_url, title="Words")
    model = Writes(gave={})
    grant = await follow(opened.page_url)
    try:
        async with LiveTeam(opened) as team, listen(grant) as listener:
            await listener.command("ready")
            await asyncio.sleep(SETTLED_S)
            names = roles(int(running.noted["pid"]), running.noted["pids"])
            before, began_s = snapshot(list(names)), time.monotonic()
            handler = TeamCallbackHandler(team, agent_of=lambda _: "cardiologist")
            async for _ in model.astream("Which?", {"callbacks": [handler]}):
                pass
            took_s = time.monotonic() - began_s
            cpu = used(before, snapshot(list(names)), took_s, names)
            await asyncio.sleep(2.0)
            messages = list(listener.messages)
        logged = await _logged(client, grant.session_id)
    finally:
        await end_session(running.api_url, grant)
    found, had = on_page(messages), in_log(logged)
    say(f"teams: {len(found)} of {len(model.gave)} words were on the page")
    for each in cpu:
        say(f"{each.cpu_percent:6.1f} %  {each.role}  ({each.wakes_per_s:g} wakes/s)")
    ways = [(model.gave[word], had[word], found[word]) for word in found.keys() & had.keys()]
    shown = sum(each.type == "trace" for each in messages)
    return Shown(
        tuple(1000 * (log_s - gave_s) for gave_s, log_s, _ in ways),
        tuple(1000 * (page_s - log_s) for _, log_s, page_s in ways),
        tuple(1000 * (page_s - gave_s) for gave_s, _, page_s in ways),
        words=len(model.gave),
        lost=len(model.gave.keys() - found.keys()),
        messages_per_s=shown / took_s,
        cpu=tuple(cpu),
    )


async def _logged(client: Redis, session_id: str) -> list[Logged]:
    record = await SessionStore(client).get(session_id)
    streams = SessionStreams(client, SessionKeys(record.thread_id, session_id))
    return await streams.read_events(count=2 * WORDS)


def on_page(messages: Sequence[Received]) -> dict[str, float]:
    """Return when each numbered word was whole on the page, by the messages that append to the trace."""
    shown = [each for each in sorted(messages, key=lambda each: each.seq) if each.type == "trace"]
    return _words(("".join(i["text"] for i in each.body.get("items", ())), each.at_s) for each in shown)


def in_log(logged: Sequence[Logged]) -> Mapping[str, float]:
    """Return when each numbered word was whole in the log, on this process's monotonic clock."""
    ahead_s = time.time() - time.monotonic()
    return _words((each.event.data, each.at_ms / 1000 - ahead_s) for each in logged)


def _words(pieces: Iterable[tuple[str, float]]) -> dict[str, float]:
    found: dict[str, float] = {}
    text = ""
    for piece, at_s in pieces:
        text += piece
        for word in _WORD.findall(text):
            found.setdefault(word, at_s)
        text = text[-16:]
    return found
