"""`exaim try-my-voice`: test by 24 prompts how well the ears understand a person.

Each prompt is heard as a session would hear it while we speak: the detector, both recognisers, the vote and the
verdict are the same. The sound comes from this machine's microphone or from a folder of WAV files. Nothing is stored
unless a folder is named to keep it.
"""

from __future__ import annotations

import asyncio
import wave
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import numpy as np
import soxr
from numpy.typing import NDArray

from app.hearing import ending_by
from infra.settings import SettingsError
from realtime.ears import EARS_RATE_HZ, EarEvent, Ears, EarsConfig, Recogniser, Second, TurnEnded
from realtime.ears.engines.closed_words import NOTHING, ClosedWords
from realtime.ears.engines.moonshine import MoonshineEars
from realtime.ears.engines.whisper import WhisperEars, packaged_whisper
from realtime.ears.hints import hints
from realtime.ears.second import SecondOpinion
from realtime.ears.silero import SileroVad
from realtime.interruption import Context, classify_with_prosody, is_made_out, understood, whole_commands
from tts_queue import Opinion, Recognised

Sound = NDArray[np.int16]

WITHIN_S: Final = 8.0  # for one prompt to be said
FILE_WITHIN_S: Final = 60.0  # for one to be heard from a file, on however slow a machine
IDLE_LOOK_S: Final = 0.02
TAIL_S: Final = 1.5  # of silence after a file, in which its turn ends
TEXT_WITHIN_S: Final = 30.0  # nobody is in a hurry here
FRAME: Final = EARS_RATE_HZ // 50
CASE_WORDS: Final = frozenset("potassium lactate creatinine kidney heparin ultrasound".split())
NOTHING_SAID: Final = "nothing"
_BYTES: Final = 2  # a sample


@dataclass(frozen=True, slots=True)
class TrialPrompt:
    """What is to be said, and the effects that are right."""

    text: str
    want: frozenset[str]

    @property
    def wanted(self) -> str:
        """Return the first of them, for the table."""
        return min(self.want)


def _prompt(text: str, *want: str) -> TrialPrompt:
    return TrialPrompt(text, frozenset(want))


PROMPTS: Final = (
    _prompt("Stop.", "quiet"),
    _prompt("Wait a moment.", "wait"),
    _prompt("Go on.", "go_on", "resume"),
    _prompt("Okay.", "go_on"),
    _prompt("Mm-hm.", "go_on"),
    _prompt("Next item, please.", "skip"),
    _prompt("Say that again.", "repeat"),
    _prompt("Slower, please.", "slower"),
    _prompt("A bit faster, please.", "faster"),
    _prompt("Speak up, please.", "louder"),
    _prompt("A bit quieter.", "softer"),
    _prompt("The previous one, please.", "previous"),
    _prompt("Give me the short version.", "brief"),
    _prompt("Tell me everything.", "full"),
    _prompt("Tell me more.", "more", "answer"),
    _prompt("Can you hear me?", "here"),
    _prompt("How much longer?", "how_long"),
    _prompt("Hold on a sec.", "wait"),
    _prompt("This is the wrong patient.", "wrong_case"),
    _prompt("What is the potassium?", "answer"),
    _prompt("Who disagrees?", "answer"),
    _prompt("What should we do next?", "answer"),
    _prompt("Start a heparin drip.", "not_acted_on"),
    _prompt("My shift ends at seven.", "go_on"),
)


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """What came of one prompt."""

    prompt: TrialPrompt
    heard: str
    taken: str  # the effect, or `NOTHING_SAID`

    @property
    def right(self) -> bool:
        """Whether it would have been done as meant."""
        return self.taken in self.prompt.want


class PromptSource(Protocol):
    """Where the sound of a prompt comes from; `within_s` bounds how long one is listened for."""

    within_s: float

    def said(self, number: int) -> AsyncIterator[Sound]:
        """Give the sound of a prompt, from 0, as 16 kHz mono of any length; it may never end."""
        ...


