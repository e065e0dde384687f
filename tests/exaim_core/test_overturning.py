"""What was asked for or forbidden, and told, is followed up where somebody refuses it, takes it back or allows it."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta, Update
from tests.exaim_core.talks import told

ORDER = "Start vasopressin 0.03 units/min now."
BAN = "No enoxaparin tonight, the drain is in."


async def followed_up(*turns: str) -> list[str]:
    """Return what is told as a correction."""
    return [item.text for item in await told(*turns) if item.kind == "correction"]


@pytest.mark.parametrize(
    "later",
    [
        "I object to vasopressin as the next step: hydrocortisone comes before it.",
        "Vasopressin withdrawn.",
        "The vasopressin can wait for the hydrocortisone.",
        "Vasopressin NOT verified as timed.",
        "I wouldn't use more vasopressin on that heart.",
    ],
)
async def test_an_order_that_is_refused_or_put_off_is_told_so_in_that_speakers_words(later: str) -> None:
    pressing = [item.text for item in await told(ORDER, later) if item.presses]

    assert any(text.lower().endswith(f"doctor two: {later.lower()}") for text in pressing)


@pytest.mark.parametrize(
    "later",
    [
        "Vasopressin is running at 0.03 units/min.",
        "If he bleeds, stop the vasopressin.",
        "I would not wait with vasopressin.",
        "Shall we stop the vasopressin?",
        "His brother was refused vasopressin.",
    ],
)
async def test_what_leaves_an_order_as_it_is_follows_nothing_up(later: str) -> None:
    assert await followed_up(ORDER, later) == []


async def test_a_ban_is_followed_up_where_it_is_allowed_after_all() -> None:
    assert await followed_up(BAN, "Enoxaparin is fine from six.") == [
        "Doctor Two: enoxaparin is fine from six."
    ]
    assert await followed_up(BAN, "Enoxaparin is a heparin.") == []


async def test_a_thing_is_followed_up_once() -> None:
    first, again = "Vasopressin NOT verified as timed.", "Vasopressin NOT verified, as I said."

    assert await followed_up(ORDER, first, again) == ["Doctor Two: vasopressin NOT verified as timed."]


async def test_a_withdrawal_beside_an_alarm_is_told() -> None:
    pressing = [
        item.text for item in await told(ORDER, "Potassium 6.9, vasopressin withdrawn.") if item.presses
    ]

    assert "Critical, from Doctor Two: potassium 6.9." in pressing
    assert any("vasopressin withdrawn" in text for text in pressing)


async def test_what_is_not_told_uses_no_order_up() -> None:
    history, refusal = "Vasopressin was stopped in the ambulance.", "Vasopressin withdrawn."

    assert await followed_up(ORDER, history, "Noted.", refusal) == ["Doctor Two: vasopressin withdrawn."]


async def test_a_refusal_said_again_after_its_turn_broke_off_is_told_again() -> None:
    exaim = EXAIM()
    await exaim.feed(Delta("doctor1", ORDER, 1, 1.0))
    await exaim.turn_end("doctor1", 2, 2.0)
    await exaim.feed(Delta("doctor2", "Vasopressin withdrawn.\n", 3, 3.0))
    await exaim.abort_turn("doctor2", 4, 4.0)
    updates = [
        await exaim.feed(Delta("doctor2", "Vasopressin withdrawn.\n", 5, 5.0)),
        await exaim.turn_end("doctor2", 6, 6.0),
    ]
    told_again = [item.text for each in updates for update in each for item in update.items]

    assert "Doctor Two: vasopressin withdrawn." in told_again


@pytest.mark.parametrize(
    "later",
    [
        "She wasn't given vasopressin in the ambulance.",
        "He did not have vasopressin at home.",
        "Her home vasopressin was stopped on admission.",
        "She didn't have vasopressin this morning, so start it.",
        "Vasopressin not given yet.",
        "Vasopressin is not given yet.",
        "He has had no vasopressin yet.",
        "Vasopressin stopped at home three days ago.",
        "He was never given vasopressin.",
    ],
)
async def test_what_was_so_before_overturns_nothing(later: str) -> None:
    assert await followed_up(ORDER, later) == []


@pytest.mark.parametrize(
    "later",
    [
        "Vasopressin is not contraindicated here.",
        "Vasopressin is not dangerous.",
        "We should not delay or omit vasopressin.",
        "Vasopressin later causes gut ischaemia.",
        "The pharmacist rejected vasopressin, but I overruled her.",
        "No vasopressin allergy.",
        "Vasopressin was not mistaken.",
    ],
)
async def test_what_denies_a_refusal_or_states_something_overturns_no_order(later: str) -> None:
    assert await followed_up(ORDER, later) == []


@pytest.mark.parametrize("later", ["Vasopressin withdrawn [5].", "Then no vasopressin yet."])
async def test_a_mark_or_a_yet_behind_it_turns_nothing_round(later: str) -> None:
    pressing = [item.text.lower() for item in await told(ORDER, later) if item.presses]

    assert any(text.endswith(later.lower()) for text in pressing)


async def test_what_follows_about_something_else_turns_nothing_round() -> None:
    later = "Vasopressin withdrawn, but keep the noradrenaline."

    assert await followed_up(ORDER, later) == [f"Doctor Two: {later[0].lower()}{later[1:]}"]


@pytest.mark.parametrize(
    "later",
    [
        "Nobody can have enoxaparin here.",
        "She may get enoxaparin toxicity.",
        "Enoxaparin was tolerated badly.",
        "Enoxaparin never safe here.",
        "The ban on enoxaparin is right.",
        "She did not stop enoxaparin.",
    ],
)
async def test_what_keeps_a_ban_or_states_something_allows_nothing(later: str) -> None:
    assert await followed_up(BAN, later) == []


@pytest.mark.parametrize(
    "later", ["She can have enoxaparin.", "The ban on enoxaparin is lifted.", "Enoxaparin can be restarted."]
)
async def test_what_allows_plainly_is_told(later: str) -> None:
    assert await followed_up(BAN, later) == [f"Doctor Two: {later[0].lower()}{later[1:]}"]


async def test_an_order_behind_a_refusal_that_is_told_short_is_told_too() -> None:
    because = (
        "because he is bleeding from the mouth and from the line sites and the drain, as the surgeons told us"
    )
    later = f"Heparin withdrawn; give protamine 50 mg IV now over ten minutes {because}."
    texts = [item.text for item in await told("Start heparin 5000 units IV now.", later)]

    assert "Doctor Two: heparin withdrawn." in texts
    assert any("give protamine 50 mg IV now" in text for text in texts)


THIAMINE = "Thiamine 300 mg iv now and three times a day."


@pytest.mark.parametrize(
    ("order", "later", "told_so"),
    [
        (ORDER, "Not that. He bled.", "On the vasopressin, Doctor Two: not that. He bled."),
        (ORDER, "No. He bled.", "On the vasopressin, Doctor Two: no. He bled."),
        (
            THIAMINE,
            "500 mg three times a day, not 300.",
            "On the thiamine, Doctor Two: 500 mg three times a day, not 300.",
        ),
        (THIAMINE, "Thiamine 500 mg, three times a day.", "Doctor Two: thiamine 500 mg, three times a day."),
        (
            f"{THIAMINE} OK?",
            "Not OK. She had it at six.",
            "On the thiamine, Doctor Two: not OK. She had it at six.",
        ),
        (
            "msg 3 · actions · re 2: Start three units of blood now.",
            "msg 4 · safety · BLOCKS 3: Nobody hangs those.",
            "On “start three units of blood now”, Doctor Two: nobody hangs those.",
        ),
    ],
)
async def test_an_answer_or_another_dose_is_told_with_what_it_is_about(
    order: str, later: str, told_so: str
) -> None:
    assert await followed_up(order, later) == [told_so]


@pytest.mark.parametrize(
    "later",
    [
        "No bleeding since noon.",
        "Agreed, no objection.",
        "Nobody answered.",
        "Thiamine 300 mg is in.",
        "If she worsens, thiamine 500 mg.",
        "Furosemide 40 mg, not 300.",
    ],
)
async def test_what_says_no_to_something_else_overturns_no_order(later: str) -> None:
    assert await followed_up(THIAMINE, later) == []


async def test_a_no_to_a_question_and_one_to_a_ban_overturn_nothing() -> None:
    assert await followed_up(f"{THIAMINE} Has she eaten anything today?", "No. Nothing since noon.") == []
    assert await followed_up(f"{THIAMINE} Lumbar puncture?", "Not now, not while she fits.") == []
    assert await followed_up(BAN, "No, of course.") == []


async def test_a_message_is_answered_by_its_number() -> None:
    [told_so] = await followed_up(
        "msg 1: Start vasopressin now.", "msg 2: Pulse 80.", "msg 3: Sats 97.", "re 1: No. He bled."
    )

    assert told_so == "On the vasopressin, Doctor Two: no. He bled."


async def test_what_a_speaker_takes_back_at_once_is_told_no_more() -> None:
    colchicine = (
        "Colchicine's ok, 500 micrograms twice a day. And no clarithromycin alongside. "
        "Hmm, with neutrophils 0.8 I'd rather not colchicine either for a day or two."
    )
    texts = [item.text for item in await told(colchicine)]

    assert not any("500 micrograms" in text for text in texts)
    assert any("rather not colchicine" in text for text in texts)
    assert any("no clarithromycin" in text.lower() for text in texts)


async def test_a_dose_that_is_answered_by_another_is_told_and_its_order_taken_back() -> None:
    exaim, updates = EXAIM(), list[Update]()
    for number, text in enumerate((THIAMINE, "500 mg three times a day, not 300.")):
        updates += await exaim.feed(Delta(f"doctor{number}", text, 2 * number + 1, 10.0 * number))
        updates += await exaim.turn_end(f"doctor{number}", 2 * number + 2, 10.0 * number + 1)

    assert [item.kind for update in updates for item in update.items] == ["action", "correction"]
    first = next(item for update in updates for item in update.items)
    assert [each for update in updates for each in update.withdraws] == [first.item_id]


async def test_what_its_speaker_asks_about_is_told_as_a_question() -> None:
    texts = [item.text for item in await told("I told him on the phone to stop the amiodarone tonight. OK?")]

    assert texts == ["Doctor One: I told him on the phone to stop the amiodarone tonight. OK?"]


async def test_that_something_is_not_to_be_said_is_no_caution() -> None:
    assert await told("Don't tell her the word dialysis, please. Interpreter, don't translate that.") == []


ASPIRIN = "Give aspirin 300 mg by mouth now."


@pytest.mark.parametrize(
    ("order", "later"),
    [
        *(
            (ASPIRIN, later)
            for later in (
                "Please don't delay.",
                "I wouldn't wait.",
                "I wouldn't hesitate.",
                "I can't agree more.",
                "Definitely not too late.",
                "Rather not wait for the scan.",
                "No, wait. Yes, give it.",
                "No, do it.",
                "No. I mean yes, go ahead.",
                "No. Ask the nurse. I mean yes, go ahead.",
                "No, she isn't allergic. Give it.",
                "No, nothing to add.",
                "No, the daughter is not here yet.",
                "Not that it matters, he had his last meal at noon.",
                "Not yet seen by surgery, but the CT is clean.",
                "Cancel that CT, we have one from this morning.",
                "I disagree with the radiologist's reading of the film.",
                "I object to nothing here.",
                "Then aspirin 75 mg daily.",
                "He is 60 years old, not 300.",
                "Not 300 minutes, now.",
            )
        ),
        ("Call the crash team.", "No, they are already here."),
        ("She has no allergies, has she", "No, none."),
        (f"{ASPIRIN} She has no allergies, has she", "No, none."),
        (f"{ASPIRIN} She has no allergies, has she", "No."),
        ("Give amiodarone 300 mg IV now.", "After that amiodarone 900 mg over 24 hours."),
        ("Give morphine 5 mg IV now.", "She has had morphine 10 mg already."),
        ("Give morphine 5 mg IV now.", "The maximum is morphine 20 mg in a day."),
        ("Give alteplase 60 mg IV now.", "The bolus of alteplase 6 mg goes first."),
        ("Start furosemide 40 mg IV now.", "I withdraw my objection to furosemide."),
        ("Start furosemide 40 mg IV now.", "I have no doubt, no hesitation about furosemide."),
        ("Give enoxaparin 40 mg tonight.", "She is 60 years old, not 40."),
        ("Give enoxaparin 40 mg tonight.", "Not 40 minutes, now."),
        ("Give clopidogrel 75 mg now. Give aspirin 300 mg now.", "No. He bled."),
        ("Give clopidogrel 75 mg now and call the surgeon.", "No. He bled."),
    ],
)
async def test_what_is_no_plain_refusal_of_one_order_follows_nothing_up(order: str, later: str) -> None:
    assert await followed_up(order, later) == []


CLOPIDOGREL = "Give clopidogrel 75 mg now."


@pytest.mark.parametrize(
    ("turns", "told_so"),
    [
        (
            (CLOPIDOGREL, ASPIRIN, f"> {CLOPIDOGREL}\nNo. He has a stroke history."),
            ["On the clopidogrel, Doctor One: no. He has a stroke history."],
        ),
        ((CLOPIDOGREL, ASPIRIN, "> Give ticagrelor 90 mg now.\nNo. He has a stroke history."), []),
        (
            (f"[m1] {CLOPIDOGREL}", f"[m2] {ASPIRIN}", "[m3 re m1] No. He bled."),
            ["On the clopidogrel, Doctor One: no. He bled."],
        ),
        ((f"[m1] {CLOPIDOGREL}", f"[m2] {ASPIRIN}", "[m3 re m7] No. He bled."), []),
        ((f"[m1] {CLOPIDOGREL}", f"[m2] {ASPIRIN}", "[m3 re m1, m2] No. He bled."), []),
        ((f"msg 1: {CLOPIDOGREL}", f"msg 2: {ASPIRIN}", "msg 3 re the scan: No. He bled."), []),
    ],
)
async def test_a_no_goes_to_the_order_that_is_meant_or_to_none(
    turns: tuple[str, ...], told_so: list[str]
) -> None:
    assert await followed_up(*turns) == told_so


async def test_an_order_that_is_asked_for_again_after_a_no_is_told_again() -> None:
    texts = [item.text for item in await told(ASPIRIN, "Not that.", ASPIRIN)]

    assert texts == [
        "Doctor One: give aspirin 300 mg by mouth now.",
        "On the aspirin, Doctor Two: not that.",
        "Doctor One: give aspirin 300 mg by mouth now.",
    ]


async def test_what_a_speaker_takes_back_without_its_name_is_told_behind_it() -> None:
    assert await followed_up("Give aspirin 300 mg now. Hm, no, stop it until then.") == [
        "On the aspirin, Doctor One: hm, no, stop it until then."
    ]
