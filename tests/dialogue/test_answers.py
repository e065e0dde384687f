"""What is answered, by what was asked."""

from __future__ import annotations

import pytest

from agents.dialogue.compose import slots
from agents.dialogue.facts import FactKind
from agents.dialogue.look_up import FactGroup
from agents.dialogue.meaning import asked_in
from agents.dialogue.paper_facts import paper_facts
from agents.dialogue.slots import says_of
from agents.dialogue.values import MOST_WORDS
from agents.dialogue.vocabulary import known_vocabulary
from exaim_core import CasePaper
from tests.dialogue.asking import Asking, at, board_of, held, sources
from tests.dialogue.scoring import paper_of

NOTHING = "that is not a no."


@pytest.mark.parametrize(
    ("question", "kind", "parts"),
    [
        ("What's the potassium?", "fact", ["6.9 mmol/L at 08:50", "6.1 mmol/L at 08:05, sample haemolysed"]),
        ("Is she on bisoprolol?", "fact", ["bisoprolol 5 mg, oral, once daily", "hold"]),
        ("How old is she?", "fact", ["74 years"]),
        ("what does the ECG show", "fact", ["at 08:45", "QRS 152 ms", "QRS 96 ms in 2025"]),
        ("why did they hold bisoprolol", "why", ["Doctor Two says", "feeding the slow heart rate"]),
        ("who wants salbutamol", "who", ["Doctor Zero"]),
        ("how much insulin", "how_much", ["10 units with 25 g glucose"]),
        ("what do they think it is", "view", ["all three lead with prerenal acute kidney injury"]),
        (
            "did anyone change their mind",
            "changed",
            ["Doctor One held obstructive uropathy", "has changed to"],
        ),
        ("what comes first", "first", ["calcium gluconate, then insulin with glucose", "the supervisor"]),
        ("what tests do they want", "tests", ["ECG after calcium", "the supervisor"]),
        ("how do we treat this", "actions", ["calcium gluconate 10%, 30 mL"]),
        ("what should we avoid", "forbidden", ["penicillin, anaphylaxis in 2009"]),
        ("what else could it be", "others", ["acute tubular necrosis"]),
        ("do they all agree", "decided", ["all three lead with"]),
        ("when would you dialyse", "condition", ["only if potassium stays above 6.5 mmol/L"]),
        ("how many medicines is she on", "count", ["eight medicines"]),
        ("anything critical", "critical", ["potassium 6.9 mmol/L"]),
        ("catch me up", "summary", ["all three lead with", "Critical, from Doctor Two"]),
        ("has the calcium been given", "done", ["I can't tell what has been ordered or given."]),
        ("is the potassium high", "fact", ["reference range 3.5 to 5.3"]),
        ("give her the calcium now", "order", ["I can't give orders and have passed nothing on."]),
        ("thank you", "small_talk", ["I answer questions about this case."]),
    ],
)
async def test_a_question_is_answered_with_its_facts(question: str, kind: str, parts: list[str]) -> None:
    asking = await at()
    answer = await asking.ask(question)
    assert answer.kind == kind
    for part in parts:
        assert part in answer.text, (part, answer.text)
    assert len(answer.text.split()) <= (80 if kind == "forbidden" else MOST_WORDS)
    assert answer.text == " ".join(sentence.text for sentence in answer.sentences)


async def test_an_answer_opens_with_the_topic_and_names_its_source() -> None:
    asking = await at()
    answer = await asking.ask("any allergies?")
    assert answer.text.startswith("On the allergies: the case paper has penicillin, anaphylaxis in 2009.")
    assert sources(answer)[0] == "case paper: allergies"
    assert (answer.topic, answer.found) == ("allergies", True)


async def test_a_drug_is_looked_up_under_its_class_and_its_kin_under_the_allergy() -> None:
    asking = await at()
    assert "bisoprolol 5 mg" in (await asking.ask("is she on beta blockers")).text
    answer = await asking.ask("can she have flucloxacillin")
    assert answer.text.startswith("On flucloxacillin: the case paper has an allergy: penicillin, anaphylaxis")


