"""How the voice takes being talked to: stops, hums and noises over its own lines, in a real room."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from infra.settings import Settings
from lab.bench import figures
from lab.bench.figures import Figure, Spread
from lab.bench.lines import line
from lab.bench.loudness import NOTHING_MISSED, Missed, Word, loudness, missed
from lab.bench.session import BenchSession, bench_session
from lab.bench.sounds import Pcm
from lab.bench.talking import (
    HUMS,
    NOISES,
    Line,
    Outcome,
    Say,
    Sound,
    Taken,
    outcome,
    sounding,
    talk,
    together,
)
from lab.bench.voice import HEARD_WITHIN_S, spoken
from lab.demo.listener import Listener, ListenerError, Received, listen
from tts_queue.ear import segments

STOP_P50_MS: Final = 320.0
STOP_P95_MS: Final = 450.0
HUM_GOES_ON_MS: Final = 500.0
NOISE_GOES_ON_MS: Final = 1_000.0
QUIET_WITHIN_S: Final = 20.0
HELD_NEAR_S: Final = 0.5  # the message of a hold comes so near to the silence that it makes

# What a turn may be taken as (`Effect`): several where the clinician could not tell them apart.
GOES_ON: Final = frozenset({"go_on"})
MEANT: Final[Mapping[Sound, frozenset[str]]] = {
    Sound.STOP: frozenset({"quiet", "wait"}),
    **dict.fromkeys((*HUMS, *NOISES), GOES_ON),
}


class OurVoice:
    """A session of ours as `talking.Measured`, told by what its messages say."""

    def __init__(self, session: BenchSession, listener: Listener) -> None:
        self._session = session
        self._listener = listener
        self._texts: dict[str, str] = {}

    async def begin(self, number: int) -> Line:
        """Commit a line."""
        text = line(number)
        utterance_id, _ = await self._session.commit(text)
        self._texts[utterance_id] = text
        return Line(utterance_id, sum(len(segment.tokens) for segment in segments(text)))

    async def quieten(self) -> None:
        """Drop what is unfinished, by the button. Raises: ListenerError: it does not come to an end."""
        try:
            async with asyncio.timeout(QUIET_WITHIN_S):
                while (left := self.unfinished()) or self.stopped() or sounding(self._listener):
                    if left or self.stopped():
                        await self._listener.command("next" if left else "go_on")
                    await asyncio.sleep(0.3)
        except TimeoutError:
            raise ListenerError(f"the voice was not quiet within {QUIET_WITHIN_S:.0f} s") from None

    def stopped(self) -> bool:
        """Return whether it waits to be told to go on; what comes then would not be heard."""
        modes = self._of("mode")
        return bool(modes) and modes[-1].body["mode"] in ("quiet", "waiting", "asking")

    def unfinished(self) -> set[str]:
        """Return the utterances that wait, sound or are held."""
        phases: dict[str, str] = {}
        for message in sorted(self._listener.messages, key=lambda each: each.seq):
            if message.type == "utterance":
                phases[message.body["utterance_id"]] = message.body["phase"]
        return {uid for uid, phase in phases.items() if phase in ("queued", "speaking", "held")}

    def missed(self, line: Line, cut: int, *, went_on: bool) -> Missed:
        """Return what a break cost, by where the line's words were; a pause that was no hold cost nothing."""
        at_s = self._listener.heard.time_of(cut)
        held = [
            m
            for m in self._of("utterance")
            if m.body["utterance_id"] == line.line_id and m.body["phase"] == "held"
            if abs(m.at_s - at_s) <= HELD_NEAR_S
        ]
        return missed(self.stretches(line), cut, line.words) if held else NOTHING_MISSED

    def stretches(self, line: Line) -> Sequence[Sequence[Word]]:
        """Return where the words of a line were, by its `segment` messages and the clock they go by."""
        plan = segments(self._texts[line.line_id])
        first = [sum(len(each.tokens) for each in plan[:index]) for index in range(len(plan))]
        told = sorted(
            (
                m
                for m in self._listener.messages
                if m.type == "segment" and m.body["utterance_id"] == line.line_id
            ),
            key=lambda m: m.seq,
        )
        stretches = []
        for message in told:
            index, words = message.body["index"], message.body["words"]
            number = first[index] + len(plan[index].tokens) - len(words)
            zero = self.zero(message.at_s)
            stretches.append(
                [
                    Word(number + k, word["start_sample"] + zero, word["end_sample"] + zero)
                    for k, word in enumerate(words)
                ]
            )
        return stretches

    def _of(self, kind: str) -> list[Received]:
        return [message for message in self._listener.messages if message.type == kind]

    def zero(self, at_s: float) -> int:
        """Return the listener's sample at the session's sample 0, as it was told last at `at_s`."""
        clocks = self._of("clock")
        if not clocks:
            raise ListenerError("the voice never told its clock")
        before = [m for m in clocks if m.at_s <= at_s]
        zero = int((before or clocks)[-1].body["zero"])
        return zero - 2**32 if zero >= 2**31 else zero

    def taken(self, since_s: float, until_s: float) -> Taken | None:
        """Return the last turn that was decided in that time."""
        bodies = [
            m.body
            for m in self._of("turn")
            if m.body["phase"] == "decided" and m.body["via"] == "voice"
            if since_s < m.at_s <= until_s
        ]
        return Taken(bodies[-1]["text"], bodies[-1]["effect"], bodies[-1]["why"]) if bodies else None


