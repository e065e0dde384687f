"""A team's reasoning from a JSONL file."""

from __future__ import annotations

from pathlib import Path

import pytest

from exaim_live import LiveTeam, Opened
from exaim_live.files import BadLine, events_in, tell_file
from exaim_live.outbox import Outbox

GOOD = '{"type": "TOKEN", "agentId": "zero", "turn": 1, "data": "Cold hands."}\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "debate.jsonl"
    path.write_text(text, encoding="utf-8")
    return path


def test_lines_are_events_numbered_by_their_place_and_empty_ones_are_none(tmp_path: Path) -> None:
    found = list(events_in(written(tmp_path, f"\ufeff{GOOD}\n{GOOD}")))
    assert [(each.seq, each.data) for each in found] == [(0, "Cold hands."), (2, "Cold hands.")]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "no JSON object"),
        ("[1]", "no JSON object"),
        ('"text"', "no JSON object"),
        ('{"type": "TOKEN", "colour": 1}', "colour"),
        ('{"type": "SONG"}', "type"),
        ('{"type": "TOKEN", "data": "Cold hands."}', "agentId"),
        (f'{{"type": "TOKEN", "agentId": "{"n" * 70}", "data": "Cold."}}', "agentId"),
        (f'{{"type": "TOKEN", "agentId": "n", "runId": "{"n" * 129}"}}', "runId"),
        (f'{{"type": "TOKEN", "agentId": "n", "turn": {2**53}}}', "turn"),
        ("[" * 100_000, "no JSON object"),
    ],
)
def test_a_line_that_is_no_event_is_named_without_its_words(tmp_path: Path, line: str, why: str) -> None:
    path = written(tmp_path, f"{GOOD}{line}\n")
    with pytest.raises(BadLine, match=f"line 2 is no event.*{why}") as caught:
        list(events_in(path))
    assert caught.value.number == 2


def test_a_line_that_is_no_utf_8_is_named_and_what_stands_before_it_is_told(tmp_path: Path) -> None:
    path = tmp_path / "debate.jsonl"
    path.write_bytes(GOOD.encode() + GOOD.encode("utf-8").replace(b"Cold", b"K\xe4lte"))
    found = events_in(path)
    assert next(found).data == "Cold hands."
    with pytest.raises(BadLine, match="line 2 is no event: it is no UTF-8"):
        next(found)


def test_a_line_may_have_more_words_than_one_event(tmp_path: Path) -> None:
    [found] = events_in(written(tmp_path, GOOD.replace("Cold", "Cold " * 2_000)))
    assert len(found.data) > 8_000


async def test_an_error_ends_it_and_nothing_behind_it_is_told(tmp_path: Path) -> None:
    team = LiveTeam(Opened("http://127.0.0.1:9/sessions/x/events", "token"), most_chars=5)
    failed = '{"type": "ERROR", "data": "the model is away"}\n'
    told = await tell_file(team, written(tmp_path, f"{failed}{GOOD}"))
    assert (told, team.lost_chars) == (1, 0)


def test_there_is_room_until_there_is_none_and_always_for_what_would_wait_for_ever() -> None:
    outbox = Outbox(most_chars=10)
    assert outbox.has_room(8)
    assert outbox.has_room(80)
    outbox.offer("zero", "01234567")
    assert not outbox.has_room(8)
    outbox.take()
    assert outbox.has_room(8)
