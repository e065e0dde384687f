"""How soon is a summary heard, and how whole? Measured where it counts: at the listener."""

from __future__ import annotations

import asyncio
import secrets
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from livekit import api

from app.bench.figures import Figure, figure
from app.demo import hearing
from app.demo.listener import Grant, Listener, ListenerError, listen
from exaim_core import AgentSummary, SpokenItem, SpokenKind, Update
from infra import store
from infra.leases import Lease
from infra.sessions import SessionRecord, SessionStore
from infra.settings import Settings
from infra.sfu import Sfu
from infra.sfu_port import Dispatch, clinician_identity, room_of, voice_dispatch
from infra.streams import SessionStreams

FIRST_SOUND_MS: Final = 150.0  # allowed above the floor
GAP_MS: Final = 120.0  # allowed beyond an asked pause
ASKED_PAUSE_S: Final = 0.30  # the longest that is asked for inside an utterance: at a sentence's end
HEARD_WITHIN_S: Final = 20.0
BETWEEN_S: Final = 1.2  # quiet before each measured item, so that it is an onset

TEXTS: Final = (  # no opening comes twice: the engine keeps short clips
    "Doctor Zero leads with acute kidney injury: low blood pressure and four days of vomiting.",
    "A stone in the left ureter is Doctor One's view: flank pain and little urine.",
    "The potassium is 6.9 now; the sample is not haemolysed, and the ECG has changed.",
    "Two to one for kidney injury from volume loss, and Doctor Two has changed sides.",
    "First comes calcium gluconate, 30 mL of 10 percent, over ten minutes.",
    "Penicillin must not be given: anaphylaxis in 2009, recorded in the case paper.",
    "Pulmonary embolism is now less likely: the CT angiogram shows no filling defect.",
    "Heart failure leads for the supervisor: raised jugular pressure and ankle oedema.",
    "Metformin should stop, since the estimated filtration rate has fallen to 13.",
    "Nobody differs any more: all three hold that bleeding comes from the right colon.",
    "Lactate has risen to 4.2 in two hours, and the blood pressure is falling.",
    "Urgent surgery is proposed by Doctor One, only if the scan shows free air.",
    "Sarcoidosis stays open: the biopsy is awaited, and the calcium is normal.",
    "Thyroid storm was withdrawn by Doctor Two, because the hormone level is normal.",
    "An echocardiogram comes next, then blood cultures from two sites.",
    "Enoxaparin is to be avoided here: the creatinine clearance is under 15.",
    "Meningitis leads with two of three: neck stiffness, fever and a petechial rash.",
    "The left leg is swollen, four centimetres more than the right at the calf.",
    "Fluids are limited to one litre a day while the sodium stays below 125.",
    "Giant cell arteritis is the new leading view: jaw pain and a high sedimentation rate.",
)

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Heard:
    """One item: when it was ready, when it was first heard (monotonic, s), and its samples at the ear."""

    ready_s: float
    first_sound_s: float
    start: int
    end: int


async def measure(settings: Settings, n: int, say: Say) -> list[Figure]:
    """Return the figures over `n` items, the floor of the same run among them.

    Raises: ListenerError: an item was not heard.
    """
    floor = await _floor(settings, n)
    say(f"bench: floor {sorted(floor)[len(floor) // 2] * 1000:.0f} ms")
    items, listener = await _items(settings, n, say)
    pcm = listener.heard.pcm()
    first = [(item.first_sound_s - item.ready_s) * 1000 for item in items]
    gaps = [
        max(0.0, (hearing.longest_gap_s(pcm[item.start : item.end]) - ASKED_PAUSE_S) * 1000) for item in items
    ]
    floor_ms = [value * 1000 for value in floor]
    floor_p50 = sorted(floor_ms)[len(floor_ms) // 2]
    return [
        figure("bare track: first frame to audible", "ms", floor_ms),
        figure(
            *("summary ready to first sound", "ms", first),
            floor=floor_p50,
            most=floor_p50 + FIRST_SOUND_MS,
            aim=f"p50 ≤ floor + {FIRST_SOUND_MS:g} ms",
        ),
        figure(
            *("longest silence inside speech, beyond asked pauses", "ms", gaps),
            most=GAP_MS,
            at="max",
            aim=f"max ≤ {GAP_MS:g} ms",
        ),
    ]


async def _floor(settings: Settings, n: int) -> list[float]:
    """Return, in seconds, how long a bare track's first frame takes to the listener's ear."""
    session = f"floor-{secrets.token_hex(4)}"

    def token(identity: str) -> str:
        grants = api.VideoGrants(room_join=True, room=session)
        made = api.AccessToken(settings.livekit_api_key, settings.livekit_api_secret)
        return made.with_identity(identity).with_grants(grants).to_jwt()

    async with Sfu(settings.livekit_url, settings.livekit_api_key, settings.livekit_api_secret) as sfu:
        await sfu.create_room(session, "{}", Dispatch(agent_name="nobody", metadata=""))
        writer = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "app.bench.bare", settings.livekit_url),
            *(token(f"agent-{session}"), str(n)),
            stdout=asyncio.subprocess.PIPE,
        )
        grant = Grant(session, session, settings.livekit_url, token("ear"), "")
        async with listen(grant, beats=False) as ear:
            written, _ = await asyncio.wait_for(writer.communicate(), 60.0 + 2.0 * n)
        await sfu.delete_room(session)
    left = [float(line) for line in written.split()]
    arrived = [ear.heard.time_of(onset) for onset in ear.heard.onsets]
    return [min(at for at in arrived if at >= began) - began for began in left if began < arrived[-1]]


