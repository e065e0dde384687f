"""Decisions that a team states beside its words: told as stated if the words bear them, quoted if not."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta, SpokenItem, SpokenKind, Stated, StatedKind, Update
from exaim_core.readings.port import ReadClaim, ReadKind, ReadStance, SegmentReader
from tests.exaim_core.scripted_readings import with_claims

FITS = "Having weighed all of it, the story of giant cell arteritis fits everything that she has."
SETTLES = "Thank you. Giant cell arteritis it is, and that goes into the letter."


class Debate:
    """Turns of agents with decisions beside them, one delta or one a word."""

    def __init__(self, reader: SegmentReader | None = None) -> None:
        self.exaim = EXAIM(reader=reader)
        self.updates: list[Update] = []
        self.seq, self.at_s = 0, 0.0

    def _next(self, passed_s: float = 1.0) -> tuple[int, float]:
        self.seq, self.at_s = self.seq + 1, self.at_s + passed_s
        return self.seq, self.at_s

    async def says(self, agent_id: str, text: str) -> None:
        seq, at_s = self._next(5.0)
        self.updates += await self.exaim.feed(Delta(agent_id, text, seq, at_s))

    async def states(self, agent_id: str, kind: StatedKind, text: str, rests_on: str) -> None:
        self.updates += await self.exaim.decide(Stated(agent_id, kind, text, rests_on, *self._next()))

    async def ends(self, agent_id: str) -> None:
        self.updates += await self.exaim.turn_end(agent_id, *self._next())

    async def turn(self, agent_id: str, text: str, *decisions: tuple[StatedKind, str, str]) -> None:
        await self.says(agent_id, text)
        for kind, said, rests_on in decisions:
            await self.states(agent_id, kind, said, rests_on)
        await self.ends(agent_id)

    async def closing(self) -> str:
        self.updates += await self.exaim.finish(self.at_s + 5)
        return self.updates[-1].items[-1].text

    @property
    def items(self) -> list[SpokenItem]:
        return [item for update in self.updates for item in update.items]

    @property
    def texts(self) -> list[str]:
        return [item.text for item in self.items]

    @property
    def refused(self) -> list[str]:
        return [each.reason for update in self.updates for each in update.dropped]


async def test_a_view_that_no_rule_reads_is_told_as_stated_and_rests_on_its_words() -> None:
    debate = Debate()
    await debate.turn("cardiologist", FITS, (StatedKind.LEADING, "giant cell arteritis", FITS[26:]))
    assert debate.texts == ["The cardiologist leads with giant cell arteritis."]
    assert [(span.start, span.end) for span in debate.items[0].evidence] == [(0, len(FITS))]
    without = Debate()
    await without.turn("cardiologist", FITS)
    assert "The cardiologist leads with giant cell arteritis." not in without.texts


async def test_what_the_chair_states_as_final_is_told_once_and_closes() -> None:
    debate = Debate()
    await debate.turn("cardiologist", FITS, (StatedKind.LEADING, "giant cell arteritis", FITS))
    await debate.turn(
        "moderator", SETTLES, (StatedKind.FINAL, "giant cell arteritis", "Giant cell arteritis it is")
    )
    assert debate.texts[1:] == ["Decision, from the moderator: giant cell arteritis."]
    assert await debate.closing() == "Finished. Giant cell arteritis, the decision by the moderator."


async def test_the_ruling_stands_against_a_vote_of_all_others() -> None:
    debate = Debate()
    for agent in ("doctor0", "doctor1"):
        await debate.turn(agent, "My leading diagnosis is pulmonary embolism.")
    said = "My colleagues have argued well. Aortic dissection is how this goes into the notes."
    await debate.turn("moderator", said, (StatedKind.FINAL, "aortic dissection", "Aortic dissection is how"))
    closing = await debate.closing()
    assert closing == "Finished. Aortic dissection, the decision by the moderator."


async def test_a_plan_that_the_chair_decides_is_the_closing() -> None:
    debate = Debate()
    await debate.turn("surgeon", "My leading diagnosis is ruptured spleen.")
    said = "That is the end of it: laparotomy this evening."
    await debate.turn("moderator", said, (StatedKind.FINAL, "laparotomy this evening", said))
    assert await debate.closing() == "Finished. Laparotomy this evening, the decision by the moderator."


async def test_final_of_somebody_who_does_not_chair_is_one_view_among_others() -> None:
    debate = Debate()
    await debate.turn("doctor0", FITS, (StatedKind.FINAL, "giant cell arteritis", FITS))
    assert debate.texts == ["Doctor Zero leads with giant cell arteritis."]
    assert "decision" not in await debate.closing()


@pytest.mark.parametrize(
    ("said", "kind", "text", "rests_on"),
    [
        (
            "Give heparin 5,000 units now.",
            StatedKind.ORDER,
            "heparin 5,000 units",
            "Give heparin 5,000 units",
        ),
        ("Do not give ibuprofen to her.", StatedKind.PROHIBITION, "no ibuprofen", "Do not give ibuprofen"),
    ],
)
async def test_what_the_rules_told_is_not_told_again(
    said: str, kind: StatedKind, text: str, rests_on: str
) -> None:
    plain, debate = Debate(), Debate()
    await plain.turn("doctor0", said)
    await debate.turn("doctor0", said, (kind, text, rests_on))
    assert debate.texts == plain.texts and len(debate.texts) == 1


async def test_what_presses_is_read_in_the_words_and_never_in_the_kind() -> None:
    calm, urgent = Debate(), Debate()
    words = "Physiotherapy for the shoulder would do her good."
    await calm.turn("doctor0", words, (StatedKind.PROHIBITION, "physiotherapy for the shoulder", words))
    await calm.turn("moderator", words, (StatedKind.FINAL, "physiotherapy for the shoulder", words))
    assert calm.texts and not any(item.presses or item.protects for item in calm.items)
    words = "She must never be given ibuprofen."
    await urgent.turn("doctor0", words, (StatedKind.ORDER, words.rstrip("."), words))
    assert [item.presses for item in urgent.items] == [True]


@pytest.mark.parametrize(
    ("said", "kind", "text", "rests_on", "told"),
    [
        (
            "Do not give alteplase to this woman.",
            StatedKind.ORDER,
            "Give alteplase",
            "Do not give alteplase to this woman",
            "Caution, Doctor Zero: do not give alteplase to this woman.",
        ),
        (
            "It may be lupus, though I would not swear to it.",
            StatedKind.FINAL,
            "Lupus",
            "It may be lupus",
            "Doctor Zero: it may be lupus, though I would not swear to it.",
        ),
        (
            "If the troponin rises she goes for angiography.",
            StatedKind.ORDER,
            "angiography",
            "she goes for angiography",
            "Doctor Zero: if the troponin rises she goes for angiography.",
        ),
    ],
)
async def test_words_that_say_something_else_are_told_in_its_place_and_it_is_counted(
    said: str, kind: StatedKind, text: str, rests_on: str, told: str
) -> None:
    debate = Debate()
    await debate.turn("doctor0", said, (kind, text, rests_on))
    await debate.closing()
    assert debate.texts[:-1] == [told]
    assert debate.refused


@pytest.mark.parametrize("rests_on", ["Give alteplase 50 mg", "..."])
async def test_without_a_word_of_it_in_the_turn_it_is_the_teams_report(rests_on: str) -> None:
    debate = Debate()
    await debate.turn("pharmacist", "All is well.", (StatedKind.ORDER, "Give alteplase 50 mg now", rests_on))
    closing = await debate.closing()
    assert debate.texts[:-1] == ["The team reports: give alteplase 50 mg now."]
    assert not any(item.presses or item.protects or item.urgency != "routine" for item in debate.items[:-1])
    assert "alteplase" not in closing
    assert debate.refused == ["its words are not in the turn"]


async def test_reports_are_bounded_and_a_long_one_is_left_to_the_page() -> None:
    debate = Debate()
    for at in range(20):
        await debate.turn(
            "pharmacist", "All is well.", (StatedKind.ORDER, f"Give drug number {at}", "not there")
        )
    await debate.turn("pharmacist", "All is well.", (StatedKind.ORDER, "give " * 40, "not there"))
    await debate.closing()
    assert len([text for text in debate.texts if text.startswith("The team reports")]) == 8
    assert len(debate.refused) == 21


async def test_it_waits_for_words_that_are_held_and_is_told_after_the_turn_too() -> None:
    debate = Debate()
    await debate.says("cardiologist", FITS[:20])
    await debate.states("cardiologist", StatedKind.LEADING, "giant cell arteritis", FITS)
    assert debate.updates == []
    await debate.says("cardiologist", FITS[20:])
    await debate.ends("cardiologist")
    await debate.states("cardiologist", StatedKind.LEADING, "giant cell arteritis", FITS)
    leads = [text for text in debate.texts if "leads" in text]
    assert leads == ["The cardiologist leads with giant cell arteritis."]


async def test_markup_lists_and_json_are_found_as_they_were_written() -> None:
    debate = Debate()
    text = "## Plan\n1. **Prednisolone** 60 mg by mouth every morning\n2. Biopsy of the artery\n"
    await debate.turn(
        "rheumatologist",
        text,
        (StatedKind.ORDER, "Prednisolone 60 mg by mouth", "1. **Prednisolone** 60 mg by mouth every morning"),
    )
    await debate.turn(
        "moderator",
        '{"reasoning": "the vote was close", "answer": "Digoxin toxicity"}',
        (StatedKind.FINAL, "Digoxin toxicity", '"answer": "Digoxin toxicity"'),
    )
    assert not any("not in the turn" in reason for reason in debate.refused)
    assert "Decision, from the moderator: digoxin toxicity." in debate.texts
    assert "Digoxin toxicity" in await debate.closing()


async def test_the_same_log_gives_the_same_updates_word_by_word_or_whole() -> None:
    async def run() -> list[Update]:
        debate = Debate()
        for word in FITS.split():
            await debate.says("cardiologist", f"{word} ")
        await debate.states("cardiologist", StatedKind.LEADING, "giant cell arteritis", FITS)
        await debate.ends("cardiologist")
        await debate.turn(
            "moderator", SETTLES, (StatedKind.FINAL, "giant cell arteritis", "Giant cell arteritis it is")
        )
        await debate.closing()
        return debate.updates

    first, second = await run(), await run()
    assert first == second
    assert [item.kind for update in first for item in update.items][-1] is SpokenKind.CLOSING


async def test_a_model_that_reads_the_same_words_tells_nothing_again() -> None:
    reads = ReadClaim(
        kind=ReadKind.LEADING,
        holder="cardiologist",
        stance=ReadStance.AFFIRMED,
        say="Giant cell arteritis fits everything.",
        slots={"entity": "giant cell arteritis"},
    )
    debate = Debate(with_claims(("giant", reads)))
    await debate.turn("cardiologist", FITS, (StatedKind.LEADING, "giant cell arteritis", FITS))
    await debate.closing()
    assert len([text for text in debate.texts if "giant cell" in text.lower()]) == 2  # told, and the closing


@pytest.mark.parametrize(
    ("ruling", "closing"),
    [
        (
            "By majority vote the final answer is (A) Acute pulmonary embolism.",
            "Finished. Acute pulmonary embolism, the decision by the moderator.",
        ),
        (
            '{"reasoning": "two of three", "answer": "B) Acute pulmonary embolism"}',
            "Finished. Acute pulmonary embolism, by the moderator.",
        ),
    ],
)
async def test_what_whoever_chairs_rules_in_prose_or_json_closes_without_the_options_letter(
    ruling: str, closing: str
) -> None:
    debate = Debate()
    await debate.turn("cardiologist", "My leading diagnosis is pulmonary embolism.")
    await debate.turn("radiologist", "My leading diagnosis is aortic dissection.")
    await debate.turn("moderator", ruling)
    assert await debate.closing() == closing


async def test_an_option_is_read_as_words_and_never_as_a_letter() -> None:
    debate = Debate()
    words = "Answer: (B) Digoxin toxicity"
    await debate.turn("moderator", words, (StatedKind.FINAL, "(B) Digoxin toxicity", words))
    assert await debate.closing() == "Finished. Digoxin toxicity, the decision by the moderator."
    assert not any("(B)" in text or "b)" in text for text in debate.texts)


async def test_a_name_in_the_middle_of_a_sentence_has_no_capital_of_its_own() -> None:
    debate = Debate()
    await debate.turn("cardiologist", "My leading diagnosis is pulmonary embolism.")
    await debate.turn("radiologist", "My leading diagnosis is aortic dissection.")
    await debate.turn("internal_medicine", "My leading diagnosis is pulmonary embolism.")
    said = next(text for text in debate.texts if "sides with" in text)
    assert said.startswith("Internal medicine sides with the cardiologist")


async def test_a_flood_of_decisions_is_bounded_in_what_is_told_and_noted() -> None:
    debate = Debate()
    await debate.says("doctor0", "I have begun to look at it.")
    for at in range(200):
        await debate.states("doctor0", StatedKind.ORDER, f"Give drug {at}", f"words {at} that nobody said")
    await debate.ends("doctor0")
    await debate.closing()
    assert max(len(update.dropped) for update in debate.updates) <= 64
    assert len([text for text in debate.texts if text.startswith("The team reports")]) == 8


FORM = """The ECG shows diffuse ST elevation.

### Most Likely Diagnosis
**Acute pericarditis** - given diffuse ST elevation and a friction rub.

### Immediate Actions
- Give colchicine 0.5 mg twice daily.

### Contraindications
- Ibuprofen, with this creatinine.
"""


async def test_the_form_that_our_own_teams_write_is_told_once_and_nothing_of_it_is_refused_wrongly() -> None:
    plain, debate = Debate(), Debate()
    await plain.turn("cardiologist", FORM)
    await debate.turn(
        "cardiologist",
        FORM,
        (
            *(StatedKind.LEADING, "Acute pericarditis"),
            "**Acute pericarditis** - given diffuse ST elevation and a friction rub.",
        ),
        (StatedKind.ORDER, "Give colchicine 0.5 mg twice daily.", "Give colchicine 0.5 mg twice daily."),
        (StatedKind.PROHIBITION, "Ibuprofen, with this creatinine.", "Ibuprofen, with this creatinine."),
    )
    assert debate.texts == plain.texts and len(debate.texts) == 4
    await debate.closing()
    assert debate.refused[:2] == ["told by rule", "told by rule"]
