"""The table of when each item was said, offered, begun and over."""

from __future__ import annotations

from lab.bench.item_times import item_times
from lab.bench.playing import TO_EAR_S, Played
from tts_queue import Move, Phase, Priority, Utterance
from tts_queue.model import SAMPLE_RATE_HZ


def said(uid: str, offered_s: float, cited_s: float | None) -> Utterance:
    return Utterance(
        uid, f"Item {uid}.", Priority.PRESSING, "caution", queued_at_s=offered_s, lag_from_s=cited_s
    )


def move(
    uid: str, to: Phase, at_s: float, *, begun_s: float | None = None, reason: str | None = None
) -> Move:
    start = None if begun_s is None else round(begun_s * SAMPLE_RATE_HZ)
    heard = 0 if begun_s is None else SAMPLE_RATE_HZ
    return Move(uid, 1, Phase.SPEAKING, to, at_s, reason=reason, start_sample=start, heard=heard)


def test_times_count_from_the_first_delta_and_what_was_never_heard_has_no_begin() -> None:
    played = Played(
        updates={},
        utterances=(said("a", 12.0, 11.0), said("b", 13.0, None), said("c", 14.0, 14.0)),
        last={
            "a": move("a", Phase.SPOKEN, 18.0, begun_s=15.0),
            "b": move("b", Phase.EXPIRED, 30.0, reason="too old"),
        },
        began_s=10.0,
        began_wall_s=0.0,
    )
    heard, dropped, waiting = item_times(played)
    assert (heard.said_s, heard.offered_s, heard.over_s) == (1.0, 2.0, 8.0)
    assert heard.begun_s == 5.0 + TO_EAR_S
    assert heard.lag_s == 4.0 + TO_EAR_S
    assert (dropped.begun_s, dropped.lag_s, dropped.outcome) == (None, None, "expired: too old")
    assert (waiting.over_s, waiting.outcome) == (None, "queued")
    assert heard.line().split()[:5] == ["1.0", "2.0", f"{heard.begun_s:.1f}", "8.0", f"{heard.lag_s:.1f}"]