async def _items(settings: Settings, n: int, say: Say) -> tuple[list[Heard], Listener]:
    """Commit `n` updates to a session of its own, one when the one before was heard; return what was heard.

    The session counts as reasoned, so no reasoner takes it: this function is its reasoner. The items are
    corrections, which the budget excepts: what is measured is the way to the ear, not the wait for a turn.
    """
    client = store.connect(settings.redis_url)
    session_id = f"s-bench{secrets.token_hex(6)}"
    record = SessionRecord(
        session_id=session_id,
        thread_id=session_id,
        case_id="case-bench",
        title="Bench",
        agents=("doctor0",),
        room=room_of(session_id),
        reasoning="finished",
        secret_sha256="0" * 64,
        created_at_ms=time.time_ns() // 1_000_000,
    )
    try:
        async with Sfu(settings.livekit_url, settings.livekit_api_key, settings.livekit_api_secret) as sfu:
            await SessionStore(client).create(record)
            await sfu.create_room(record.room, "{}", voice_dispatch(session_id, session_id))
            token = sfu.token(clinician_identity(session_id), record.room).jwt
            grant = Grant(session_id, record.room, settings.livekit_url, token, "")
            lease = Lease(client, record.keys, "reason")
            if await lease.acquire() is None:
                raise ListenerError("another process reasons about the bench's session")
            async with listen(grant) as listener, asyncio.timeout(60 + 15 * n):
                await listener.command("ready")
                await listener.wait_for(_spoken("greeting"), HEARD_WITHIN_S)
                streams = SessionStreams(client, record.keys)
                heard = []
                for number in range(1, n + 1):
                    await lease.renew()
                    heard.append(await _one(streams, lease, listener, session_id, number))
                    took_s = heard[-1].first_sound_s - heard[-1].ready_s
                    say(f"bench: {number} of {n}: {1000 * took_s:.0f} ms")
            await SessionStore(client).end(session_id)
            await sfu.delete_room(record.room)
    finally:
        await client.aclose()
    return heard, listener


async def _one(
    streams: SessionStreams, lease: Lease, listener: Listener, session_id: str, number: int
) -> Heard:
    await asyncio.sleep(BETWEEN_S)
    uid = f"u-{session_id}-{number:04d}"
    update = _update(number, time.time())
    onsets, ready_s = len(listener.heard.onsets), time.monotonic()
    await streams.commit_update(update, uid, lease.fence)
    await listener.wait_for(_spoken(f"{uid}.1"), HEARD_WITHIN_S)
    new = listener.heard.onsets[onsets:]
    if not new:
        raise ListenerError("an item was said to be spoken, and no sound of it was heard")
    return Heard(ready_s, listener.heard.time_of(new[0]), new[0], listener.heard.samples)


def _spoken(what: str) -> Callable[[object], bool]:
    def wanted(message: object) -> bool:
        body = getattr(message, "body", {})
        named = what in (body.get("utterance_id"), body.get("kind"))
        return named and body.get("phase") == "spoken"

    return wanted


def _update(number: int, at_s: float) -> Update:
    text = TEXTS[number % len(TEXTS)]
    nothing = "None stated."
    return Update(
        number=number,
        path="A",
        reason="boundary_cue",
        summary=AgentSummary(
            status_action=text[:150],
            key_findings=nothing,
            differential_rationale=nothing,
            uncertainty_confidence=nothing,
            recommendation_next_step=nothing,
            agent_contributions=nothing,
        ),
        items=(
            SpokenItem(
                item_id=str(number),
                kind=SpokenKind.CORRECTION,
                text=text,
                brief=None,
                topic=None,
                urgency="important",
                protects=False,
                critical_key=None,
                agents=("doctor0",),
                cites=(),
            ),
        ),
        covers=(),
        last_delta_at_s=at_s,
        dropped=(),
    )
