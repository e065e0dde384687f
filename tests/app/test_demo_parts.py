"""What a client leaves on files: read back whole, placed in time, and told of as it comes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lab.demo.acts import Outcome, Spoke
from lab.demo.listener import FRAME_SAMPLES, RATE_HZ, Heard
from lab.demo.parts import Part, Spool, Tail, began_s, joined, laid, read
from tests.app.demo_scene import Script


def frames(heard: Heard, count: int, value: int, from_s: float) -> None:
    for number in range(count):
        heard.add(np.full(FRAME_SAMPLES, value, np.int16), from_s + (number + 1) * 0.01)


def test_what_was_kept_before_a_kill_is_read_back(tmp_path: Path) -> None:
    heard, script = Heard(), Script()
    spool = Spool(tmp_path)
    frames(heard, 100, 5, 20.0)
    script.utterance(20.4, "a", "speaking")
    script.tell(20.5, "trace", {"items": []})
    spool.keep(heard, script.messages)
    frames(heard, 50, 6, 21.0)
    script.utterance(21.2, "a", "spoken")
    spool.keep(heard, script.messages)
    outcome = Outcome("mm-hm", True, "a", "", (Spoke("mm-hm", 20.8, 21.3),))
    spool.acted([outcome])
    frames(heard, 10, 7, 21.5)  # a kill: nothing more is kept, nothing is closed

    part = read(tmp_path)
    spool.close()
    assert part.began_s == pytest.approx(20.0)
    assert part.ended_s == pytest.approx(21.5)
    assert [int(part.pcm[part.sample_at(at)]) for at in (20.5, 21.25)] == [5, 6]
    assert [message.body["phase"] for message in part.messages] == ["speaking", "spoken"]
    assert part.outcomes == (outcome,)


def test_half_a_line_waits_for_its_rest(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    tail = Tail(path)
    assert list(tail.fresh()) == []
    path.write_bytes(b'{"n": 1}\n{"n"')
    assert list(tail.fresh()) == [{"n": 1}]
    with path.open("ab") as file:
        file.write(b": 2}\n")
    assert list(tail.fresh()) == [{"n": 2}]
    assert list(tail.fresh()) == []


def test_the_first_sample_is_timed_by_the_frames_that_were_least_late() -> None:
    lines = [{"samples": RATE_HZ, "at_s": 11.3}, {"samples": RATE_HZ, "at_s": 12.02}]
    assert began_s(lines) == pytest.approx(10.02)


def test_two_parts_lie_on_one_clock_with_silence_between_them() -> None:
    first = Part(100.0, np.full(RATE_HZ, 1, np.int16), ())
    second = Part(103.0, np.full(RATE_HZ, 2, np.int16), ())
    whole = joined([first, second])
    assert whole.size == 4 * RATE_HZ
    assert [int(whole[round(at * RATE_HZ)]) for at in (0.5, 2.0, 3.5)] == [1, 0, 2]


def test_a_sound_beyond_the_end_is_left_out() -> None:
    assert laid([(0.5, np.full(RATE_HZ, 3, np.int16))], 1.0).size == RATE_HZ