async def test_what_is_absent_is_no_denial_and_unknown_words_are_not_read_back() -> None:
    asking = await at()
    answer = await asking.ask("is she on warfarin")
    assert (answer.text, answer.found) == (f"I have nothing on warfarin; {NOTHING}", False)
    for garbage in ("what about the flurble", "blah wibble wobble", "what is the weather in Paris"):
        assert (await asking.ask(garbage)).text == f"I have nothing on that; {NOTHING}"
    answer = await asking.ask("is she allergic to latex")
    assert answer.text.startswith(f"I have nothing on latex; {NOTHING} On the allergies: ")


async def test_no_allergy_on_record_is_told_as_recorded_and_an_empty_list_is_no_denial() -> None:
    nothing = Asking(None, CasePaper(case_id="x"))
    assert (await nothing.ask("any allergies")).text == f"I have nothing on allergies; {NOTHING}"
    paper = CasePaper.model_validate({"case_id": "x", "allergies": [{"substance": "none known"}]})
    recorded = Asking(None, paper)
    assert (await recorded.ask("any allergies")).text == "On the allergies: the case paper has none known."


async def test_without_a_paper_and_a_board_everything_is_nothing_found() -> None:
    asking = Asking(None, None)
    for question in ("potassium", "what do they think", "what tests", "why", "who", "anything critical"):
        answer = await asking.ask(question)
        assert not answer.found and answer.text.endswith(NOTHING), answer.text


async def test_a_doctor_who_has_not_spoken_is_told_as_such() -> None:
    asking = await at(20.0)
    assert (await asking.ask("What did Doctor Two say?")).text == "Doctor Two has not spoken here so far."


async def test_a_follow_up_keeps_the_topic_or_the_kind_of_question() -> None:
    asking = await at()
    await asking.ask("is she getting salbutamol")
    assert "salbutamol 10 mg nebulised" in (await asking.ask("and the dose?")).text
    answer = await asking.ask("and the insulin?")
    assert answer.kind == "how_much" and "10 units" in answer.text


async def test_a_bare_question_is_about_the_held_item() -> None:
    asking = await at()
    await asking.ask("what is the sodium")
    hold = held("Caution, Doctor Two: hold bisoprolol.", "caution", "doctor2", topic="bisoprolol")
    assert "feeding the slow heart rate" in (await asking.ask("why?", hold)).text
    assert "Doctor Two" in (await asking.ask("who?", hold)).text
    insulin = held(
        "Doctor Zero recommends soluble insulin 10 units with 25 g glucose intravenously over 15 minutes.",
        "action",
        "doctor0",
    )
    assert "10 units" in (await asking.ask("how much?", insulin)).text
    answer = await asking.ask("sorry?", hold)
    assert (answer.text, answer.kind, answer.found) == (hold.text, "repeat", True)


async def test_a_bare_question_with_nothing_before_it_says_so() -> None:
    asking = await at()
    assert (await asking.ask("how much?")).text == f"I have nothing on that; {NOTHING}"


async def test_a_changed_view_is_told_as_changed_and_a_withdrawn_one_never_as_current() -> None:
    lead = "### Most Likely Diagnosis:\n**Left ureteric obstruction** - flank ache and a stone on the left.\n"
    withdrawn = "### Revised Opinion:\nI withdraw left ureteric obstruction as the leading diagnosis.\n"
    asking = Asking(await board_of(("doctor1", lead)), None)
    assert "Doctor One leads with left ureteric obstruction" in (await asking.ask("what do they think")).text
    asking.board = await board_of(("doctor1", lead), ("doctor1", withdrawn))
    answer = await asking.ask("what do they think")
    assert "Doctor One has withdrawn left ureteric obstruction" in answer.text
    assert "leads with" not in answer.text and "stone on the left" not in answer.text
    now = "### Most Likely Diagnosis:\n**Prerenal acute kidney injury** - because of the vomiting.\n"
    asking.board = await board_of(("doctor1", lead), ("doctor1", withdrawn), ("doctor1", now))
    answer = await asking.ask("is it obstruction")
    assert "Doctor One held left ureteric obstruction, and has changed to prerenal" in answer.text
    assert "stone on the left" not in answer.text


