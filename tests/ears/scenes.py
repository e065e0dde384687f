"""A scene with ears: sound is fed in 20 ms frames as a room would, and every event noted with its time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from realtime.ears import EARS_RATE_HZ, EarEvent, Ears, EarsConfig, Ending, Second, TurnEnded, Vad
from realtime.ears.testing import Hear, ScriptedRecogniser, ScriptedVad

FRAME: int = 320


@dataclass
class Scene:
    """Ears with a scripted recogniser; `noted` is what they said and when (loop clock)."""

    recogniser: ScriptedRecogniser
    ears: Ears = field(init=False)
    noted: list[tuple[float, EarEvent]] = field(default_factory=list)

    @property
    def events(self) -> list[EarEvent]:
        return [event for _, event in self.noted]

    @property
    def kinds(self) -> list[str]:
        return [type(event).__name__ for event in self.events]

    @property
    def ends(self) -> list[TurnEnded]:
        return [event for event in self.events if isinstance(event, TurnEnded)]

    def at(self, kind: type[EarEvent]) -> list[float]:
        return [at_s for at_s, event in self.noted if isinstance(event, kind)]


def scene(
    *script: Hear,
    vad: Vad | None = None,
    config: EarsConfig | None = None,
    ending: Callable[[str], Ending] = lambda _: "open",
    second: Second | None = None,
) -> Scene:
    made = Scene(ScriptedRecogniser(*script))

    def note(event: EarEvent) -> None:
        made.noted.append((asyncio.get_running_loop().time(), event))

    made.ears = Ears(
        vad or ScriptedVad(), made.recogniser, note, config or EarsConfig(), second=second, ending=ending
    )
    return made


async def speak(ears: Ears, *sounds: NDArray[np.int16]) -> None:
    """Feed sounds as they would come: a frame is fed when it is over."""
    pcm = np.concatenate(sounds)
    for start in range(0, len(pcm), FRAME):
        frame = pcm[start : start + FRAME]
        await asyncio.sleep(len(frame) / EARS_RATE_HZ)
        ears.feed(frame)


async def listen(made: Scene, *sounds: NDArray[np.int16], then_s: float = 0.2) -> Scene:
    """Run the ears while the sounds come, and `then_s` more without any sound; the script must be used up."""
    running = asyncio.create_task(made.ears.run())
    await speak(made.ears, *sounds)
    await asyncio.sleep(then_s)
    running.cancel()
    await asyncio.wait({running})
    if not running.cancelled() and (error := running.exception()) is not None:
        raise error
    made.recogniser.assert_finished()
    return made
