"""A process that says one clause by Google's voice, by key or by the credentials in its environment.

    python -m tests.tts_queue.google_child ADDRESS [KEY]

gRPC reads the roots that it trusts once a process, so who trusts another authority is a process of its own.
"""

from __future__ import annotations

import asyncio
import sys

from tts_queue import Prosody
from tts_queue.engines.cloud import CloudVoice
from tts_queue.engines.google import GoogleService


async def main(address: str, key: str = "") -> int:
    """Return how many words the clause has."""
    voice = CloudVoice(await GoogleService.open(api_key=key, address=address), deadline_s=20.0)
    try:
        await voice.check()
        return len((await voice.synthesise("Potassium is high.", Prosody())).words)
    finally:
        await voice.aclose()


if __name__ == "__main__":
    print(asyncio.run(main(*sys.argv[1:])))  # noqa: T201 - its answer
