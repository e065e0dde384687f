"""One fault at a time: done to a session or to a part of the stack, and measured at the listeners."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final

from lab.chaos.hold import Hold, NoSuchProcess
from lab.chaos.impairment import CLEAR, DARK
from lab.chaos.pages import PageProcess
from lab.chaos.plan import OF_CLIENT, OF_ONE, Fault, Planned
from lab.chaos.recovery import first_word_s, silence_s
from lab.chaos.runs import Run
from lab.chaos.session import Session
from lab.demo.listener import ListenerError

CLAUSE_WITHIN_S: Final = 20.0  # the longest quiet of the two cases at their speeds, and a pause
WAKE_WITHIN_S: Final = 4.0  # a worker ends a job that was put out and does not go, 12 s after it was stopped
WATCHED_S: Final = 30.0  # after a fault, for sound
SOUND_AGAIN_S: Final = 1.0  # so much of it in `LATELY_S`, and the fault is over
LATELY_S: Final = 3.0
LEAST_S: Final = 6.0  # sound that was made before the fault is over by then, and a silence after it has begun
SETTLE_S: Final = 2.0
PAUSED_S: Final = 1.0
LOOK_S: Final = 0.1
THERE_WITHIN_S: Final = 10.0  # a part that is being started again

PART: Final = {
    Fault.WORKER_KILLED: "worker",
    Fault.WORKER_DRAINED: "worker",
    Fault.ENGINES_KILLED: "engines",
    Fault.REASONER_KILLED: "reasoner",
    Fault.API_KILLED: "api",
    Fault.STORE_KILLED: "store",
    Fault.STORE_PAUSED: "store",
    Fault.SFU_KILLED: "livekit-server",
}


@dataclass(frozen=True, slots=True)
class Hit:
    """A fault as it went. Times in seconds.

    Args:
        session_id: the session that was aimed at.
        done: whether it could be done; `note` says why not.
        speaking: whether a session that it was to be felt by was inside a clause.
        again_s: for each such session, the time from the fault (of the client: from its return) to speech;
            0: nothing was missed; None: none came within `WATCHED_S`.
        others_s: the same for the session that was not hit, if there is one.
        woken_s: of a stopped job: the same from when it goes on while its successor speaks.
    """

    number: int
    fault: Fault
    session_id: str
    at_s: float
    done: bool
    speaking: bool
    again_s: tuple[float | None, ...] = ()
    others_s: tuple[float | None, ...] = ()
    woken_s: tuple[float | None, ...] = ()
    note: str = ""


def ends_voice(found: Hit, session_id: str) -> bool:
    """Return whether a fault ends a session's voice, or may do so."""
    if found.fault in (Fault.JOB_KILLED, Fault.JOB_STOPPED):
        return found.session_id == session_id
    return found.fault in (Fault.WORKER_KILLED, Fault.WORKER_DRAINED, Fault.SFU_KILLED)


async def hit(planned: Planned, sessions: Sequence[Session], hold: Hold, spare: PageProcess | None) -> Hit:
    """Do one fault and watch until it is over. `spare`: an up page, which a client's fault uses."""
    target = sessions[planned.session % len(sessions)]
    said = await target.until_in_a_clause(CLAUSE_WITHIN_S)
    if said is not None:
        await asyncio.sleep(planned.into_s)
    try:
        if planned.fault in OF_CLIENT:
            assert spare is not None or planned.fault is Fault.FLAP
            found = await _of_client(planned, target, spare, speaking=said is not None)
        else:
            found = await _of_part(planned, target, sessions, hold, said)
    except (NoSuchProcess, ListenerError) as error:
        found = Hit(
            number=planned.number,
            fault=planned.fault,
            session_id=target.grant.session_id,
            at_s=time.monotonic(),
            done=False,
            speaking=said is not None,
            note=str(error),
        )
    for session in sessions:
        session.faults.append(asdict(found))
        session.needed += found.done and ends_voice(found, session.grant.session_id)
    await asyncio.sleep(SETTLE_S)
    return found


async def _of_client(planned: Planned, target: Session, spare: PageProcess | None, *, speaking: bool) -> Hit:
    """Let the listener go in some way, and come back; what counts is from its return."""
    at_s, old = time.monotonic(), target.page
    match planned.fault:
        case Fault.CLIENT_KILLED:
            await old.kill()
            await asyncio.sleep(planned.away_s)
        case Fault.RELOAD:
            await old.leave()
        case Fault.FLAP:
            target.relay.impairment.now = DARK
            await asyncio.sleep(planned.away_s)
            target.relay.impairment.now = CLEAR
    if spare is not None and planned.fault is not Fault.FLAP:
        await target.join(spare)
        await target.hand_over(spare)
        joining = await spare.wait_for(lambda told: told["what"] == "joining", WATCHED_S, "a return")
        since_s = joining["at"]  # a process that starts to work is no part of coming back
    else:
        since_s = time.monotonic()
    again_s = await _until_heard(target.page, since_s)
    if planned.fault is not Fault.FLAP:
        await old.end()
    session_id = target.grant.session_id
    return Hit(planned.number, planned.fault, session_id, at_s, True, speaking, (again_s,))


