"""Tries to silence another: to fill the store, take all slots or connections, or keep the server at work."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

import httpx

from infra.access import new_secret
from lab.tries.ground import ANSWER_S, OTHER, Ground, Outcome, Try, code_in, got_in, held, judged, refused

FLOOD_MOST: Final = 80  # batches of 56 kB: twice what a team may send at once
MANY_EVENTS_MOST: Final = 40  # batches of 500 events
GREEDY: Final = "tries-greedy"  # a third opener, so that nobody else's share is used up
QUOTAS: Final = ("too_many_sessions", "too_many_openings", "logs_full", "store_low")
OPENINGS_MOST: Final = 110  # more than there may ever be sessions
CONNECTIONS: Final = 300
PROMPT_S: Final = 2.0  # in which somebody else is still answered
PATIENCE_S: Final = 30.0  # in which the server has to lose its own
Knock = Callable[[Ground], Awaitable[Outcome]]
End = Callable[[Ground, dict[str, Any]], Awaitable[None]]


def _batch(first: int, number: int, text: str) -> dict[str, Any]:
    events = [
        {"type": "TOKEN", "seq": seq, "agentId": "a", "turn": 1, "data": text}
        for seq in range(first, first + number)
    ]
    return {"events": events}


async def _next_seq(on: Ground) -> int:
    """Return the number of the greedy team's next event."""
    path, token = f"{on.other.path}/events", on.other.team_token
    return int((await on.ask("POST", path, bearer=token, json={"events": []})).json()["stored_seq"]) + 1


async def _flooded(on: Ground, most: int, number: int, text: str) -> Outcome:
    """Send as the greedy team until it is refused, and look whether the other team is heard meanwhile."""
    path, token = f"{on.other.path}/events", on.other.team_token
    seq = await _next_seq(on)
    for _ in range(most):
        answer = await on.ask("POST", path, bearer=token, json=_batch(seq, number, text))
        if answer.status_code == 200:
            seq += number
            continue
        if "retry-after" not in answer.headers:
            return Outcome(False, "UNCLEAR (it is not told when to come again)")
        bystander = await on.ask(
            "POST", f"{on.victim.path}/events", bearer=on.victim.team_token, json={"events": []}
        )
        if bystander.status_code != 200:
            return got_in(f"the other team is refused too: {bystander.status_code}")
        return judged(answer, (429, "too_fast"), (429, "log_full"), (429, "store_low"))
    return got_in(f"{most} batches were taken")


async def flood(on: Ground) -> Outcome:
    """Fill the store with one team's text."""
    return await _flooded(on, FLOOD_MOST, 7, "x" * 8_000)


async def drizzle(on: Ground) -> Outcome:
    """Fill the log with events of a character each."""
    return await _flooded(on, MANY_EVENTS_MOST, 500, "a")


async def open_without_end(on: Ground) -> Outcome:
    """Open sessions until there are none left, or the store is full. All are ended again."""
    body = {"live": {"title": "Tries: one more"}}
    return await _without_end(on, OTHER, "/sessions", body, QUOTAS, _close)


async def teams_without_end(on: Ground) -> Outcome:
    """Start teams until none is taken any more. All are ended again."""
    codes = ("too_many_teams", "teams_full", *QUOTAS)
    return await _without_end(on, GREEDY, "/teams", {"scripted": "low-sodium"}, codes, _end)


async def _without_end(
    on: Ground, principal: str, path: str, asked: dict[str, Any], codes: Sequence[str], end: End
) -> Outcome:
    """Ask for one more until it is refused, and look whether the victim can come back. All are ended again."""
    key, opened = on.key(principal=principal), []
    try:
        for _ in range(OPENINGS_MOST):
            answer = await on.ask("POST", path, key=key, json=asked)
            if answer.status_code != 201:
                alive = await on.ask("POST", f"{on.victim.path}/token", bearer=on.victim.secret)
                if alive.status_code != 200:
                    return got_in(f"the victim can't come back: {alive.status_code}")
                return judged(answer, *((429, code) for code in codes))
            opened.append(answer.json())
        return got_in(f"{OPENINGS_MOST} were taken")
    finally:
        for body in opened:
            await end(on, body)


