"""Listen for a session: take sound in, and give events of turns out.

Three parts, of which this file is the dull one: `backlog` cuts the sound into windows, `detector` decides,
`texts` asks the recogniser. The text of a turn is asked for ahead of the pause, in its first lull, that of a
long one at the pause; it is given out at the pause. If the voice stays silent that text is the turn's, and if
it comes back the recognition is dropped and the whole turn is recognised again: texts are never joined. What
the recogniser gets of a turn is its speaker's own part (`near`). A turn that begins just after another has ended
is recognised alone, and as one with the other's sound: the silence may have been a thought.

With a second recogniser, that is asked of what the first did not make out, from when the first's text is
there; its text takes the place of the first's when the turn has ended, and comes in time or not at all.

With a transcriber, its text takes the place of the recogniser's when a turn has ended. What is given out at a
pause, and a word that the closed vocabulary is sure of, stay the recogniser's: they must not wait for a
network (docs/decisions/027-cloud-ears.md).
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from realtime.ears.backlog import Backlog, TrackEnd, Window
from realtime.ears.detector import (
    Began,
    Change,
    DetectorState,
    EndedTurn,
    Paused,
    TurnPhase,
    WentOn,
    flush,
    hear,
)
from realtime.ears.model import (
    EARS_RATE_HZ,
    WINDOW,
    WINDOW_S,
    EagerTurn,
    EarEvent,
    EarsConfig,
    Ending,
    Trigger,
    TurnEnded,
    TurnMetadata,
    TurnResumed,
    VoiceBegan,
    VoicePaused,
)
from realtime.ears.near import BEFORE_S, own
from realtime.ears.ports import Recogniser, Second, TranscribedTurn, Transcriber, Vad
from realtime.ears.second import taken
from realtime.ears.texts import Texts
from tts_queue import Recognised

log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _Turn:
    number: int
    hearing: DetectorState
    own: tuple[float, float] = (0.0, 0.0)  # begin and end of the speaker's own part, audio clock
    asked: asyncio.Task[None] | None = None  # recognition of all that is voiced so far
    heard: Recognised | None = None
    answered: bool = False  # the recognition is over; its result is `heard`
    paused: bool = False  # the pause was reported
    reconsidering: bool = False  # the second recogniser is being asked
    reconsidered: Recognised | None = None  # `heard` with the second recogniser's text, if that counts
    ending: Ending = "open"  # judged from the newest text
    eager: bool = False
    resumed: bool = False
    ended: Trigger | None = None
    dictated: bool = False  # the transcriber gets its sound
    awaited: bool = False  # the transcriber's text is awaited
    written: Recognised | None = None  # the transcriber's text
    pcm: NDArray[np.int16] | None = None  # the sound given to the recogniser
    follows: NDArray[np.int16] | None = None  # the sound of the turn that ended just before
    joining: bool = False  # the text of both turns as one is being asked for
    joined: Recognised | None = None

    def settled(self, config: EarsConfig) -> bool:
        """Return whether its text can't change any more."""
        if self.awaited:
            return self.sure(config)
        return (self.answered and not self.reconsidering and not self.joining) or (
            self.written is not None and not self.short(config)
        )

    def final(self, config: EarsConfig) -> Recognised | None:
        """Return the transcriber's text, else the second recogniser's, with the closed vocabulary's word."""
        heard, written = self.reconsidered or self.heard, self.written
        if written is None or self.sure(config):
            return heard
        return written if heard is None else replace(heard, text=written.text, confidence=written.confidence)

    def sure(self, config: EarsConfig) -> bool:
        """Return whether the turn is surely a word of the closed vocabulary."""
        return self.heard is not None and self.heard.word_confidence >= config.sure_word

    def short(self, config: EarsConfig) -> bool:
        """Return whether the turn is short enough to be compared with the closed vocabulary."""
        return self.length_s < config.short_s

    @property
    def began_s(self) -> float:
        """Return the begin of its speaker's own sound, as far as that is known, on the audio clock."""
        return max(self.hearing.began_s, self.own[0])

    @property
    def ended_s(self) -> float:
        """Return the end of its speaker's own sound, on the audio clock."""
        return self.own[1] or self.hearing.voiced_until_s

    @property
    def length_s(self) -> float:
        """Return the length of its speaker's own sound, in seconds."""
        return self.ended_s - self.began_s