async def test_a_recommendation_is_told_with_its_condition_or_points_to_the_page() -> None:
    short = "### Treatment:\n1. **Aztreonam 2 g once** - only if she becomes febrile.\n"
    asking = Asking(await board_of(("doctor2", short)), None)
    assert "only if she becomes febrile" in (await asking.ask("what about aztreonam")).text
    words = " and ".join(
        f"the {word} culture is positive"
        for word in ("first", "second", "third", "fourth", "fifth", "sixth", "last")
    )
    asking.board = await board_of(
        ("doctor2", f"### Treatment:\n1. **Aztreonam 2 g once** - only if {words}.\n")
    )
    answer = await asking.ask("what about aztreonam")
    assert "conditional recommendation" in answer.text and "is on the page" in answer.text
    assert "2 g" not in answer.text


async def test_a_consideration_is_not_told_as_a_recommendation() -> None:
    asking = Asking(
        await board_of(("doctor0", "### Treatment:\n- Consider giving hydrocortisone 100 mg.\n")), None
    )
    answer = await asking.ask("what about hydrocortisone")
    assert "recommends" not in answer.text


async def test_what_was_given_or_ordered_is_never_told() -> None:
    asking = await at()
    for question in (
        "was enoxaparin given",
        "have antibiotics been started",
        "did they order a CT",
        "is the insulin in",
    ):
        text = (await asking.ask(question)).text.lower()
        assert "has been given in hospital" not in text and "was given" not in text, text
    said = "### Treatment:\nCalcium gluconate 30 mL has been given and the renal team was called.\n"
    asking = Asking(await board_of(("doctor2", said)), None)
    for question in ("calcium gluconate", "was the renal team called", "what did doctor two say"):
        assert "has been given and" not in (await asking.ask(question)).text


async def test_a_value_that_was_said_after_the_record_comes_first() -> None:
    paper = paper_of("hyperkalaemia")
    board = await board_of(
        ("doctor2", "### Critical Finding:\nBlood pressure in the right arm is 76/52 mmHg.\n")
    )
    answer = await Asking(board, paper).ask("what is her blood pressure")
    assert answer.text.index("76/52 mmHg") < answer.text.index("92 mmHg")


async def test_two_names_that_are_equally_near_are_asked_about() -> None:
    paper = CasePaper.model_validate(
        {"case_id": "x", "medication": [{"drug": "hydroxyzine"}, {"drug": "hydralazine"}]}
    )
    answer = await Asking(None, paper).ask("is she on hydroxalazine")
    assert (answer.text, answer.found) == ("Did you mean hydralazine or hydroxyzine?", False)
    assert "lists hydralazine" in (await Asking(None, paper).ask("hydralozine")).text


async def test_what_must_not_be_given_is_answered_from_every_ban_and_never_from_a_mention() -> None:
    orders = "### Treatment:\n1. **Salbutamol 10 mg** - by nebuliser.\n"
    caution = "### Caution:\nAvoid gentamicin, because of the kidneys.\n"
    bans = "Stop metformin and ibuprofen.\nNo apixaban until the scan is read.\n"
    allergy = "She has a penicillin allergy with anaphylaxis.\n"
    said = (("doctor1", orders + caution), ("doctor2", allergy + bans))
    answer = await Asking(await board_of(*said), None).ask("what must she not be given, all of it")
    text = answer.text.lower()
    for name in ("gentamicin", "penicillin", "metformin", "ibuprofen", "apixaban until the scan is read"):
        assert name in text, (name, text)
    assert "salbutamol" not in text and "because of the kidneys" not in text


async def test_what_does_not_fit_of_the_bans_is_counted_and_told_on_request() -> None:
    drugs = ("gentamicin", "metformin", "ibuprofen", "ramipril", "bisoprolol", "spironolactone", "digoxin")
    lines = "".join(
        f"Do not give {drug} until the {k}th sample from the other laboratory is back and has been read.\n"
        for k, drug in enumerate(drugs, start=4)
    )
    asking = Asking(await board_of(("doctor1", lines)), None)
    answer = await asking.ask("what must not be given")
    assert answer.text.endswith("more on the page.")
    first = [drug for drug in drugs if drug in answer.text]
    more = (await asking.ask("tell me more")).text
    assert [drug for drug in drugs if drug in more] and not any(drug in more for drug in first)