async def _until_heard(page: PageProcess, since_s: float) -> float | None:
    until_s = since_s + WATCHED_S
    while time.monotonic() < until_s:
        sound = [Run(told["from"], told["to"]) for told in list(page.told) if told["what"] == "sound"]
        begun = [told["at"] for told in list(page.told) if told["what"] == "segment"]
        found = first_word_s(sound, since_s, begun)
        if found is not None:
            return found
        await asyncio.sleep(LOOK_S)
    return None


async def _of_part(
    planned: Planned, target: Session, sessions: Sequence[Session], hold: Hold, said: str | None
) -> Hit:
    """Hit a process; watch every session that hangs on it, and the other one too."""
    pid = await _process_of(planned.fault, target, hold)
    at_s = time.monotonic()
    hold.send(pid, _first_signal(planned.fault))
    if planned.fault is Fault.STORE_PAUSED:
        await asyncio.sleep(PAUSED_S)
        hold.send(pid, signal.SIGCONT)
    await _until_over(target, at_s)
    again_s = (_silence(target, at_s, said),) if said is not None else ()
    woken_s = await _wake(target, pid, hold) if planned.fault is Fault.JOB_STOPPED else None
    others = [session for session in sessions if session is not target]
    felt = tuple(_felt(session, at_s) for session in others)
    return Hit(
        planned.number,
        planned.fault,
        target.grant.session_id,
        at_s,
        True,
        said is not None,
        again_s=again_s,
        others_s=felt,
        woken_s=() if woken_s is None else (woken_s,),
    )


async def _wake(target: Session, pid: int, hold: Hold) -> float | None:
    """Let the stopped job go on while its successor speaks: it must find out, and do no harm.

    Returns the silence that it made, or None if its worker has ended it already: there is nothing to wake.
    """
    said = await target.until_in_a_clause(WAKE_WITHIN_S)
    at_s = time.monotonic()
    try:
        hold.send(pid, signal.SIGCONT)
    except NoSuchProcess:
        return None
    await _until_over(target, at_s)
    return _silence(target, at_s, said)


async def _process_of(fault: Fault, target: Session, hold: Hold) -> int:
    """Return the process to be hit, once it is there. Raises: NoSuchProcess."""
    until_s = time.monotonic() + THERE_WITHIN_S
    while True:
        try:
            if fault in OF_ONE:
                return await asyncio.to_thread(hold.job, target.grant.session_id)
            return hold.pid(PART[fault])
        except NoSuchProcess:
            if time.monotonic() > until_s:
                raise
        await asyncio.sleep(LOOK_S)


def _first_signal(fault: Fault) -> signal.Signals:
    match fault:
        case Fault.JOB_STOPPED | Fault.STORE_PAUSED:
            return signal.SIGSTOP
        case Fault.WORKER_DRAINED:
            return signal.SIGTERM
        case _:
            return signal.SIGKILL


async def _until_over(target: Session, at_s: float) -> None:
    """Wait until speech has been heard again for a while, or still is; at most `WATCHED_S`."""
    while (now_s := time.monotonic()) < at_s + WATCHED_S:
        if now_s > at_s + LEAST_S and _spoke_lately(target, now_s):
            return
        await asyncio.sleep(LOOK_S)


def _spoke_lately(session: Session, now_s: float) -> bool:
    return sum(run.lasts_s for run in session.sound() if run.to_s > now_s - LATELY_S) >= SOUND_AGAIN_S


def _silence(session: Session, at_s: float, said: str | None) -> float | None:
    over_s = session.spoken_at(said) if said is not None else None
    return silence_s(session.sound(), at_s, over_s, time.monotonic())


def _felt(session: Session, at_s: float) -> float | None:
    """Return the silence of a session for which no clause was waited, if it was inside one."""
    begun = [told for told in session.all_told() if told["what"] == "segment" and told["at"] <= at_s]
    said = str(begun[-1]["body"]["utterance_id"]) if begun else None
    over_s = session.spoken_at(said) if said is not None else None
    if said is None or (over_s is not None and over_s <= at_s):
        return 0.0  # it was between two utterances: nothing to be missed
    return silence_s(session.sound(), at_s, over_s, time.monotonic())