class Ears:
    """Listens to one microphone track after another. `feed` and `run` belong to one event loop."""

    def __init__(
        self,
        vad: Vad,
        recogniser: Recogniser,
        on_event: Callable[[EarEvent], None],
        config: EarsConfig = EarsConfig(),  # noqa: B008 - frozen
        transcriber: Transcriber | None = None,
        second: Second | None = None,
        ending: Callable[[str], Ending] = lambda _: "open",
    ) -> None:
        """`on_event` is called on the loop and must be quick; what it raises ends `run`.

        `ending` says of a text that was written at a pause whether more is to come.
        """
        self._vad, self._on_event, self._config = vad, on_event, config
        self._texts = Texts(recogniser, config, on_event)
        self._transcriber, self._second, self._ending_of = transcriber, second, ending
        self._backlog = Backlog(round(config.backlog_s * EARS_RATE_HZ), config.silence_level)
        self._some = asyncio.Event()
        self._hearing = DetectorState()
        self._kept: list[NDArray[np.int16]] = []  # windows: of the turn and its pre-roll, or the next one's
        self._pre_roll = round(config.pre_roll_s / WINDOW_S)
        self._turns = 0
        self._turn: _Turn | None = None
        self._last: _Turn | None = None  # that ended by silence
        self._ending = deque[_Turn]()  # ended, the text of the first not there; the deadline bounds them

    @property
    def silent_s(self) -> float:
        """Seconds of digital silence at the end of what was fed, since the track began."""
        return self._backlog.silent / EARS_RATE_HZ

    @property
    def idle(self) -> bool:
        """Return whether the track has ended and all that was in it is told."""
        return self._backlog.empty and self._hearing.phase is TurnPhase.QUIET and not self._ending

    def feed(self, pcm: NDArray[np.int16]) -> None:
        """Take 16 kHz mono sound of any length, without waiting.

        Full: what is older than `backlog_s` is dropped and counted; the audio clock counts it as passed.
        """
        self._backlog.add(pcm)
        self._some.set()

    def track_ended(self) -> None:
        """End the turn under way, after what was fed; the audio clock starts anew with the next feed."""
        self._backlog.end_track()
        self._some.set()

    async def run(self) -> None:
        """Listen until cancelled; no recognition outlives this call. At its end it tells what was dropped."""
        try:
            async with asyncio.TaskGroup() as group:
                if self._transcriber is not None:
                    group.create_task(self._transcriber.run(), name="transcriber")
                while True:
                    await self._next(group)
        finally:
            if self._backlog.dropped:
                seconds = self._backlog.dropped / EARS_RATE_HZ
                log.warning("%.1f s of the clinician's sound were dropped: the detector was behind", seconds)

    async def _next(self, group: asyncio.TaskGroup) -> None:
        self._some.clear()
        match self._backlog.take():
            case Window() as window:
                self._listen(window, group)
                await asyncio.sleep(0)  # a backlog must not keep the loop
            case TrackEnd():
                self._flush("track_ended", group)
                self._vad.reset()
                self._kept.clear()
                self._last = None  # the next track has a clock of its own
            case None:
                await self._more(group)

    async def _more(self, group: asyncio.TaskGroup) -> None:
        """Wait for sound. A turn under way is not left open when none comes."""
        under_way = self._hearing.phase is not TurnPhase.QUIET
        try:
            async with asyncio.timeout(self._config.stalled_s if under_way else None):
                await self._some.wait()
        except TimeoutError:
            if not self._some.is_set():
                self._flush("timeout", group)

    def _listen(self, window: Window, group: asyncio.TaskGroup) -> None:
        self._kept.append(window.pcm)
        probability = self._vad.probability(window.pcm)
        self._hearing, change = hear(self._hearing, probability, window.start_s, self._config)
        self._dictate(window)
        if change is not None:
            self._act(change, group)
        elif self._turn is not None and self._hearing.phase is TurnPhase.VOICED:
            self._lull(self._turn, group)
        if self._hearing.phase is TurnPhase.QUIET:
            del self._kept[: -self._pre_roll]

    def _dictate(self, window: Window) -> None:
        """Give the transcriber the sound of a turn, as soon as that may hold a word."""
        turn = self._turn
        if self._transcriber is None or turn is None or self._hearing.noise(self._config):
            return
        if turn.dictated:
            self._transcriber.hear(window.pcm)
        else:
            self._transcriber.begin(np.concatenate(self._kept))
            turn.dictated = True

    def _lull(self, turn: _Turn, group: asyncio.TaskGroup) -> None:
        """Ask ahead in a silence that may become a pause, and drop that if it was a breath."""
        turn.hearing = self._hearing
        if self._hearing.silent == 0:
            self._forget(turn)
        elif turn.asked is None and self._hearing.lulls(self._config):
            self._ask(turn, group)

    def _flush(self, trigger: Trigger, group: asyncio.TaskGroup) -> None:
        self._hearing, ended = flush(self._hearing, trigger, self._config)
        if ended is not None:
            self._act(ended, group)

    def _act(self, change: Change, group: asyncio.TaskGroup) -> None:
        if isinstance(change, Began):
            self._turns += 1
            self._turn = _Turn(self._turns, self._hearing, follows=self._just_ended(change.at_s))
            self._on_event(VoiceBegan(self._turns, change.at_s))
            return
        turn = self._turn
        assert turn is not None  # the detector's table: all else comes after Began
        turn.hearing = self._hearing
        match change:
            case Paused(at_s):
                turn.paused = True
                self._on_event(VoicePaused(turn.number, at_s))
                if turn.asked is None:
                    self._ask(turn, group)
                self._give_eagerly(turn)
            case WentOn(at_s):
                self._go_on(turn)
                self._on_event(TurnResumed(turn.number, at_s))
            case EndedTurn(trigger, noise):
                self._end(turn, trigger, group, noise=noise)

    def _just_ended(self, at_s: float) -> NDArray[np.int16] | None:
        """Return the sound of the turn that a voice which begins now may go on with."""
        last, config = self._last, self._config
        if last is None or last.pcm is None or at_s - last.hearing.voiced_until_s > config.joins_s:
            return None
        return last.pcm if len(last.pcm) <= config.ahead_s * EARS_RATE_HZ else None

    def _ask(self, turn: _Turn, group: asyncio.TaskGroup) -> None:
        sound = np.concatenate(self._kept[: len(self._kept) - turn.hearing.silent])
        first, last = own(sound)
        start_s = turn.hearing.voiced_until_s - len(sound) / EARS_RATE_HZ
        began_s = start_s + first / EARS_RATE_HZ + BEFORE_S / 2 if first else 0.0
        turn.own = (began_s, start_s + last / EARS_RATE_HZ)
        task = self._recognise(turn, sound[first:last])
        both = [sound[first:last]] if turn.follows is None else [turn.follows, sound[first:last]]
        turn.pcm = np.concatenate(both)
        turn.asked = group.create_task(task, name=f"text-of-turn-{turn.number}")

    def _go_on(self, turn: _Turn) -> None:
        self._forget(turn)
        turn.paused, turn.resumed = False, True

    def _forget(self, turn: _Turn) -> None:
        """Drop what was asked of a turn that goes on."""
        if turn.asked is not None:
            turn.asked.cancel()
        turn.asked, turn.heard, turn.answered, turn.own = None, None, False, (0.0, 0.0)
        turn.reconsidering, turn.reconsidered, turn.ending = False, None, "open"
        turn.joining, turn.joined = False, None

    def _end(self, turn: _Turn, trigger: Trigger, group: asyncio.TaskGroup, *, noise: bool) -> None:
        self._turn, turn.ended = None, trigger
        self._ending.append(turn)
        if not noise:
            self._last = turn if trigger == "silence" else None
        if noise:
            turn.heard, turn.answered = Recognised(), True  # its sound stays in the pre-roll of what follows
        else:
            if turn.asked is None:
                self._ask(turn, group)
            if self._transcriber is not None and turn.dictated:
                turn.awaited = True
                passage = self._transcriber.end(turn.hearing.silent * WINDOW)
                group.create_task(self._await_text(turn, passage), name=f"passage-{turn.number}")
            del self._kept[: len(self._kept) - turn.hearing.silent]
        self._settle()

    async def _recognise(self, turn: _Turn, pcm: NDArray[np.int16]) -> None:
        async with asyncio.TaskGroup() as group:
            turn.heard = await self._texts.of(pcm, short=turn.short(self._config))
            turn.answered = True
            turn.joining = self._may_go_on(turn)
            turn.reconsidering = self._leaves_something(turn.heard)
            self._weigh(turn)
            self._give_eagerly(turn)
            self._settle()
            if turn.joining:
                group.create_task(self._join(turn), name=f"turn-{turn.number}-joined")
            if turn.reconsidering and turn.heard is not None:
                turn.reconsidered = await self._second_opinion(pcm, turn.heard)
                turn.reconsidering = False
                self._weigh(turn)
                if turn.ending == "wanting":
                    self._give_eagerly(turn)  # so that nobody speaks into the thought
                self._settle()

    def _may_go_on(self, turn: _Turn) -> bool:
        """Return whether the turn is to be heard as one with the turn before it."""
        words = turn.heard is not None and bool(turn.heard.text)
        return turn.follows is not None and words and not turn.sure(self._config)

    async def _join(self, turn: _Turn) -> None:
        """Have the turn before and this one written as one: a thought may have had a pause in it."""
        assert turn.pcm is not None
        turn.joined = await self._texts.of(turn.pcm, short=False)
        turn.joining = False
        self._weigh(turn)
        self._give_eagerly(turn)
        self._settle()

    def _leaves_something(self, heard: Recognised | None) -> bool:
        """Return whether the second recogniser is to be asked."""
        return self._second is not None and heard is not None and self._second.wanted(heard)

    async def _second_opinion(self, pcm: NDArray[np.int16], heard: Recognised) -> Recognised | None:
        """Return what the turn is taken for with the second's text; None: that is not there in time."""
        assert self._second is not None
        try:
            async with asyncio.timeout(self._config.second_s):
                return taken(heard, await self._second.opinion(pcm))
        except TimeoutError:
            log.info("no second opinion within %.1f s", self._config.second_s)
            return None

    async def _await_text(self, turn: _Turn, passage: TranscribedTurn) -> None:
        turn.written = await passage.text()
        turn.awaited = False
        self._settle()

    def _weigh(self, turn: _Turn) -> None:
        """Have the silence that ends the turn be as long as its words ask for, by the best text there is."""
        heard = turn.joined or turn.reconsidered or turn.heard
        if turn is not self._turn or heard is None:
            return
        sure = heard.word if turn.sure(self._config) else None
        turn.ending = self._ending_of(heard.text if sure is None else sure)
        self._hearing = replace(self._hearing, ending=turn.ending)

    def _give_eagerly(self, turn: _Turn) -> None:
        """Give out the text of a pause, once both are there."""
        if turn.paused and turn.ended is None and turn.heard is not None:
            turn.eager = True
            self._on_event(EagerTurn(turn.number, turn.heard.text, _metadata(turn)))

    def _settle(self) -> None:
        """Give out the turns whose text is there, in their order."""
        while self._ending and self._ending[0].settled(self._config):
            turn = self._ending.popleft()
            turn.heard = turn.final(self._config)
            text = "" if turn.heard is None else turn.heard.text
            self._on_event(TurnEnded(turn.number, text, _metadata(turn)))


def _metadata(turn: _Turn) -> TurnMetadata:
    heard = turn.heard or Recognised()
    return TurnMetadata(
        turn=turn.number,
        began_s=turn.began_s,
        ended_s=turn.ended_s,
        duration_ms=round(turn.length_s * 1000),
        word_count=len(heard.text.split()),
        had_eager_eot=turn.eager,
        had_turn_resumed=turn.resumed,
        confidence=heard.confidence,
        word=heard.word,
        word_confidence=heard.word_confidence,
        trigger="failed" if turn.heard is None else turn.ended or "silence",
        ending=turn.ending,
        joined="" if turn.joined is None else turn.joined.text,
    )
