"""The clinician's client of the demo: `python -m lab.demo.clinician FOLDER SOUNDS`.

It reads one JSON object from stdin, {"grant": …, "acts": true or false}, joins, says `ready`, and appends
what it hears and gets to files in FOLDER (`lab.demo.parts`). With acts it does them, with the sounds of
SOUNDS/*.wav, and then listens until it is killed; without, it listens until all was said, and ends. The end
of stdin ends it too: it outlives no demo.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Final

from lab.demo.acts import Progress, advance
from lab.demo.listener import Grant, Listener, ListenerError, listen
from lab.demo.microphone import Microphone
from lab.demo.parts import KEEP_EVERY_S, Pcm, Spool, read_wav
from lab.demo.scene import Scene

LOOK_EVERY_S: Final = 0.02
ALL_WITHIN_S: Final = 200.0  # from the return: what was missed and what is left; it took 135 s
SETTLE_S: Final = 2.0  # after the last word: the last beat confirms it, and the ledger has it


async def main(folder: Path, sounds: Path) -> int:
    """Be a clinician; return the exit code."""
    orders = await _stdin()
    order = json.loads(await orders.readline() or b"null")
    if order is None:
        return 0
    said = {path.stem: read_wav(path) for path in sounds.glob("*.wav")} if order["acts"] else {}
    attending = asyncio.create_task(_attend(Grant(**order["grant"]), said, Spool(folder)), name="attend")
    deserted = asyncio.create_task(orders.read(), name="deserted")
    await asyncio.wait({attending, deserted}, return_when=asyncio.FIRST_COMPLETED)
    deserted.cancel()
    attending.cancel()
    results = await asyncio.gather(attending, deserted, return_exceptions=True)
    match results[0]:
        case ListenerError() as error:
            sys.stderr.write(f"{error}\n")
            return 1
        case asyncio.CancelledError() | None:
            return 0
        case BaseException() as error:
            raise error
    return 0


async def _attend(grant: Grant, said: dict[str, Pcm], spool: Spool) -> None:
    """Join and listen, and do the acts if there are sounds for them. Raises: ListenerError."""
    async with listen(grant) as listener:
        keeping = asyncio.create_task(_keep(listener, spool), name="keep")
        try:
            if said:
                async with listener.microphone() as microphone:
                    await listener.command("ready")
                    await _act(listener, microphone, said, spool)
                    await asyncio.Event().wait()
            else:
                await listener.command("ready")
                await listener.until_all_is_said(ALL_WITHIN_S)
                await asyncio.sleep(SETTLE_S)
        finally:
            keeping.cancel()
            spool.keep(listener.heard, listener.messages)
            spool.close()


async def _keep(listener: Listener, spool: Spool) -> None:
    while True:
        spool.keep(listener.heard, listener.messages)
        await asyncio.sleep(KEEP_EVERY_S)


async def _act(listener: Listener, microphone: Microphone, said: dict[str, Pcm], spool: Spool) -> None:
    """Do the acts, each at its moment. Who was not understood uses the button, so that the rest is heard."""
    scene, taken = Scene(), 0
    progress = Progress(began_s=time.monotonic())
    while not progress.over:
        for message in listener.messages[taken:]:
            taken += 1
            scene.take(message)
        ended = len(progress.outcomes)
        progress, sound = advance(progress, scene, time.monotonic())
        spool.acted(progress.outcomes)
        if any(not outcome.done for outcome in progress.outcomes[ended:]) and scene.mode != "free":
            await listener.command("go_on")
        if sound is not None:
            progress = progress.said(await microphone.say(said[sound]))
        else:
            await asyncio.sleep(LOOK_EVERY_S)


async def _stdin() -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
    return reader


if __name__ == "__main__":
    sys.exit(asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]))))
