"""What a sentence, a chunk and an update may cost, and that what is bounded is cut or counted, never lost."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Iterator

import pytest

from exaim_core import EXAIM, CasePaper, Delta, Update
from exaim_core.board.alarms import MOST_ALARMS
from exaim_core.board.board import MAX_REMARKS, Board
from exaim_core.board.changes import MOST_WAITING, ChangeKind, Changes, Vote
from exaim_core.claims.claims import Claim, Kind
from exaim_core.text.boundaries import MOST_CHARS, MOST_LINE_CHARS, MOST_NUMBERS, parts
from exaim_core.text.jsontext import MOST_DEEP, pairs_of, parsed
from exaim_core.text.places import Source
from exaim_core.text.reader import Reader
from exaim_core.text.slices import in_slices
from exaim_core.text.token_gate import Chunk, Piece
from exaim_core.text.units import Sentence

VOTE = Vote("", (), ())

EVENT = 8_000  # characters: as many as an event of a live team may have
PROSE = (
    "The patient is a 68-year-old man with chest pain since this morning. I think that an acute coronary syndrome is "
    "the most likely diagnosis, since the ECG shows ST depression and the troponin is raised. Please take another ECG "
    "in an hour, and ask the family about his medication. "
)
MOST_STEP = 2_500  # characters of prose that cost as much as the longest stretch without a yield: it was 830
MOST_TIMES = 20.0  # what a character may cost, in characters of prose: it was 10 for "HR 9. "
PAPER = CasePaper.model_validate(
    {
        "case_id": "x",
        "allergies": [{"substance": "penicillin", "reaction": "rash"}],
        "labs": [{"analyte": "potassium", "value": 4.4, "unit": "mmol/L"}],
        "medication": [{"drug": "warfarin", "dose": 3, "unit": "mg"}],
    }
)


@pytest.fixture(autouse=True)
def _no_collection() -> Iterator[None]:
    """A collection of all that the tests before left behind is no cost of the text."""
    gc.disable()
    yield
    gc.enable()


async def cost(text: str) -> tuple[float, float]:
    """Return the longest stretch that others wait for, and all that reading `text` takes, in seconds of CPU."""
    longest_s, mark_s = 0.0, time.thread_time()

    async def others() -> None:
        nonlocal longest_s, mark_s
        while True:
            longest_s, mark_s = max(longest_s, time.thread_time() - mark_s), time.thread_time()
            await asyncio.sleep(0)

    exaim, waiting = EXAIM(paper=PAPER), asyncio.create_task(others())
    await asyncio.sleep(0)
    began_s = time.thread_time()
    for seq, start in enumerate(range(0, len(text), EVENT)):
        await exaim.feed(Delta("doctor0", text[start : start + EVENT], seq, seq * 0.1))
        await asyncio.sleep(0)
    await exaim.turn_end("doctor0", 1_000, 1_000.0)
    took_s = time.thread_time() - began_s
    waiting.cancel()
    await asyncio.wait({waiting})
    return longest_s, took_s


async def prose_s() -> float:
    """Return what a character of plain prose costs here and now, in seconds of CPU."""
    text = PROSE * (EVENT // 2 // len(PROSE))
    _, took_s = await cost(text)
    return took_s / len(text)


@pytest.mark.parametrize(
    "piece",
    [
        "HR 9 ", "BP 120/80 ", "K 6.9 ", "Na 120 K 6 HR 9 ", "potassium 6.9, ", "HR 9. ", "- a\n", "|HR|9|\n", "\n",
        "   \n", "**", "[", "\\(", "$$ x ", "stop the heparin and ", "give heparin 5 mg, ", "not ", "9", ". ",
        "the potassium of 6.9 was wrong, ", '{"a": ', "<think",
    ],
)  # fmt: skip
async def test_no_text_takes_the_loop_for_long(piece: str) -> None:
    """It is held against prose, read before and after: a second of CPU is no fixed thing where cores are shared."""
    await cost(
        f"The potassium is 6.9. Give heparin 5 mg. {piece * 4} {PROSE}"
    )  # what is compiled once is compiled
    text = piece * (2 * EVENT // len(piece))
    before_s = await prose_s()
    longest_s, all_s = await cost(text)
    char_s = (before_s + await prose_s()) / 2
    assert longest_s <= char_s * MOST_STEP
    assert all_s <= char_s * MOST_TIMES * len(text)


def test_a_sentence_of_many_numbers_is_cut_between_them_and_loses_none() -> None:
    text = "HR 9 bpm BP 120/80 mmHg " * 40
    found = parts(text)
    assert "".join(found) == text
    assert all(part.startswith(("HR", "BP")) for part in found)
    listed = ", ".join(f"value{k} {k}.5 mmol/L" for k in range(60))
    assert all(part.startswith("value") and part.count(".5") <= MOST_NUMBERS for part in parts(listed))
    assert "".join(parts(listed)) == listed


@pytest.mark.parametrize("size", [1, 7, 600, 1_000_000])
def test_it_is_cut_alike_however_it_comes(size: int) -> None:
    text = "HR 9 BP 120/80 " * 60 + "the potassium is 6.9 mmol/L."
    reader, found = Reader("doctor1"), list[str]()
    for seq, start in enumerate(range(0, len(text), size)):
        piece = text[start : start + size]
        units = reader.push(Chunk("doctor1", piece, "x", (Piece(seq, 0.0, len(piece)),), 0.0))
        found += [unit.text for unit in units if isinstance(unit, Sentence)]
    found += [unit.text for unit in reader.end_turn() if isinstance(unit, Sentence)]
    assert found == [part.strip() for part in parts(text)]


async def test_an_alarm_behind_a_model_that_loops_is_told() -> None:
    exaim = EXAIM()
    updates = await exaim.feed(
        Delta("doctor0", "HR 80 " * 300 + "and the potassium is 6.9 mmol/L.\n", 0, 0.0)
    )
    updates += await exaim.turn_end("doctor0", 1, 1.0)
    assert any("6.9" in item.text for update in updates for item in update.items)


def test_a_wide_row_of_a_table_is_read_in_parts() -> None:
    row = "| " + " | ".join(f"{k}.5" for k in range(100)) + " |\n"
    units = Reader("doctor1").push(Chunk("doctor1", row * 2, "x", (Piece(0, 0.0, 2 * len(row)),), 0.0))
    cells = [unit.text for unit in units if isinstance(unit, Sentence)]
    assert len(cells) > 1
    assert all(len(text) <= MOST_CHARS for text in cells)
    assert "99.5" in cells[-1]


@pytest.mark.parametrize("depth", [MOST_DEEP + 1, 500, 5_000])
async def test_json_in_json_ends_no_session(depth: int) -> None:
    text = '{"a":' * depth + '"potassium 6.9 mmol/L"' + "}" * depth + "\n"
    assert parsed(text) is None
    assert pairs_of(text)
    exaim = EXAIM()
    await exaim.feed(Delta("doctor0", text, 0, 0.0))
    assert (await exaim.finish(1.0))[-1].path == "end"


def test_a_chunk_in_slices_keeps_its_words_and_its_deltas() -> None:
    line, long = "The hand is cold.\n", "word " * 1_000 + "\n"
    text = line * 200 + long + '{"a": "' + "b " * 2_000 + '"}\n' + line
    chunk = Chunk("doctor1", text, "x", tuple(Piece(k, 0.1 * k, 50) for k in range(len(text) // 50 + 1)), 0.0)
    chunk = Chunk("doctor1", text[: 50 * (len(text) // 50)], "x", chunk.pieces[:-1], 0.0)
    slices = [*in_slices(chunk)]
    assert "".join(each.text for each in slices) == chunk.text
    assert all(sum(piece.chars for piece in each.pieces) == len(each.text) for each in slices)
    assert [piece.seq for each in slices for piece in each.pieces] == sorted(
        piece.seq for each in slices for piece in each.pieces
    )
    assert sum(len(each.text) > MOST_LINE_CHARS for each in slices) == 1, "of one line of JSON"


async def told(text: str) -> tuple[Update, ...]:
    exaim = EXAIM()
    updates = await exaim.feed(Delta("doctor0", text, 0, 0.0))
    return updates + await exaim.turn_end("doctor0", 1, 1.0) + await exaim.finish(2.0)


async def test_what_changes_all_at_once_is_told_in_part_and_counted() -> None:
    findings = "".join(f"The left toe number {k} measures {k}.5 cm. " for k in range(300))
    updates = await told(f"The potassium is 6.9 mmol/L.\n{findings}\n")
    items = [item.text for update in updates for item in update.items]
    assert any("6.9" in text for text in items), "an alarm is left out last"
    assert len(updates[0].items) <= MOST_WAITING
    said = " ".join(update.summary.status_action for update in updates)
    assert "Not read: " in said
    assert "more points, too many at once; see the agents' own words." in said


async def test_of_a_few_changes_none_is_counted() -> None:
    updates = await told(
        "The potassium is 6.9 mmol/L. The left knee measures 5 cm. Give calcium 10 mL now.\n"
    )
    assert not any("Not read" in update.summary.status_action for update in updates)


async def test_of_many_alarms_the_newest_stand() -> None:
    exaim, last = EXAIM(), MOST_ALARMS + 7
    for k in range(last + 1):
        text = f"The potassium is {6.5 + k / 20:.2f} mmol/L and must be treated.\n"
        await exaim.feed(Delta("doctor0", text, k, k * 5.0))
    await exaim.turn_end("doctor0", last + 1, 1_000.0)
    values = [claim.critical.value for claim in exaim.board.criticals.values() if claim.critical]
    assert len(values) == MOST_ALARMS
    assert values[-1] == f"{6.5 + last / 20:.2f} mmol/L"


def _finding(text: str, seq: int) -> Claim:
    return Claim("a", Kind.FINDING, "", text, Source("a", seq, seq, float(seq)))


def test_what_waits_for_the_page_is_taken_back_too() -> None:
    changes, wrong = Changes(), _finding("The lactate is 3.1 mmol/L.", 1)
    changes.note(ChangeKind.FINDING, (wrong,), VOTE)
    changes.forget(ChangeKind.FINDING, [wrong])
    assert changes.take() == ()


def test_what_waits_for_the_page_waits_there_again_when_it_is_given_back() -> None:
    changes = Changes()
    changes.say(ChangeKind.FINDING, (_finding("The lactate is 3.1 mmol/L.", 1),), VOTE)
    changes.note(ChangeKind.FINDING, (_finding("The left knee is swollen.", 2),), VOTE)
    changes.give_back(changes.take())
    assert [len(changes.ripe), len(changes.beside)] == [1, 1]


def test_what_a_model_read_and_was_told_is_bounded() -> None:
    board = Board()
    for seq in range(2 * MAX_REMARKS):
        source = Source("a", seq, seq, float(seq))
        board.tell_read(Claim("a", Kind.QUOTE, "", f"Word{seq} is seen on film {seq}.", source))
    assert len(board.quoted) == len(board.quotes) == MAX_REMARKS
