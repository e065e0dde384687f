"""A picture that a team pasted into its text is cut where it would be read or shown."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta
from exaim_core.text.boundaries import MOST_CHARS
from realtime import protocol
from realtime.room.messages import update_body
from realtime.speech import narrator
from realtime.team.long_words import LONGEST_WORD, cut_long_words

PASTED = "A" * 70_000


def test_a_word_is_cut_and_what_stands_around_it_stays() -> None:
    assert (
        cut_long_words(f"The scan {PASTED}= is attached.") == f"The scan {'A' * LONGEST_WORD}… is attached."
    )
    assert cut_long_words("Pseudohypoparathyroidism, 6.9 mmol/L.") == "Pseudohypoparathyroidism, 6.9 mmol/L."


@pytest.mark.parametrize(
    "pasted", [PASTED[: MOST_CHARS - 50], PASTED], ids=["in a sentence", "longer than any"]
)
async def test_an_update_with_a_pasted_picture_fits_into_a_message_and_a_breath(pasted: str) -> None:
    exaim = EXAIM()
    text = f"### Most Likely Diagnosis:\n**Pneumonia {pasted}** - fever.\n"
    updates = [
        *await exaim.feed(Delta("Doctor Zero", text, 0, 0.0)),
        *await exaim.turn_end("Doctor Zero", 1, 1.0),
    ]
    longest = max(len(item.text) for update in updates for item in update.items)
    assert longest > len(pasted) or len(pasted) > MOST_CHARS, "the engine leaves out only what is no sentence"
    for update in updates:
        protocol.encode_state(update_body(update, "u-1"), seq=1, epoch=1, at_ms=0)
        for spoken in narrator.utterances(update, "u-1", now_s=0.0, emitted_at_s=0.0):
            assert len(spoken.text) < 10 * LONGEST_WORD