async def test_a_question_to_somebody_who_is_not_there_says_so() -> None:
    asking = await at()
    for question, said in (
        ("What does the surgeon think?", "The surgeon has not spoken here so far."),
        ("what was the anaesthetist's opinion on it", "The anaesthetist has not spoken here so far."),
        ("and doctor meyer, what does she say", "Doctor Meyer has not spoken here so far."),
    ):
        answer = await asking.ask(question)
        assert (answer.text, answer.found) == (said, False)


async def test_a_sentence_is_quoted_where_no_typed_answer_holds_the_question() -> None:
    said = ("reg_2", "Gent with Cr 214? I would leave it alone. Stent only, no sphincterotomy with plts 94.")
    asking = Asking(await board_of(said), None)
    assert "no sphincterotomy with plts 94" in (await asking.ask("sphincterotomy?")).text
    assert not (await asking.ask("what was her magnesium")).found


async def test_what_was_given_up_is_told_as_given_up() -> None:
    lead = "### Most Likely Diagnosis:\n**Left ureteric obstruction** - the flank is tense and swollen.\n"
    gone = "### Revised Opinion:\nI withdraw left ureteric obstruction as the leading diagnosis.\n"
    asking = Asking(await board_of(("doctor1", lead), ("doctor1", gone)), None)
    answer = await asking.ask("was the flank ever tense and swollen")
    assert "said before, and not since" in answer.text


async def test_a_question_about_one_drug_is_no_question_about_all_that_is_forbidden() -> None:
    stop = ("doctor1", "Stop the labetalol if the systolic pressure goes below 90 mmHg.")
    asking = Asking(await board_of(stop, ("doctor2", "Do not give ticagrelor.")), None)
    answer = await asking.ask("labetalol going, at what pressure do i switch it off")
    assert "below 90 mmHg" in answer.text and "ticagrelor" not in answer.text


async def test_the_list_of_bans_holds_what_is_done_with_a_patient_and_no_finding_that_is_denied() -> None:
    said = (
        ("anaesthesia", "No general anaesthetic. No supine position, no muscle relaxant."),
        ("radiology", "No pleural effusion, no free air. Nobody lays her flat for the scan."),
        ("nurse", "HDU; no bicarb. Lithium stays out until the level is back. He should not drive."),
        ("surgeon", "Iron to be stopped today. Do not delay the scan."),
    )
    text = (await Asking(await board_of(*said), None).ask("list what he mustnt get")).text.lower()
    for name in ("anaesthetic", "supine", "relaxant", "flat", "bicarb", "lithium", "drive", "iron"):
        assert name in text, (name, text)
    for name in ("effusion", "free air", "hdu", "delay"):
        assert name not in text, (name, text)


def test_a_number_of_another_drug_is_no_dose() -> None:
    asks = "magnesium dose"
    about = asked_in(asks)[:1]
    other = "Labetalol 20 mg if needed; no magnesium top-ups without reflexes."
    assert says_of(asks, "Magnesium sulfate 4 g over 15 minutes.", about, value=False) is True
    assert says_of(asks, other, about, value=False) is False
    assert says_of("who wants magnesium", other, about, value=False) is None


def test_an_aim_is_no_value() -> None:
    about = asked_in("ketones")
    assert says_of("ketones", "Ketones 6.4 at nine.", about, value=True) is True
    assert says_of("ketones", "You want ketones falling by 0.5 an hour.", about, value=True) is False


async def test_the_reason_is_told_that_was_said_in_the_next_sentence() -> None:
    said = "No muscle relaxant. If he goes paralysed, a tube will not pass the carina."
    answer = await Asking(await board_of(("doctor1", said)), None).ask("why no muscle relaxant")
    assert "will not pass the carina" in answer.text


async def test_another_reaction_is_no_allergy() -> None:
    asking = Asking(await board_of(("doctor1", "A sarcoid-like reaction would give the same biopsy.")), None)
    answer = await asking.ask("is she allergic to anything")
    assert not answer.found and "sarcoid" not in answer.text


async def test_where_somebody_goes_is_asked_of_the_whole_case() -> None:
    said = ("doctor1", "Her leg is swollen. She goes to HDU tonight, and tell your consultant.")
    assert "HDU tonight" in (await Asking(await board_of(said), None).ask("where does she go")).text


async def test_nothing_is_announced_as_the_nearest_where_nothing_is_told() -> None:
    said = ("doctor1", "It looks as though empagliflozin was given yesterday and again today.")
    answer = await Asking(await board_of(said), None).ask("his flozin tonight, give or leave out")
    assert not answer.text.endswith("The nearest:")


