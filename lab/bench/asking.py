"""A question by voice: from its end to the first sound of the answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from infra.settings import Settings
from lab.bench import figures
from lab.bench.figures import Figure
from lab.bench.loudness import Loudness, loudness, sound_after
from lab.bench.session import bench_session
from lab.bench.sounds import WHO, Pcm, asked
from lab.bench.talk import OurVoice, greeted
from lab.bench.talking import Say, first_sound
from lab.demo.listener import Listener, ListenerError, Received, listen
from lab.demo.microphone import Microphone, Said

CASE: Final = "case-hyperkalaemia-aki"
QUESTIONS: Final[Mapping[str, str]] = {  # each with a part of its right answer, of the case paper
    "What is she allergic to?": "penicillin",
    "What is the potassium?": "6.9",
    "What medicines does she take?": "ramipril",
    "How old is the patient?": "74",
    "What is the heart rate?": "44",
    "What was the urine sodium?": "8",
}
ANSWER_P50_MS: Final = 1_200.0
ANSWERED_WITHIN_S: Final = 8.0
OVER_SPEECH_S: Final = 2.5  # into a line; every other question is asked in silence
OFF_S: Final = 0.05  # so far the place told for the answer may be off, in the recording


@dataclass(frozen=True, slots=True)
class Asked:
    """One question. `took_s` is the time watched if no answer was heard."""

    question: str
    rendering: int
    over_speech: bool
    took_s: float
    answered: bool
    right: bool
    taken_for: str


@dataclass(frozen=True, slots=True)
class _Trial:
    question: str
    rendering: int
    over_speech: bool
    said: Said
    until_s: float


async def measure(settings: Settings, n: int, say: Say) -> list[Asked]:
    """Ask `n` questions. Raises: ListenerError: a line was not heard, or it is never quiet again."""
    spoken = await _renderings(settings.engines_socket)
    trials: list[_Trial] = []
    async with bench_session(settings, CASE) as session, listen(session.grant()) as listener:
        voice = OurVoice(session, listener)
        async with listener.microphone() as microphone:
            await greeted(listener, voice)
            for k in range(n):
                question, rendering = list(QUESTIONS)[k % len(QUESTIONS)], k // len(QUESTIONS) % len(WHO)
                over_speech = (k + rendering) % 2 == 1
                if over_speech:
                    before = len(listener.heard.onsets)
                    await voice.begin(k)
                    await first_sound(listener, before)
                    await asyncio.sleep(OVER_SPEECH_S)
                said, until_s = await _ask(microphone, listener, spoken[question][rendering])
                trials.append(_Trial(question, rendering, over_speech, said, until_s))
                say(f"bench: question {k + 1} of {n}")
                await voice.quieten()
        sound = loudness(listener.heard)
        return [_judged(trial, listener, voice, sound) for trial in trials]


async def _renderings(engines: Path) -> dict[str, list[Pcm]]:
    made = [await asked(engines, QUESTIONS, who) for who in WHO]
    return {question: [each[question] for each in made] for question in QUESTIONS}


async def _ask(microphone: Microphone, listener: Listener, pcm: Pcm) -> tuple[Said, float]:
    """Ask, and wait until some of the answer was heard; return when it was asked, and the end of the wait."""
    known = len(listener.messages)
    said = await microphone.say(pcm)

    def begun(message: Received) -> bool:
        answers = {m.body["utterance_id"] for m in listener.messages[known:] if m.type == "answer"}
        return message.type == "segment" and message.body["utterance_id"] in answers

    try:
        await listener.wait_for(begun, ANSWERED_WITHIN_S)
    except ListenerError:
        return said, time.monotonic()
    await asyncio.sleep(0.5)  # its first sound is on its way
    return said, time.monotonic()


def _judged(trial: _Trial, listener: Listener, voice: OurVoice, sound: Loudness) -> Asked:
    said = trial.said
    within = [m for m in listener.messages if said.first_s < m.at_s <= trial.until_s]
    answer = next((m for m in within if m.type == "answer"), None)
    turns = [m.body["text"] for m in within if m.type == "turn" and m.body["phase"] == "decided"]
    place = None if answer is None else _place(answer, within, voice)
    heard_s = None
    if place is not None:
        heard_s = sound_after(sound, listener.heard.time_of(max(0, place)) - OFF_S, trial.until_s)
    words = "" if answer is None else " ".join(each["text"] for each in answer.body["sentences"])
    return Asked(
        question=trial.question,
        rendering=trial.rendering,
        over_speech=trial.over_speech,
        took_s=(trial.until_s if heard_s is None else heard_s) - said.last_s,
        answered=heard_s is not None,
        right=heard_s is not None and QUESTIONS[trial.question].lower() in words.lower(),
        taken_for=turns[-1] if turns else "",
    )


def _place(answer: Received, within: Sequence[Received], voice: OurVoice) -> int | None:
    """Return the heard sample at which the answer's first `segment` message says that it begins."""
    uid = answer.body["utterance_id"]
    begun = next((m for m in within if m.type == "segment" and m.body["utterance_id"] == uid), None)
    return None if begun is None else int(begun.body["start_sample"]) + voice.zero(begun.at_s)


def rows(answers: Sequence[Asked]) -> list[Figure]:
    """Return the figures."""
    times = [1000 * each.took_s for each in answers]
    unanswered = sum(not each.answered for each in answers)
    wrong = sum(not each.right for each in answers)
    return [
        figures.figure(
            *("end of a question → first sound of the answer", "ms", times),
            most=ANSWER_P50_MS,
            aim=f"p50 ≤ {ANSWER_P50_MS:g} ms",
        ),
        figures.count("questions without an answer", "events", unanswered, len(answers), most=0),
        figures.count("questions without the right answer", "events", wrong, len(answers)),
    ]
