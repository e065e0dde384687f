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


def test_the_order_is_kept_until_an_item_or_time_changes_it() -> None:
    registry = Registry(Outbox(ListLog(), LogLimits(), lambda _: None), lambda _: None, lambda: (0, 0, 0), ())

    def add(name: str, *, timely_s: float | None = None, yields_for_s: float = 0.0) -> Item:
        utterance = Utterance(
            name,
            "The potassium is high.",
            Priority.SUMMARY,
            "finding",
            timely_s=timely_s,
            yields_for_s=yields_for_s,
            expires_after_s=20.0,
        )
        return registry.add(utterance, PlayoutBuffer(segments(utterance.text), Pauses()))

    def seen(now_s: float) -> tuple[list[str], int]:
        order = registry.order(now_s)
        return [each.utterance.utterance_id for each in order.ranked], len(order.too_old)

    late, yielding = add("late", timely_s=4.0), add("yields", yields_for_s=8.0)
    assert seen(0.0) == (["late", "yields"], 0)
    assert registry.order(3.9) is registry.order(0.1)
    add("third")
    assert seen(3.9) == (["late", "third", "yields"], 0)
    assert seen(4.1) == (["third", "late", "yields"], 0)
    assert seen(8.1) == (["yields", "third", "late"], 0)
    assert registry.order(19.9) is registry.order(8.1)
    assert seen(20.1) == (["yields", "third", "late"], 3)
    assert registry.order(500.0) is registry.order(20.1)
    registry.move(yielding, Phase.SPEAKING, 21.0)
    assert seen(21.0) == (["yields", "third", "late"], 2)
    registry.move(yielding, Phase.HELD, 22.0, cause=HoldCause.CRITICAL)
    registry.drop(late, Phase.EXPIRED, 22.0, reason="too old")
    assert seen(51.9) == (["yields", "third"], 1)
    assert seen(52.1) == (["yields", "third"], 2)
    registry.spare_from_age()
    assert seen(52.1) == (["yields", "third"], 1)
