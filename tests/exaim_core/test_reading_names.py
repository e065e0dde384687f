"""What a reader's wording names, and the cited sentence does not, is told with it, or the sentence is not told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from exaim_core import EXAIM, Delta
from exaim_core.readings.checking import Checked, check
from exaim_core.readings.port import ReadClaim, ReaderReply, ReadingRequest, ReadKind, ReadStance
from tests.exaim_core.test_reading_together import Scripted, asked, read

# (what was said, by whom; the wording; what it rests on; what comes before it; what it is about) -> what is told
OWN: list[tuple[tuple[tuple[str, str], ...], ReadClaim, str]] = [
    (
        (("mira", "Fondaparinux?"), ("mira", "Can't be turned off once it runs.")),
        read("Fondaparinux can't be stopped once running.", 2, before=(1,), entity="fondaparinux"),
        "Fondaparinux: can't be turned off once it runs.",
    ),
    (
        (
            (
                "mira",
                "Someone wrote up alteplase 10 mg and then 90 mg, and I had her frontal lobe in my hands last week.",
            ),
            ("mira", "Absolutely not, and not half of it."),
        ),
        replace(
            read("No alteplase after surgery last week.", 1, 2, entity="alteplase"), kind=ReadKind.PROHIBITION
        ),
        "Alteplase: absolutely not, and not half of it.",
    ),
]
LED: list[tuple[tuple[tuple[str, str], ...], ReadClaim, str]] = [
    (
        (("tom", "Insulin runs at 2.8 units an hour."), ("mira", "Half of it, then 1.4.")),
        read("Insulin halved, then 1.4.", 2, before=(1,)),
        "Insulin runs at 2.8 units an hour.",
    ),
    (
        (("tom", "Lipid total is 780 mL."), ("mira", "Second bag from theatre 3.")),
        read("Second lipid bag from theatre 3 now.", 2, before=(1,), entity="second bag"),
        "Lipid total is 780 mL.",
    ),
    (
        (("tom", "The anti-Xa level is not back."), ("mira", "Don't wait for the result.")),
        read("Don't wait for the anti-Xa.", 2, before=(1,)),
        "The anti-Xa level is not back.",
    ),
]
NOT_NAMED: list[tuple[tuple[tuple[str, str], ...], ReadClaim]] = [
    (
        (
            ("tom", "She has the magnesium running at 2 g an hour."),
            ("mira", "Halve the rate and send a level."),
        ),
        read("Halve the magnesium rate, send a level.", 2),
    ),
    (
        (("tom", "He takes metformin 1 g twice daily."), ("mira", "Level sent, back in days.")),
        read("Metformin level sent, back in days.", 2, entity="level"),
    ),
    (
        (
            ("mira", "Three bags of red cells are in question."),
            ("tom", "The list says so."),
            ("mira", "None goes out."),
        ),
        read("No red cells go out.", 3),
    ),
]
NAMED: list[tuple[tuple[tuple[str, str], ...], ReadClaim]] = [
    # the reader adds what nobody said before: nothing shows that the sentence lacks it
    (
        (("tom", "She is worse."), ("mira", "Give salbutamol 5 mg by mask.")),
        read("Give nebulised salbutamol.", 2),
    ),
    # its wording passes
    ((("tom", "Ramipril is on."), ("mira", "Stop the ramipril today.")), read("Stop the ramipril today.", 2)),
    # no wording at all
    ((("tom", "Ramipril is on."), ("mira", "Stop all of these today.")), read("", 2)),
]


NO_LABEL: list[tuple[tuple[tuple[str, str], ...], ReadClaim]] = [
    (
        (("mira", "No heparin for him."), ("mira", "Run it at 5 an hour.")),
        read("Heparin at 5 an hour.", 2, before=(1,), entity="heparin"),
    ),
    (
        (("mira", "His brother takes warfarin."), ("mira", "Reverse it now.")),
        read("Reverse the warfarin now.", 2, before=(1,), entity="warfarin"),
    ),
    (
        (("mira", "Heparin is running."), ("mira", "Aspirin was given."), ("mira", "Stop it now.")),
        read("Stop the heparin now.", 3, before=(1,), entity="heparin"),
    ),
    (
        (("mira", "Left or right drain?"), ("mira", "Pull it out now.")),
        read("Pull the left out now.", 2, before=(1,), entity="left"),
    ),
]


@pytest.mark.parametrize(("said", "claim"), NO_LABEL)
def test_what_is_denied_of_somebody_else_or_no_thing_is_no_label(
    said: tuple[tuple[str, str], ...], claim: ReadClaim
) -> None:
    found, _ = check(claim, asked(*said))
    entity = claim.slots["entity"]
    label = isinstance(found, Checked) and found.quote.lower().startswith(f"{entity}:")
    assert not label and not (isinstance(found, Checked) and found.typed)


def test_a_sign_is_no_dash() -> None:
    said = (("mira", "Base excess?"), ("mira", "-12 and falling."))
    found, _ = check(read("Base excess −12 and falling.", 2, before=(1,), entity="base excess"), asked(*said))
    assert not isinstance(found, Checked) or "-12" in found.quote


def test_what_was_said_before_is_never_quoted_in_the_place_of_what_was_said() -> None:
    said = (("mira", "Adrenaline."), ("mira", "1 mg IV."), ("mira", "Sorry, 50 micrograms IV."))
    claim = read("Corrects adrenaline 1 mg to 50 micrograms.", 3, before=(1, 2), entity="adrenaline")
    found, _ = check(claim, asked(*said))
    assert isinstance(found, Checked) and "1 mg" not in found.quote and "50 micrograms" in found.quote


@pytest.mark.parametrize(("said", "claim", "told"), OWN)
def test_a_speakers_own_sentence_before_it_names_what_it_is_about(
    said: tuple[tuple[str, str], ...], claim: ReadClaim, told: str
) -> None:
    found, _ = check(claim, asked(*said))
    assert isinstance(found, Checked) and not found.unnamed
    assert (found.wording or found.quote).rstrip(".") == told.rstrip(".")


@pytest.mark.parametrize(("said", "claim", "lead"), LED)
def test_what_a_wording_takes_from_the_sentence_before_is_told_before_it(
    said: tuple[tuple[str, str], ...], claim: ReadClaim, lead: str
) -> None:
    found, _ = check(claim, asked(*said))
    assert isinstance(found, Checked) and found.behind is not None and not found.unnamed
    assert (found.behind[1], found.wording) == (lead, "")


NEAREST: list[tuple[tuple[tuple[str, str], ...], ReadClaim, str]] = [
    (
        (
            ("tom", "Has he had the terlipressin?"),
            ("tom", "It's drawn up."),
            ("mira", "Bin it, not with that ECG."),
        ),
        read("Bin the terlipressin, not with that ECG.", 3, entity="terlipressin"),
        "Has he had the terlipressin?",
    ),
    (
        (("tom", "Salbutamol neb 20 mg?"), ("mira", "Half of that then.")),
        read("Half of that then.", 2, entity="salbutamol neb"),
        "Salbutamol neb 20 mg?",
    ),
    (
        (("tom", "The potassium is 6.9."), ("tom", "She looks grey."), ("mira", "Repeat that one now.")),
        read("Repeat the potassium now.", 3, entity="potassium"),
        "The potassium is 6.9.",
    ),
]
NOT_NEAREST: list[tuple[tuple[tuple[str, str], ...], ReadClaim]] = [
    (
        (
            ("tom", "He is on tacrolimus."),
            ("tom", "Clarithromycin ended Friday."),
            ("mira", "4 mg twice daily down to 3."),
        ),
        read("Tacrolimus 4 mg twice daily down to 3.", 3, entity="tacrolimus"),
    ),
    (
        (("tom", "Ramipril and spironolactone are written up."), ("mira", "Stop it today.")),
        read("Stop ramipril today.", 2, entity="ramipril"),
    ),
    (
        (("tom", "Potassium 5.8."), ("tom", "Sodium 118."), ("mira", "Send another one of those.")),
        read("Send another potassium.", 3, entity="potassium"),
    ),
]


@pytest.mark.parametrize(("said", "claim", "lead"), NEAREST)
def test_a_thing_that_was_named_last_is_told_though_it_was_not_cited(
    said: tuple[tuple[str, str], ...], claim: ReadClaim, lead: str
) -> None:
    found, _ = check(claim, asked(*said))
    assert isinstance(found, Checked) and found.behind is not None and not found.unnamed
    assert found.behind[1] == lead and not found.typed


@pytest.mark.parametrize(("said", "claim"), NOT_NEAREST)
def test_a_thing_that_may_be_another_is_not_told(said: tuple[tuple[str, str], ...], claim: ReadClaim) -> None:
    found, _ = check(claim, asked(*said))
    assert isinstance(found, Checked) and found.unnamed and found.behind is None and not found.typed


@pytest.mark.parametrize(("said", "claim"), NOT_NAMED)
def test_what_a_wording_takes_from_elsewhere_is_missing_in_its_sentence(
    said: tuple[tuple[str, str], ...], claim: ReadClaim
) -> None:
    found, _ = check(claim, asked(*said))
    assert isinstance(found, Checked) and found.unnamed and found.quote


@pytest.mark.parametrize(("said", "claim"), NAMED)
def test_nothing_is_missing_where_nobody_named_it(
    said: tuple[tuple[str, str], ...], claim: ReadClaim
) -> None:
    found, _ = check(claim, asked(*said))
    assert isinstance(found, Checked) and not found.unnamed and found.behind is None


@pytest.mark.parametrize(("kind", "spoken"), [(ReadKind.TEST, False), (ReadKind.PROHIBITION, True)])
async def test_what_lacks_its_thing_stands_on_the_page_and_is_said_only_if_it_presses(
    kind: ReadKind, spoken: bool
) -> None:
    words = "Send nothing out before the level is back." if spoken else "Level sent, back in two days."

    def answer(request: ReadingRequest) -> ReaderReply:
        at = next((each.number for each in request.sentences if words in each.text and each.new), 0)
        say = (
            "Send no metformin out before the level." if spoken else "Metformin level sent, back in two days."
        )
        claim = ReadClaim(kind=kind, holder="mira", stance=ReadStance.AFFIRMED, say=say, cites=(at,))
        return ReaderReply((claim,) if at else ())

    exaim = EXAIM(reader=Scripted(answer))
    updates = await exaim.feed(Delta("tom", "He takes metformin 1 g twice daily.\n", 1, 0.0))
    updates += await exaim.turn_end("tom", 2, 1.0)
    updates += await exaim.feed(Delta("mira", f"{words}\n", 3, 2.0))
    updates += await exaim.turn_end("mira", 4, 3.0)
    updates += await exaim.finish(60.0)
    said = " ".join(item.text for update in updates for item in update.items).lower()
    page = " ".join(" ".join(update.summary.model_dump().values()) for update in updates).lower()
    assert (words.rstrip(".").lower() in said) == spoken
    assert words.rstrip(".").lower() in page


async def test_a_sentence_that_only_names_a_thing_is_not_taken_as_read() -> None:
    """The rules still quote it: no claim was made of what it says."""
    first, second = "The aortic scan shows a tear down to the kidneys.", "Repeat it at eight."

    def answer(request: ReadingRequest) -> ReaderReply:
        numbers = {each.text: each.number for each in request.sentences}
        if second not in numbers:
            return ReaderReply(())
        claim = ReadClaim(
            kind=ReadKind.TEST,
            holder="mira",
            stance=ReadStance.AFFIRMED,
            slots={"entity": "scan"},
            say="Repeat the scan at eight.",
            cites=(numbers[second],),
        )
        return ReaderReply((claim,))

    exaim = EXAIM(reader=Scripted(answer))
    updates = await exaim.feed(Delta("mira", f"{first} {second}\n", 1, 0.0))
    updates += await exaim.turn_end("mira", 2, 1.0)
    updates += await exaim.finish(60.0)
    page = " ".join(" ".join(update.summary.model_dump().values()) for update in updates)
    assert "tear down to the kidneys" in page


def test_what_is_quoted_for_a_claim_is_its_own_sentence() -> None:
    said = (("mira", "Fondaparinux?"), ("mira", "Can't be turned off once it runs."))
    found, _ = check(
        read("Fondaparinux can't be stopped.", 2, before=(1,), entity="fondaparinux"), asked(*said)
    )
    assert isinstance(found, Checked)
    assert [each.number for each in found.cited] == [1, 2] and [each.number for each in found.own] == [2]