class Folder:
    """WAV files, one a prompt, in the order of their names."""

    within_s = FILE_WITHIN_S

    def __init__(self, folder: Path) -> None:
        """Raises: SettingsError: there are not as many files as prompts."""
        if not folder.is_dir():
            raise SettingsError(f"{folder} is no folder: name the one with your WAV files")
        self._paths = sorted(folder.glob("*.wav"))
        if len(self._paths) != len(PROMPTS):
            wanted = f"{len(PROMPTS)} WAV files, one a prompt, in the order of their names"
            raise SettingsError(f"{folder} has {len(self._paths)}; it should have {wanted}.")

    async def said(self, number: int) -> AsyncIterator[Sound]:
        """Give a file's sound and a silence."""
        sound = np.concatenate([_read(self._paths[number]), np.zeros(round(TAIL_S * EARS_RATE_HZ), np.int16)])
        for at in range(0, len(sound), FRAME):
            yield sound[at : at + FRAME]
            await asyncio.sleep(0)


class SystemMicrophone:
    """The microphone of this machine, by the package `sounddevice`."""

    within_s = WITHIN_S

    def __init__(self) -> None:
        """Raises: SettingsError: the machine has no library for sound, or no microphone."""
        try:
            import sounddevice
        except OSError as error:  # its wheels have the library for macOS and Windows only
            raise SettingsError(f"{error}. On Debian: apt-get install libportaudio2") from None
        try:
            sounddevice.check_input_settings(samplerate=EARS_RATE_HZ, channels=1, dtype="int16")
        except (sounddevice.PortAudioError, ValueError) as error:
            raise SettingsError(
                f"no microphone can be opened ({error}): plug one in, or give 24 WAV files by --from FOLDER"
            ) from None

    async def said(self, number: int) -> AsyncIterator[Sound]:
        """Give what is heard from now on."""
        import sounddevice

        loop, frames = (
            asyncio.get_running_loop(),
            asyncio.Queue[Sound](round(WITHIN_S * EARS_RATE_HZ / FRAME)),
        )

        def offer(pcm: Sound) -> None:
            if not frames.full():
                frames.put_nowait(pcm)

        def heard(data: Sound, *_: object) -> None:
            loop.call_soon_threadsafe(offer, data[:, 0].copy())

        with sounddevice.InputStream(
            samplerate=EARS_RATE_HZ, channels=1, dtype="int16", blocksize=FRAME, callback=heard
        ):
            while True:
                yield await frames.get()


class EnginesHere:
    """Both recognisers in this process, a thread for each; loaded at once."""

    def __init__(self) -> None:
        self._first, self._closed, self._second = (
            MoonshineEars(),
            ClosedWords(),
            WhisperEars(packaged_whisper(), whole_commands(), understood),
        )
        self._threads = (ThreadPoolExecutor(1), ThreadPoolExecutor(1))

    async def transcribe(self, pcm: Sound, *, short: bool) -> Recognised:
        """Return the text of a turn, and which word of the closed vocabulary a short one is."""
        return await asyncio.get_running_loop().run_in_executor(self._threads[0], self._hear, pcm, short)

    async def opinion(self, pcm: Sound, hints: str) -> Opinion:
        """Return what the second hears."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads[1], self._second.transcribe, pcm, hints)

    def _hear(self, pcm: Sound, short: bool) -> Recognised:
        text = self._first.transcribe(pcm)
        vote = self._closed.vote(pcm, text) if short else NOTHING
        return Recognised(text, 1.0 if text else 0.0, *vote)


def second_here(engines: EnginesHere) -> Second:
    """Return the second recogniser as a session has it."""
    return SecondOpinion(engines, known=lambda text: is_made_out(text, CASE_WORDS), hints=hints(CASE_WORDS))


async def run(
    source: PromptSource,
    recogniser: Recogniser,
    second: Second | None,
    say: Callable[[str], None],
    keep: Path | None = None,
    prompts: Sequence[TrialPrompt] = PROMPTS,
) -> list[TrialOutcome]:
    """Go through the prompts; return the outcomes. `keep`: folder for their sound and the tables."""
    outcomes: list[TrialOutcome] = []
    for number, prompt in enumerate(prompts):
        say(f"{number + 1:2} of {len(prompts)}   say: {prompt.text}")
        sound, ended = await _heard(source, number, recogniser, second)
        outcome = TrialOutcome(prompt, *_taken(ended))
        outcomes.append(outcome)
        mark = "right" if outcome.right else f"taken for {outcome.taken}, meant was {prompt.wanted}"
        say(f"           heard: {outcome.heard or '–'}   {mark}")
        if keep is not None:
            await asyncio.to_thread(_write, keep / f"{number + 1:02}.wav", sound)
    lines = table(outcomes)
    for line in lines:
        say(line)
    if keep is not None:
        await asyncio.to_thread((keep / "table.txt").write_text, "\n".join(lines) + "\n", "utf-8")
    return outcomes


def table(outcomes: Sequence[TrialOutcome]) -> list[str]:
    """Return the person's own confusion table: what was meant, and what it was taken for, how often."""
    right = sum(each.right for each in outcomes)
    found = Counter(
        (each.prompt.wanted, each.prompt.wanted if each.right else each.taken) for each in outcomes
    )
    lines = ["", f"{right} of {len(outcomes)} right", "", f"{'meant':14}taken for"]
    for meant in dict.fromkeys(each.prompt.wanted for each in outcomes):
        taken = ", ".join(f"{to} {count}" for (what, to), count in sorted(found.items()) if what == meant)
        lines.append(f"{meant:14}{taken}")
    return lines


