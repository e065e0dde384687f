"""Where plain text was written, whatever the cleaner cut or folded and however it came in pieces."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from exaim_core.text.cleaning import TextCleaner
from exaim_core.text.jsonplaces import JsonPlaces
from exaim_core.text.places import MOST_SPANS, Places, Source
from exaim_core.text.reader import Reader
from exaim_core.text.token_gate import Chunk, Piece
from exaim_core.text.units import JsonBlock, Sentence, Unit

WRITTEN = """# Board of 10⁹ things
**Lead**: pulmonary **embolism** (Hb 10⁹/L) is likely.<think>or is it?</think> Give heparin now.
| Test | Value |
|---|---|
| Potassium | ６.9 mmol/L |

```json
{"leading": "Addison disease",
 "tests": ["ACTH \\"short\\" test", "cortisol"],
 "pupils_mm": 7}
```
- 2 < 3, and [1] is a ﬁnal word\u200b.
"""


def read(*pieces: str) -> list[Unit]:
    cleaner = TextCleaner()
    reader, units = Reader("doctor1", cleaner.places), list[Unit]()
    for seq, piece in enumerate(pieces):
        plain = cleaner.take(piece)
        units += reader.push(Chunk("doctor1", plain, "", (Piece(seq, 0.0, len(plain)),), 0.0))
    held = cleaner.end_turn()
    units += reader.push(Chunk("doctor1", held, "", (Piece(len(pieces), 0.0, len(held)),), 0.0))
    return units + reader.end_turn()


def words_of(source: Source) -> list[str]:
    return [WRITTEN[start:end] for start, end in source.spans]


@given(st.lists(st.integers(0, len(WRITTEN)), max_size=60))
def test_a_sentence_knows_where_it_was_written_however_it_came(cuts: list[int]) -> None:
    bounds = [0, *sorted(cuts), len(WRITTEN)]
    units = read(*(WRITTEN[a:b] for a, b in pairwise(bounds)))
    told = [(unit.full, words_of(unit.source)) for unit in units if isinstance(unit, Sentence)]
    assert told == [
        (
            "Lead: pulmonary embolism (Hb 10^9/L) is likely.",
            ["**Lead**: pulmonary **embolism** (Hb 10⁹/L) is likely."],
        ),
        ("Give heparin now.", ["Give heparin now."]),
        ("Potassium: 6.9 mmol/L", ["| Test | Value |", "| Potassium | ６.9 mmol/L |"]),
        ("pupils: 7 mm", ['"pupils_mm": 7}']),
        ("2 < 3, and [1] is a final word.", ["- 2 < 3, and [1] is a ﬁnal word\u200b."]),
    ]


def test_a_value_of_a_json_block_rests_on_that_value_and_not_on_the_block() -> None:
    [block] = [unit for unit in read(WRITTEN) if isinstance(unit, JsonBlock)]
    assert words_of(block.source)[0].startswith("```json")
    assert words_of(block.source_of("Addison disease")) == ["Addison disease"]
    assert words_of(block.source_of('ACTH "short" test')) == ['ACTH \\"short\\" test']
    assert block.source_of("never written").spans == block.source.spans


@given(st.text("ab<>/think½⁹ﬁ\u200b\u00ad[]5.", max_size=80), st.lists(st.integers(0, 80), max_size=8))
def test_each_plain_character_is_found_within_what_was_written(text: str, cuts: list[int]) -> None:
    cleaner, plain = TextCleaner(), ""
    bounds = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    for start, end in pairwise(bounds):
        plain += cleaner.take(text[start:end])
    plain += cleaner.end_turn()
    assert (cleaner.places.taken, cleaner.places.made) == (len(text), len(plain))
    for at, char in enumerate(plain):
        start, end = cleaner.places.find(at, at + 1)
        assert 0 <= start < end <= len(text)
        if char.isascii() and text[start].isascii():
            assert text[start] == char


def test_what_lies_behind_is_forgotten() -> None:
    places = Places()
    for at in range(0, 3_000, 3):  # a character left out after each second one: a run each
        places.add(2, at)
        places.forget(places.made)
    assert len(places._made_at) < 100
    assert places.find(places.made - 2, places.made) == (2_997, 2_999)


def test_what_nobody_reads_is_taken_back() -> None:
    places = Places()
    places.add(3, 0)
    places.add(2, 10)
    places.take_back(2)
    places.add(1, 20)
    assert places.find(3, 4) == (20, 21)


def test_sentences_that_stand_apart_are_places_of_their_own_and_few() -> None:
    one, other = Source("a", 1, 2, 0.0, ((0, 9),)), Source("a", 7, 8, 1.0, ((40, 50),))
    assert one.to(other) == Source("a", 1, 8, 1.0)
    assert one.to(other).spans == ((0, 9), (40, 50))
    assert one.through(other).spans == ((0, 50),)
    assert other.under(one) == Source("a", 1, 8, 1.0)
    for at in range(30):
        one = one.to(Source("a", at, at, 0.0, ((at * 100, at * 100 + 5),)))
    assert len(one.spans) == MOST_SPANS


def test_values_that_stand_twice_are_found_in_their_order() -> None:
    places = JsonPlaces('{"a": "x", "b": "x"}')
    assert (places.find("x"), places.find("x")) == ((7, 8), (17, 18))
