"""Use the queue alone, with your own voice and loudspeaker: urgent first, each word's place known.

Run it: .venv/bin/python examples/own_voice.py
It makes no sound: the voice and the sink are the package's test ones. One's own are two methods (`tts_queue.Voice`:
text to 48 kHz mono with the words' places; `tts_queue.AudioSink`: frames, and how much of them is not played yet).
"""

from __future__ import annotations

import asyncio
import sys

from tts_queue import SAMPLE_RATE_HZ, NoPacing, Priority, QueueEvent, SegmentStarted, SpeechQueue, Utterance
from tts_queue.testing import ListLog, RecordingSink, SteadyVoice


def show(event: QueueEvent) -> None:
    """Write what begins to sound."""
    if isinstance(event, SegmentStarted):
        sys.stdout.write(f"{event.start_sample / SAMPLE_RATE_HZ:5.2f} s  {event.text}\n")


async def report_what_was_heard(queue: SpeechQueue) -> None:
    """Stand in for the listener's side, which says how far it has played."""
    while True:
        await asyncio.sleep(0.05)
        queue.played(queue.sent_samples)


async def main() -> None:
    """Say two things; the later one presses, and is said first."""
    queue = SpeechQueue(SteadyVoice(), RecordingSink(), ListLog(), NoPacing(), on_event=show)
    now_s = asyncio.get_running_loop().time()
    queue.offer(Utterance("1", "Pericarditis leads.", Priority.SUMMARY, "finding", queued_at_s=now_s))
    queue.offer(Utterance("2", "Potassium is 6.9.", Priority.CRITICAL, "finding", queued_at_s=now_s))
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(queue.run()), group.create_task(report_what_was_heard(queue))]
        await queue.idle()
        for task in tasks:
            task.cancel()


if __name__ == "__main__":
    asyncio.run(main())