async def _end(on: Ground, body: dict[str, Any]) -> None:
    await on.ask("POST", f"/sessions/{body['session_id']}/end", bearer=body["client_secret"])


async def papers_without_end(on: Ground) -> Outcome:
    """Have papers made until none is made any more; these are a script's, which asks no model."""
    for _ in range(OPENINGS_MOST):
        body = {"scripted": "low-sodium"}
        answer = await on.ask("POST", "/papers/draft", key=on.key(principal=GREEDY), json=body)
        if answer.status_code != 200:
            return judged(answer, (429, "too_many_drafts"))
    return got_in(f"{OPENINGS_MOST} papers were made")


def as_case(body: bytes, path: str = "/teams") -> Knock:
    """Return a try to have a team, or a paper, made of what costs the server much to read."""

    async def make(on: Ground) -> Outcome:
        headers = {"Content-Type": "application/json"}
        answer = await on.ask("POST", path, key=on.key(principal=GREEDY), content=body, headers=headers)
        return judged(answer, (413, "too_large"))

    return make


async def _close(on: Ground, body: dict[str, Any]) -> None:
    path, secret = f"/sessions/{body['session_id']}", body.get("client_secret") or new_secret()
    with contextlib.suppress(httpx.HTTPError):
        code = code_in(body["live"]["page_url"])
        await on.ask("POST", f"{path}/invitation", bearer=code, json={"client_secret": secret})
        await on.ask("POST", f"{path}/end", bearer=secret)


def sends(body: bytes, *expected: tuple[int, str], **headers: str) -> Knock:
    """Return a try to send the victim's server a body that costs it much, as a team of one's own."""

    async def make(on: Ground) -> Outcome:
        given = {
            "Content-Type": "application/json",
            **{name.replace("_", "-"): text for name, text in headers.items()},
        }
        path = f"{on.other.path}/events"
        began_s = time.monotonic()
        answer = await on.ask("POST", path, bearer=on.other.team_token, content=body, headers=given)
        took_s = time.monotonic() - began_s
        return judged(answer, *expected) if took_s < PROMPT_S else got_in(f"it took {took_s:.1f} s")

    return make


async def leap(on: Ground) -> Outcome:
    """Leave a gap in the log that nobody can ever fill."""
    body = _batch(await _next_seq(on) + 1_000_000, 1, "a")
    answer = await on.ask("POST", f"{on.other.path}/events", bearer=on.other.team_token, json=body)
    return judged(answer, (409, "sequence_gap"))


async def wrong_secrets(on: Ground) -> Outcome:
    """Lock the clinician out by fifty wrong secrets in a row."""
    path = f"{on.victim.path}/token"
    for _ in range(50):
        found = judged(await on.ask("POST", path, bearer=new_secret()), (401, "wrong_secret"))
        if not found.clear:
            return found
    answer = await on.ask("POST", path, bearer=on.victim.secret)
    return (
        held("the clinician still comes in")
        if answer.is_success
        else got_in(f"locked out: {answer.status_code}")
    )


def silence(seconds: float) -> Knock:
    """Return a try to open a session that waits for its team for ever, or not at all."""

    async def make(on: Ground) -> Outcome:
        body = json.dumps({"live": {"title": "x", "silence_s": seconds}}).encode()
        headers = {"Content-Type": "application/json"}
        answer = await on.ask("POST", "/sessions", key=on.key(principal=OTHER), content=body, headers=headers)
        return judged(answer, (422, "invalid_request"))

    return make


# --- connections