async def _heard(
    source: PromptSource, number: int, recogniser: Recogniser, second: Second | None
) -> tuple[Sound, TurnEnded | None]:
    """Return the sound up to a turn with words, or to the time limit, and the last turn."""
    ended: list[TurnEnded] = []
    over = asyncio.Event()

    def note(event: EarEvent) -> None:
        if isinstance(event, TurnEnded):
            ended.append(event)
            if event.text or event.metadata.word:
                over.set()

    config = EarsConfig(deadline_s=TEXT_WITHIN_S, second_s=TEXT_WITHIN_S, backlog_s=FILE_WITHIN_S)
    ears = Ears(SileroVad(), recogniser, note, config, second=second, ending=ending_by(CASE_WORDS))
    kept: list[Sound] = []
    try:
        async with asyncio.timeout(source.within_s), asyncio.TaskGroup() as group:
            feeding = _feed(source.said(number), ears, kept, over)
            tasks = [group.create_task(ears.run()), group.create_task(feeding)]
            await over.wait()
            for task in tasks:
                task.cancel()
    except TimeoutError:
        pass  # nothing was said, or nothing was made out
    return (np.concatenate(kept) if kept else np.zeros(0, np.int16)), ended[-1] if ended else None


async def _feed(frames: AsyncIterator[Sound], ears: Ears, kept: list[Sound], over: asyncio.Event) -> None:
    """Feed what comes; when that ends, and all of it is told, it is over."""
    async for frame in frames:
        kept.append(frame)
        ears.feed(frame)
    ears.track_ended()
    while not ears.idle:
        await asyncio.sleep(IDLE_LOOK_S)
    over.set()


def _taken(ended: TurnEnded | None) -> tuple[str, str]:
    """Return what was heard, and the effect that it would have while we speak."""
    if ended is None:
        return "", NOTHING_SAID
    context = Context(speaking=True, case_words=CASE_WORDS)
    verdict = classify_with_prosody(ended.text, ended.metadata, context)
    return ended.text or ended.metadata.word or "", verdict.effect.value


def _read(path: Path) -> Sound:
    """Return a WAV file's first channel at 16 kHz. Raises: SettingsError: it is no 16-bit WAV file."""
    try:
        with wave.open(str(path), "rb") as file:
            if file.getsampwidth() != _BYTES:
                raise SettingsError(f"{path}: 16 bits a sample are read, and no other kind of WAV file.")
            rate_hz, channels = file.getframerate(), file.getnchannels()
            pcm = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, channels)[:, 0]
    except (OSError, EOFError, wave.Error) as error:
        raise SettingsError(f"{path}: {error}") from None
    resampled = soxr.resample(pcm.astype(np.float32), rate_hz, EARS_RATE_HZ)
    return np.asarray(np.clip(np.rint(resampled), -32768, 32767), np.int16)


def _write(path: Path, pcm: Sound) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(_BYTES)
        file.setframerate(EARS_RATE_HZ)
        file.writeframes(pcm.tobytes())


def try_voice(source: Folder | None, keep: Path | None, say: Callable[[str], None]) -> list[TrialOutcome]:
    """Try one person's voice, from a folder or at the microphone. Raises: SettingsError."""
    heard: PromptSource = source or SystemMicrophone()
    if keep is not None:
        try:
            keep.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SettingsError(f"{keep}: {error.strerror}") from None
    say(
        "Loading. Nothing that you say is kept."
        if keep is None
        else f"Loading. What you say is kept in {keep}."
    )
    engines = EnginesHere()
    return asyncio.run(run(heard, engines, second_here(engines), say, keep))
