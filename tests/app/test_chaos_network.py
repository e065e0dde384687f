"""What a bad network did, from what a listener was told."""

from __future__ import annotations

from typing import Any

import numpy as np

from lab.chaos.network import Leg, clock_errors_s, false_holds, rows, welcomes
from lab.demo.account import Stretch
from lab.demo.hearing import Found
from lab.demo.judging import Ear, Judged, Place
from lab.demo.listener import Received


def told(*messages: tuple[float, str, dict[str, Any]]) -> list[Received]:
    return [Received(kind, seq, at_s, 0, body) for seq, (at_s, kind, body) in enumerate(messages, start=1)]


def utterance(phase: str, *, uid: str = "u.1", kind: str = "summary", cause: str = "") -> dict[str, Any]:
    return {"utterance_id": uid, "kind": kind, "phase": phase, "cause": cause or None}


def leg(**changed: Any) -> Leg:
    made: dict[str, Any] = {
        "case_id": "c",
        "lasted_s": 600.0,
        "holds": 1,
        "welcomes": 0,
        "spoken": 20,
        "lost": 0,
        "words": 300,
        "sent_errors": 0.3,
        "heard_errors": 0.34,
        "clock_errors_s": (0.02,),
        "packets": 1000,
        "packets_lost": 50,
    }
    return Leg(**(made | changed))


def test_a_hold_that_several_messages_tell_of_is_one_hold() -> None:
    messages = told(
        (1.0, "utterance", utterance("speaking")),
        (5.0, "mode", {"mode": "away"}),
        (5.1, "utterance", utterance("held", cause="listener")),
        (5.1, "utterance", utterance("held", uid="u.2", cause="listener")),
        (6.0, "mode", {"mode": "free"}),
        (9.0, "mode", {"mode": "away"}),
        (11.0, "mode", {"mode": "away"}),
    )
    assert false_holds(messages) == 2


def test_a_hold_that_was_asked_for_and_the_wait_for_the_first_listener_are_none() -> None:
    messages = told(
        (0.5, "mode", {"mode": "away"}),
        (1.0, "utterance", utterance("speaking")),
        (5.0, "utterance", utterance("held", cause="user")),
    )
    assert false_holds(messages) == 0


def test_a_welcome_counts_once_it_is_begun() -> None:
    messages = told(
        (1.0, "utterance", utterance("queued", kind="welcome")),
        (1.2, "utterance", utterance("speaking", kind="welcome")),
        (2.0, "utterance", utterance("speaking", uid="u.2")),
    )
    assert welcomes(messages) == 1


def test_a_clock_that_began_before_the_session_is_read_as_such() -> None:
    place = Place(Stretch("u.1", 0, 96_000, 48_000), 0, Found(48_480, 0.9, (0.9, 0.9)))
    judged = Judged(
        sent=np.zeros(0, np.int16),
        ear=Ear((), ()),
        places=(place,),
        runs={},
        joints={},
        word_error_rate=(0.0, 0.0),
        understood={},
    )
    assert clock_errors_s(judged, told((0.0, "clock", {"zero": 2**32 - 48_000}))) == [0.01]


def test_one_false_hold_and_five_points_are_allowed_and_no_more() -> None:
    assert all(row.met is not False for row in rows([leg()]))
    for wrong in ({"holds": 2}, {"welcomes": 1}, {"lost": 1}, {"heard_errors": 0.36}):
        assert [row.met for row in rows([leg(**wrong)])].count(False) == 1