async def connections(on: Ground) -> Outcome:
    """Hold hundreds of connections with heads that never end, and look whether others are answered."""
    head = f"GET / HTTP/1.1\r\nHost: {on.authority}\r\nX-Slow: ".encode()
    held_open: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
    try:
        for _ in range(CONNECTIONS):
            try:
                reader, writer = await on.dial()
            except OSError:
                return got_in(f"after {len(held_open)} nobody is connected any more")
            held_open.append((reader, writer))
            writer.write(head)
        began_s = time.monotonic()
        answer = await on.ask("GET", "/health/live")
        took_s = time.monotonic() - began_s
        if not answer.is_success or took_s > PROMPT_S:
            return got_in(f"who asks is answered {answer.status_code} after {took_s:.1f} s")
        dropped = await _hung_up(held_open[0][0], PROMPT_S)
        return held("the oldest are hung up on") if dropped else got_in(f"{CONNECTIONS} are held")
    finally:
        for _, writer in held_open:
            writer.close()


async def _hung_up(reader: asyncio.StreamReader, within_s: float) -> bool:
    try:
        async with asyncio.timeout(within_s):
            while await reader.read(4096):
                pass
    except TimeoutError:
        return False
    except ConnectionError:
        pass
    return True


def waits(*lines: str, trickle: bytes = b"") -> Knock:
    """Return a try to keep a connection by saying too little."""

    async def make(on: Ground) -> Outcome:
        reader, writer = await on.dial()
        try:
            writer.write("\r\n".join(lines).replace("HOST", on.authority).encode())
            return await _outlasted(reader, writer, trickle)
        finally:
            writer.close()

    return make


async def _outlasted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, trickle: bytes) -> Outcome:
    """Wait for the server's patience to end, saying something every second meanwhile."""
    began_s, first = time.monotonic(), b""
    while time.monotonic() - began_s < PATIENCE_S:
        try:
            async with asyncio.timeout(1.0):
                found = await reader.read(4096)
        except TimeoutError:
            with contextlib.suppress(ConnectionError):
                writer.write(trickle)
                await writer.drain()
            continue
        except ConnectionError:
            found = b""
        if not found:
            return refused(408, "too_slow") if b" 408 " in first else held("hung up")
        first += found
    return got_in(f"kept for {PATIENCE_S:g} s")


DEEP: Final = b'{"events":' + b"[" * 30_000 + b"]" * 30_000 + b"}"
LONG_NUMBER: Final = b'{"events":[{"type":"END","seq":' + b"9" * 60_000 + b"}]}"
HALF_A_PAIR: Final = b'{"events":[{"type":"TOKEN","seq":0,"agentId":"\\ud800","data":"a"}]}'
INVALID: Final = (422, "invalid_request")
EVERY: Final = (
    Try("fill the store with text", flood),
    Try("flood the log with single characters", drizzle),
    Try("leave a gap in the log", leap),
    Try("send a body of a megabyte", sends(b" " * 2**20, (413, "too_large"))),
    Try(
        "send a gzip bomb",
        sends(gzip.compress(b" " * 40_000_000), (415, "packed_body"), Content_Encoding="gzip"),
    ),
    Try("send a nest of 30,000 brackets", sends(DEEP, INVALID)),
    Try("send a number of 60,000 digits", sends(LONG_NUMBER, INVALID)),
    Try("send half a character as a name", sends(HALF_A_PAIR, INVALID)),
    Try("send what is no UTF-8", sends(b'{"events":["\xff\xfe"]}', INVALID)),
    Try("wait for a team without end", silence(1e300)),
    Try("wait for a team for no time", silence(0)),
    Try("lock the clinician out by wrong secrets", wrong_secrets),
    Try("start a team on a case of a megabyte", as_case(b" " * 2**20)),
    Try("have a paper made of a megabyte", as_case(b" " * 2**20, "/papers/draft")),
    Try("start teams without end", teams_without_end),
    Try("have papers made without end", papers_without_end),
    Try("open sessions without end", open_without_end),
    Try(f"hold {CONNECTIONS} connections", connections),
    Try("say nothing on a connection", waits(), slow=True),
    Try(
        "never end a head",
        waits("GET / HTTP/1.1", "Host: HOST", "X-Slow: ", trickle=b"x"),
        slow=True,
    ),
    Try(
        "never end a body",
        waits("POST /key HTTP/1.1", "Host: HOST", "Content-Length: 1000", "", "", trickle=b"x"),
        slow=True,
    ),
)
assert PATIENCE_S > ANSWER_S
