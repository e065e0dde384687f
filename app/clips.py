"""Make the clips that the page plays itself when the voice is silent against its will.

    python -m app.clips web/public/clips

writes one WAV file for each: 24 kHz mono, 16 bits, in the default voice with its random variation off, so
that the same packages give the same files. With another voice set they are still understood.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from app.clinician.chips import write
from tts_queue.engines.piper import PiperVoice
from tts_queue.model import Pcm, Prosody

WORDS: Final[Mapping[str, str]] = {
    "line-lost": "The line is lost.",
    "back": "Back on the line.",
    "voice-restarting": "The voice is restarting.",
    "still-thinking": "The agents are still thinking.",
    "finished": "The agents have finished.",
    "microphone-off": "The microphone is off.",
}
"""By the names in `web/src/state/silence.ts`."""


def clips() -> dict[str, Pcm]:
    """Return the sounds by name, at 48 kHz. Loads the voice."""
    voice = PiperVoice(steady=True)
    return {name: voice.say(text, Prosody()).pcm for name, text in WORDS.items()}


def main(arguments: Sequence[str]) -> int:
    """Write the clips into the folder that is named."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m app.clips FOLDER\n")
        return 2
    write(Path(arguments[0]), clips())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