async def test_of_two_values_only_the_older_one_is_told_as_before() -> None:
    for question in ("What's the potassium?", "what's her potassium right now?", "latest potassium please"):
        said = (await (await at()).ask(question)).text.lower()
        assert "before that, potassium 6.9" not in said, said
        assert "6.9 mmol/l at 08:50" in said, said


async def test_the_papers_words_are_told_once() -> None:
    said = (await (await at()).ask("Does she have diabetes?")).text
    assert said.count("type 2 diabetes") == 1, said


async def test_what_forbids_nothing_opens_no_list_of_what_must_not_be_given() -> None:
    for question in ("What must she not be given?", "what is she allergic to"):
        assert "nephritis" not in (await (await at()).ask(question)).text


def test_in_whatever_order_values_come_the_newest_is_told_first() -> None:
    values = [
        fact
        for fact in paper_facts(paper_of("hyperkalaemia"), known_vocabulary())
        if fact.told is FactKind.LAB and fact.name == "potassium" and fact.at
    ]
    for facts in (values, values[::-1]):
        first, second = slots([FactGroup("the potassium", tuple(facts))])
        assert first.fact.at == "at 08:50"
        assert second.wordings[0][0].startswith("before that, potassium 6.1")


async def test_a_relative_who_was_never_heard_has_not_spoken_and_what_names_him_is_told() -> None:
    board = await board_of(("coordinator", "The transfer is at six. Nobody has rung the husband yet."))
    answer = await Asking(board, None).ask("what does the husband say")
    assert answer.text.startswith("The husband has not spoken here so far."), answer.text
    assert "nobody has rung the husband" in answer.text.lower()
    assert (
        await Asking(board, None).ask("what does her daughter say")
    ).text == "Her daughter has not spoken here so far."


@pytest.mark.parametrize(
    "text",
    [
        "The husband says that she fell at six.",
        "The husband states that she fell at six.",
        "Her husband refuses the tube.",
        "The husband has decided against the tube.",
        "The husband, a lawyer, clearly prefers the ward.",
        "The husband's wish is the ward.",
    ],
)
async def test_a_relative_who_is_quoted_is_not_said_to_be_silent(text: str) -> None:
    board = await board_of(("nurse", text))
    assert "has not spoken" not in (await Asking(board, None).ask("what did the husband say")).text


@pytest.mark.parametrize(
    "text",
    [
        "Ring the husband at six.",
        "We wait for the husband, then decide.",
        "The letter to the husband needs a stamp.",
    ],
)
async def test_a_relative_of_whom_no_verb_is_said_has_not_spoken(text: str) -> None:
    board = await board_of(("nurse", text))
    assert "has not spoken" in (await Asking(board, None).ask("what did the husband say")).text


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("what does the pharmacy team say", "The renal team saw her."),
        ("what did the social worker say", "She is a farm worker."),
        ("what did the care home say", "She is for discharge home."),
    ],
)
async def test_behind_who_has_not_spoken_nobody_else_is_told(question: str, said: str) -> None:
    answer = await Asking(await board_of(("nurse", said)), None).ask(question)
    assert answer.text.endswith("has not spoken here so far."), answer.text


async def test_who_has_not_spoken_is_told_by_all_words_of_his_name_and_by_letters() -> None:
    board = await board_of(("nurse", "Call the care home. Ring the GP for the list."))
    assert "call the care home" in (await Asking(board, None).ask("what did the care home say")).text
    answer = await Asking(board, None).ask("what did the gp say")
    assert answer.text.startswith("The GP has not spoken here so far."), answer.text


async def test_a_question_of_allergies_goes_before_who_has_not_spoken() -> None:
    board = await board_of(("nurse", "She is allergic to penicillin."))
    answer = await Asking(board, None).ask("what did the gp say about allergies")
    assert "allergic to penicillin" in answer.text
    assert "has not spoken" not in answer.text


async def test_a_dietitian_is_a_person() -> None:
    board = await board_of(("lab", "Calcium is 2.34 mmol/L."))
    answer = await Asking(board, None).ask("what did the dietitian say about her calcium")
    assert answer.text == "The dietitian has not spoken here so far."
