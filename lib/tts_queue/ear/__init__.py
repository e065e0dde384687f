"""Text for the ear: what is read on the page, word by word, with what an engine should say for it.

A stage of its own, before any engine. `layout` takes the marks off, `reading` goes over the words once and
says numbers, units, signs and acronyms as a clinician would, `check` reads the result again and holds it
against what is written, `cutting` makes segments of it. Captions show the written words with the spoken
ones' times. How things are said is told in docs/text-for-the-ear.md.
"""

from tts_queue.ear.cutting import EARLY_WORDS, FIRST_WORDS, LEAST_WORDS, MOST_WORDS, segments, spelled_out
from tts_queue.ear.layout import plain
from tts_queue.ear.reading import to_ear
from tts_queue.ear.tokens import EarToken, SegmentBoundary, TextSegment

__all__ = [
    "EARLY_WORDS",
    "FIRST_WORDS",
    "LEAST_WORDS",
    "MOST_WORDS",
    "EarToken",
    "SegmentBoundary",
    "TextSegment",
    "plain",
    "segments",
    "spelled_out",
    "to_ear",
]