async def greeted(listener: Listener, voice: OurVoice) -> None:
    """Say `ready`, with the microphone published; return once the greeting was heard and the ears are on.

    Raises: ListenerError.
    """
    await listener.command("ready")
    await listener.wait_for(spoken("greeting"), HEARD_WITHIN_S)
    await listener.wait_for(_ears_on, HEARD_WITHIN_S)
    await voice.quieten()


def _ears_on(message: Received) -> bool:
    body = message.body.get("ears", {}) if message.type == "snapshot" else message.body
    return message.type in ("ears", "snapshot") and body.get("state") == "on"


async def measure(
    settings: Settings, sounds: Mapping[Sound, Sequence[Pcm]], n: int, say: Say
) -> list[Outcome]:
    """Return what came of `n` stops, `n` hums and `n` noises. Raises: ListenerError."""
    async with bench_session(settings) as session, listen(session.grant()) as listener:
        voice = OurVoice(session, listener)
        async with listener.microphone() as microphone:
            await greeted(listener, voice)
            events = await talk(together(n), voice, listener, microphone, sounds, say)
        sound = loudness(listener.heard)
        return [outcome(event, sound, voice, MEANT) for event in events]


def rows(ours: Sequence[Outcome], peer: Sequence[Outcome], *, floor_s: float) -> list[Figure]:
    """Return the figures; `floor_s`: the room's own way there and back, of bare tracks."""
    stops, hums, noises = (_of(ours, wanted) for wanted in ((Sound.STOP,), HUMS, NOISES))
    peers = [_of(peer, wanted) for wanted in ((Sound.STOP,), HUMS, NOISES)]
    return [
        figures.figure(
            *('"stop, hold on": first sound → silence', "ms", _times_ms(stops)),
            most=STOP_P50_MS,
            most_p95=STOP_P95_MS,
            aim=f"p50 ≤ {STOP_P50_MS:g} ms, p95 ≤ {STOP_P95_MS:g} ms",
            floor=1000 * floor_s,
            peer=_times_ms(peers[0]),
        ),
        figures.figure(
            *('"mm-hm", "okay": last sound → going on', "ms", _times_ms(hums)),
            most=HUM_GOES_ON_MS,
            aim=f"p50 ≤ {HUM_GOES_ON_MS:g} ms",
            peer=_times_ms(peers[1]),
        ),
        figures.figure(
            *('cough, "ahh": last sound → going on', "ms", _times_ms(noises)),
            most=NOISE_GOES_ON_MS,
            aim=f"p50 ≤ {NOISE_GOES_ON_MS:g} ms",
            peer=_times_ms(peers[2]),
        ),
        _total('"mm-hm", "okay": words lost', "words", hums, peers[1], lambda each: each.lost),
        _total('cough, "ahh": words lost', "words", noises, peers[2], lambda each: each.lost),
        _total('"mm-hm", "okay": words heard twice', "words", hums, [], lambda each: each.again, most=None),
        _total('"stop, hold on": not silenced, or not taken as such', "events", stops, peers[0], _amiss),
        _total('"mm-hm", "okay": did not go on, or not taken as such', "events", hums, peers[1], _amiss),
        _total('cough, "ahh": did not go on, or not taken as such', "events", noises, peers[2], _amiss),
    ]


def _of(outcomes: Sequence[Outcome], wanted: Sequence[Sound]) -> list[Outcome]:
    return [each for each in outcomes if each.sound in wanted]


def _times_ms(outcomes: Sequence[Outcome]) -> list[float]:
    """Return the times; a sound over nothing has none, and is counted among those that went amiss."""
    return [1000 * each.took_s for each in outcomes if each.under_way]


def _amiss(each: Outcome) -> int:
    return int(not each.as_meant)


def _total(
    name: str,
    unit: str,
    ours: list[Outcome],
    peer: list[Outcome],
    of: Callable[[Outcome], int],
    most: float | None = 0,
) -> Figure:
    beside = Spread(len(peer), sum(map(of, peer)), None) if peer else None
    return figures.count(name, unit, sum(map(of, ours)), len(ours), most=most, peer=beside)
