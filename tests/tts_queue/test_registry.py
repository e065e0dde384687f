"""What is kept of an item between two frames is what would be made of it anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tts_queue.ear import segments
from tts_queue.model import Part, Priority, Utterance
from tts_queue.outbox import LogLimits, Outbox
from tts_queue.phases import HoldCause, Phase
from tts_queue.playout import Pauses, PlayoutBuffer
from tts_queue.registry import Item, Registry
from tts_queue.testing import ListLog

Change = Callable[[Registry, Item], None]


def _sounds(_: Registry, item: Item) -> None:
    item.buffer.add(Part(np.ones(9_600, np.int16), 9_600, (), "a voice"))


def _is_heard(_: Registry, item: Item) -> None:
    piece = item.buffer.read(960)
    assert piece is not None
    item.buffer.wrote(piece, 0)


def _is_sent(_: Registry, item: Item) -> None:
    item.all_sent_s = 3.0


CHANGES: dict[str, Change] = {
    "spared from age": lambda registry, _: registry.spare_from_age(),
    "sound": _sounds,
    "speaking": lambda registry, item: registry.move(item, Phase.SPEAKING, 1.0),
    "heard": _is_heard,
    "held": lambda registry, item: registry.move(item, Phase.HELD, 2.0, cause=HoldCause.USER),
    "held for another cause": lambda _, item: setattr(item, "cause", HoldCause.CRITICAL),
    "resumed": lambda registry, item: registry.move(item, Phase.SPEAKING, 2.5),
    "sent": _is_sent,
}
"""In this order, on one item."""


@pytest.mark.parametrize("stopped", [False, True])
def test_entry_and_standing_follow_each_change(stopped: bool) -> None:
    outbox = Outbox(ListLog(), LogLimits(), lambda _: None)
    registry = Registry(outbox, lambda _: None, lambda: (960, 960, 960), ())
    utterance = Utterance("u", "The potassium is high.", Priority.NOTICE, "finding", stopped=stopped)
    item = registry.add(utterance, PlayoutBuffer(segments(utterance.text), Pauses()))
    for what, change in CHANGES.items():
        before = item.entry, item.standing(960)
        change(registry, item)
        anew = replace(item, _entry=None, _standing=None)
        assert (item.entry, item.standing(960)) == (anew.entry, anew.standing(960)), what
        assert (item.entry, item.standing(960)) != before, what
        assert item.entry is item.entry, what
        assert item.standing(960) is item.standing(960), what
