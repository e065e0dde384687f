"""A clinician's client that can be killed: `python -m lab.bench.client`.

It reads a grant as JSON from stdin, joins, says `ready`, listens and beats until it is killed. It tells on
stdout, a JSON object a line, with monotonic times: {"up"}, {"joining"}, {"joined"}, {"word"} for the first
sound of the first utterance, and {"utterance", "kind", "phase"} for what the voice tells of its utterances.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any, Final

from lab.bench.loudness import loudness, sound_after
from lab.demo.listener import Grant, Listener, listen

LOOK_S: Final = 0.005


async def main() -> None:
    """Join and listen for ever."""
    _tell(up=time.monotonic())
    grant = Grant(**json.loads(await asyncio.to_thread(sys.stdin.readline)))
    _tell(joining=time.monotonic())
    async with listen(grant) as listener:
        await listener.command("ready")
        _tell(joined=time.monotonic())
        await _follow(listener)


async def _follow(listener: Listener) -> None:
    told, begun_s, heard = 0, None, False
    while True:
        for message in listener.messages[told:]:
            told += 1
            body = message.body
            if message.type == "utterance":
                _tell(utterance=body["utterance_id"], kind=body["kind"], phase=body["phase"])
                if begun_s is None and body["phase"] == "speaking":
                    begun_s = message.at_s  # told before its first sample leaves
        if begun_s is not None and not heard:
            at_s = sound_after(loudness(listener.heard), begun_s, time.monotonic())
            heard = at_s is not None
            if heard:
                _tell(word=at_s)
        await asyncio.sleep(LOOK_S)


def _tell(**what: Any) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())
