"""The three tiers: who is asked what, in which order, how often, at what temperature."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agents.teams.mdagents.errors import NobodyLeft
from agents.teams.mdagents.outcome import By, Opinion, Outcome
from agents.teams.mdagents.settings import Settings, Tier
from agents.teams.mdagents.solving import solve
from chat_models.calls import CallLimits
from tests.mdagents.rehearsed import (
    Call,
    Rehearsed,
    Reply,
    TooMany,
    answer,
    experts,
    on_virtual_time,
    talk,
    work_on,
)

BASIC = Settings(tier=Tier.BASIC)
THREE = Settings(tier=Tier.INTERMEDIATE, experts=3)
TEAMS = Settings(tier=Tier.ADVANCED)
ROLES = ("Cardiologist", "Nephrologist", "Surgeon")


def solved(
    virtual: asyncio.Runner, settings: Settings, reply: Reply, **more: Any
) -> tuple[Outcome, Rehearsed]:
    model = Rehearsed(reply=reply)
    work = work_on(model, settings, **more)
    outcome, _ = on_virtual_time(virtual, solve(work))
    total = work.asker.ledger.total
    assert (total.input_tokens, total.output_tokens) == (model.told.input_tokens, model.told.output_tokens)
    assert total.calls + total.retries == len(model.told.calls)
    return outcome, model


def who(call: Call) -> str:
    """Return the expert's name in a question's instruction."""
    return next((role for role in ROLES if f"You are a {role.lower()}" in call.system), call.kind)


# -- M1, M2: adaptive ------------------------------------------------------------------------------


def test_a_model_says_how_difficult_a_case_is(virtual: asyncio.Runner) -> None:
    def reply(call: Call) -> Any:
        return {"tier": "not basic, advanced", "reason": "Two organs."} if call.kind == "tier" else None

    outcome, model = solved(virtual, Settings(), reply)
    assert (outcome.tier, outcome.assessed) == (Tier.ADVANCED, "Two organs.")
    assert [each.temperature for each in model.of_kind("tier")] == [0.0]


@pytest.mark.parametrize("said", ["I can't judge that.", {"tier": "hard"}, TooMany("no")])
def test_an_assessment_that_names_no_tier_is_intermediate_with_a_warning(
    virtual: asyncio.Runner, said: Any
) -> None:
    outcome, _ = solved(
        virtual,
        Settings(experts=2),
        lambda call: said if call.kind == "tier" else None,
        limits=CallLimits(tries=1),
    )
    assert outcome.tier is Tier.INTERMEDIATE
    assert any("intermediate is taken" in each for each in outcome.warnings)


def test_a_tier_that_is_set_costs_no_assessment(virtual: asyncio.Runner) -> None:
    _, model = solved(virtual, BASIC, lambda _: None)
    assert [each.kind for each in model.told.calls] == ["reasoning"]


# -- M3: basic -------------------------------------------------------------------------------------


def test_basic_tries_again_at_higher_temperatures(virtual: asyncio.Runner) -> None:
    replies = iter(["no JSON", answer("F"), answer("B")])
    outcome, model = solved(virtual, BASIC, lambda _: next(replies))
    assert (outcome.answer, outcome.words, outcome.by) == ("B", "Digoxin toxicity", By.AGENT)
    assert [each.temperature for each in model.told.calls] == [0.0, 0.3, 0.7]


def test_three_bad_replies_are_no_answer(virtual: asyncio.Runner) -> None:
    outcome, model = solved(virtual, BASIC, lambda _: "It could be anything.")
    assert (outcome.answer, outcome.by, len(model.told.calls)) == (None, By.NOBODY, 3)


def test_a_service_that_fails_is_no_answer_either(virtual: asyncio.Runner) -> None:
    with pytest.raises(NobodyLeft, match="rate_limited"):
        solved(virtual, BASIC, lambda _: TooMany("no"), limits=CallLimits(tries=2))


# -- M4 to M14: intermediate -----------------------------------------------------------------------


def debate(call: Call, talks: dict[tuple[str, int, int], dict[str, Any]], held: dict[str, list[str]]) -> Any:
    """Answer as experts who talk as `talks` says, by name, round and turn, and hold `held`, opinion by opinion."""
    if call.kind == "experts":
        return experts(*ROLES)
    if call.kind == "talk":
        for (name, round_, turn), said in talks.items():
            if who(call) == name and f"Round {round_}, turn {turn}." in call.question:
                return said
        return talk()
    if call.kind == "reasoning" and who(call) in held:
        number = sum('"answer"' in text for text in call.texts[2::2])
        return answer(held[who(call)][number], f"{who(call)} weighs {number}.")
    if call.kind == "reasoning":
        return answer("B", "The rings decide.")
    return None


def test_first_opinions_are_independent_and_asked_at_once(virtual: asyncio.Runner) -> None:
    held = {name: ["A"] for name in ROLES}
    model = Rehearsed(reply=lambda call: debate(call, {}, held), latency_s=1.0)
    outcome, took_s = on_virtual_time(virtual, solve(work_on(model, THREE)))
    first = model.of_kind("reasoning")[:3]
    assert len({each.at_s for each in first}) == 1
    assert not any("weighs" in each.question for each in first)
    assert all(each.temperature == 0.7 for each in first)
    # recruit, opinions, one turn in which nobody talks, moderator
    assert took_s == pytest.approx(4.0, rel=0.01)
    assert outcome.stopped == "nobody had anything to add"


def test_silence_from_the_start_leaves_the_moderator_the_first_opinions(virtual: asyncio.Runner) -> None:
    held = {"Cardiologist": ["A"], "Nephrologist": ["B"], "Surgeon": ["A"]}
    outcome, model = solved(virtual, THREE, lambda call: debate(call, {}, held))
    last = model.told.calls[-1]
    assert "Cardiologist weighs 0." in last.question and "Nephrologist weighs 0." in last.question
    assert "(A) Sepsis: 2; (B) Digoxin toxicity: 1" in last.question
    assert last.temperature == 0.0
    assert outcome.votes == {"A": 2, "B": 1}
    assert (outcome.answer, outcome.by, outcome.overruled) == ("B", By.MODERATOR, True)
    assert outcome.minority == {"cardiologist": "Sepsis", "surgeon": "Sepsis"}


def test_who_holds_the_answer_in_another_spelling_is_no_minority() -> None:
    held = {"one": Opinion("", "Sepsis"), "two": Opinion("", "sepsis."), "three": Opinion("", "Gout")}
    outcome = Outcome(tier=Tier.INTERMEDIATE, options={}, answer="Sepsis", opinions=[held])
    assert outcome.minority == {"three": "Gout"}


def test_a_message_is_read_before_the_next_decision(virtual: asyncio.Runner) -> None:
    talks = {("Cardiologist", 1, 1): talk(_2="Look at the rings."), ("Nephrologist", 1, 2): talk(_1="I did.")}
    held = {"Cardiologist": ["A", "A"], "Nephrologist": ["A", "B"], "Surgeon": ["A", "A"]}
    outcome, model = solved(
        virtual, Settings(tier=Tier.INTERMEDIATE, experts=3, rounds=1), lambda call: debate(call, talks, held)
    )
    turns = [each for each in model.of_kind("talk") if who(each) == "Nephrologist"]
    assert "Look at the rings." not in turns[0].question
    assert "From 1 (cardiologist): Look at the rings." in turns[1].question
    others = [each for each in model.of_kind("talk") if who(each) == "Surgeon"]
    assert not any("Look at the rings." in text for each in others for text in each.texts)
    assert [(each.turn, each.source, each.target) for each in outcome.interactions] == [(1, 1, 2), (2, 2, 1)]
    assert [{name: each.answer for name, each in at.items()} for at in outcome.opinions] == [
        {"cardiologist": "A", "nephrologist": "A", "surgeon": "A"},
        {"cardiologist": "A", "nephrologist": "B", "surgeon": "A"},
    ]


def test_summary_and_review_are_read_in_the_next_round(virtual: asyncio.Runner) -> None:
    talks = {("Surgeon", 1, 1): talk(_1="Why?")}
    held = {"Cardiologist": ["A", "A"], "Nephrologist": ["B", "B"], "Surgeon": ["C", "C"]}

    def reply(call: Call) -> Any:
        if call.kind == "key_knowledge":
            return {"key_knowledge": "Rings were seen.", "total_analysis": "Three views."}
        if call.kind == "feedback":
            return {"feedback": "Settle the rings."}
        return debate(call, talks, held)

    outcome, model = solved(virtual, THREE, reply)
    second = [each for each in model.of_kind("talk") if "Round 2, turn 1." in each.question]
    assert len(second) == 3
    for each in second:
        assert "Rings were seen." in each.question and "Settle the rings." in each.question
    assert "Key Knowledge: Rings were seen." in model.told.calls[-1].question
    assert outcome.reviews == ["Settle the rings."]
    assert [each.temperature for each in model.of_kind("feedback")] == [0.0]


def test_agreement_ends_the_debate_without_a_review(virtual: asyncio.Runner) -> None:
    talks = {("Surgeon", 1, 1): talk(_1="Why?")}
    held = {"Cardiologist": ["A", "B"], "Nephrologist": ["B", "B"], "Surgeon": ["C", "B"]}
    outcome, model = solved(virtual, THREE, lambda call: debate(call, talks, held))
    assert outcome.stopped == "all agree"
    assert not model.of_kind("feedback")


def test_two_rounds_without_a_change_end_it_and_so_does_the_last_round(virtual: asyncio.Runner) -> None:
    always = {("Surgeon", round_, 1): talk(_1="Why?") for round_ in range(1, 6)}
    held = {"Cardiologist": ["A"] * 6, "Nephrologist": ["B"] * 6, "Surgeon": ["C"] * 6}
    outcome, model = solved(virtual, THREE, lambda call: debate(call, always, held))
    assert (outcome.stopped, len(outcome.opinions)) == ("nobody changes any more", 3)

    changing = {**held, "Surgeon": ["C", "A", "C", "A", "C", "A"]}
    outcome, model = solved(virtual, THREE, lambda call: debate(call, always, changing))
    assert (outcome.stopped, len(outcome.opinions)) == ("the last round is over", 6)
    assert len(model.of_kind("feedback")) == 4


def test_a_round_has_five_turns_at_most(virtual: asyncio.Runner) -> None:
    always = {("Surgeon", 1, turn): talk(_1="Why?") for turn in range(1, 9)}
    held = {name: ["A", "A"] for name in ROLES}
    _, model = solved(virtual, THREE, lambda call: debate(call, always, held))
    assert len(model.of_kind("talk")) == 5 * 3


def test_an_expert_who_is_dead_all_along_is_named_and_done_without(virtual: asyncio.Runner) -> None:
    talks = {("Cardiologist", 1, 1): talk(_2="Are you there?", _3="And you?")}
    held = {"Cardiologist": ["A", "B"], "Surgeon": ["B", "B"]}

    def reply(call: Call) -> Any:
        return TooMany("no") if who(call) == "Nephrologist" else debate(call, talks, held)

    outcome, _ = solved(virtual, THREE, reply, limits=CallLimits(tries=2))
    assert outcome.failed == {"nephrologist": "rate_limited"}
    assert [each.target for each in outcome.interactions] == [3]
    assert any("who has failed" in each for each in outcome.warnings)
    assert outcome.answer == "B"


def test_when_nobody_is_left_there_is_no_answer(virtual: asyncio.Runner) -> None:
    def reply(call: Call) -> Any:
        return experts(*ROLES) if call.kind == "experts" else TooMany("no")

    with pytest.raises(NobodyLeft):
        solved(virtual, THREE, reply, limits=CallLimits(tries=1))


@pytest.mark.parametrize(("held", "answered", "by"), [("AAB", "A", By.VOTE), ("ABC", None, By.NOBODY)])
def test_where_the_moderator_cannot_be_read_more_than_half_decide_or_nobody(
    virtual: asyncio.Runner, held: str, answered: str | None, by: By
) -> None:
    each_held = {name: [letter] for name, letter in zip(ROLES, held, strict=True)}

    def reply(call: Call) -> Any:
        if "moderator of a team" in call.system:
            return "It is hard to say."
        return debate(call, {}, each_held)

    outcome, model = solved(virtual, THREE, reply)
    assert (outcome.answer, outcome.by) == (answered, by)
    rule = "follow them" if answered else "weigh the reasons"
    assert rule in model.told.calls[-1].question


def test_an_opinion_that_cannot_be_read_has_no_vote(virtual: asyncio.Runner) -> None:
    held = {"Cardiologist": ["Z"], "Nephrologist": ["B"], "Surgeon": ["B"]}
    outcome, _ = solved(virtual, THREE, lambda call: debate(call, {}, held))
    assert outcome.votes == {"B": 2}
    assert outcome.opinions[0]["cardiologist"].answer is None


@pytest.mark.parametrize(
    "listed", [[], ["Cardiologist"], [f"Specialist {'abcdefg'[at % 7]}{at}" for at in range(50)]]
)
def test_recruitment_gives_as_many_experts_as_are_set(virtual: asyncio.Runner, listed: list[str]) -> None:
    def reply(call: Call) -> Any:
        return experts(*listed) if call.kind == "experts" else None

    outcome, model = solved(virtual, Settings(tier=Tier.INTERMEDIATE), reply)
    assert len(outcome.experts) == 5
    assert len(model.of_kind("experts")) == (1 if listed else 2)


def test_experts_may_be_two_to_seven_and_may_come_in_prose(virtual: asyncio.Runner) -> None:
    prose = "\n".join(f"{at}. Specialist{'abcdefg'[at]} - knows - Hierarchy: Independent" for at in range(7))
    for size in (2, 7):
        outcome, _ = solved(
            virtual,
            Settings(tier=Tier.INTERMEDIATE, experts=size),
            lambda call: f"Sure:\n{prose}\nGood luck." if call.kind == "experts" else None,
        )
        assert [each.name for each in outcome.experts] == [f"specialist{'abcdefg'[at]}" for at in range(size)]


def test_messages_to_nobody_and_to_oneself_are_not_sent(virtual: asyncio.Runner) -> None:
    talks = {("Cardiologist", 1, 1): talk(_0="a", _1="b", _9="c")}
    held = {name: ["A"] for name in ROLES}
    outcome, _ = solved(virtual, THREE, lambda call: debate(call, talks, held))
    assert not outcome.interactions
    assert len([each for each in outcome.warnings if "not sent" in each]) == 3


# -- M15, M16: advanced ----------------------------------------------------------------------------


def test_teams_work_in_order_and_the_coordinator_reads_all(virtual: asyncio.Runner) -> None:
    def reply(call: Call) -> Any:
        if call.kind == "report" and "Write your team's report" in call.question:
            team = call.system.split("<team>\n")[1].split("\n")[0]
            return {"report": f"Report of the {team}.", "answer": "A"}
        return answer("A") if call.kind == "reasoning" else None

    model = Rehearsed(reply=reply, latency_s=1.0)
    settings = Settings(tier=Tier.ADVANCED, teams=4)
    outcome, took_s = on_virtual_time(virtual, solve(work_on(model, settings)))
    reports = [f"Report of the {each.name}." for each in outcome.teams]
    assert len(reports) == 4
    last = model.told.calls[-1]
    assert all(each in last.question for each in reports)
    assert last.temperature == 0.0 and outcome.by is By.COORDINATOR
    final = [each for each in model.told.calls if outcome.teams[-1].name in each.system]
    assert len(final) == 4  # asks, two report, one report of the team: once
    assert all(each in final[0].question for each in reports[:-1])
    assert (
        reports[0] in next(each for each in model.told.calls if outcome.teams[1].name in each.system).question
    )
    # recruit, three stages of three steps each (two teams at once in the second), coordinator
    assert took_s == pytest.approx(1 + 3 * 3 + 1, rel=0.01)
    assert len(model.told.calls) == 1 + 4 * 4 + 1


def test_the_recruiter_is_asked_again_for_a_team_that_is_missing(virtual: asyncio.Runner) -> None:
    member = [{"role": "Surgeon", "lead": True}]
    bad = {"teams": [{"name": "Wizards", "members": member}]}
    outcome, model = solved(virtual, TEAMS, lambda call: bad if call.kind == "teams" else None)
    assert len(model.of_kind("teams")) == 2
    assert [each.name for each in outcome.teams] == [
        "initial assessment team",
        "Wizards",
        "final review and decision team",
    ]
    assert [len(each.members) for each in outcome.teams] == [3, 3, 3]


def test_a_lead_that_fails_leaves_what_its_assistants_found(virtual: asyncio.Runner) -> None:
    def reply(call: Call) -> Any:
        if call.kind == "teams":
            return None
        if call.kind == "investigations" and "initial assessment" in call.system:
            return TooMany("no")
        return None

    outcome, _ = solved(virtual, TEAMS, reply, limits=CallLimits(tries=1))
    assert len(outcome.teams) == 3 and outcome.teams[0].answer is None and outcome.teams[0].findings
    assert list(outcome.failed.values()) == ["rate_limited"]
    assert outcome.answer is not None


# -- M17 to M20 ------------------------------------------------------------------------------------


def test_429_twice_then_an_answer_waits_as_told_and_counts_the_retries(virtual: asyncio.Runner) -> None:
    replies = iter([TooMany("a"), TooMany("b"), answer("B")])
    model = Rehearsed(reply=lambda _: next(replies))
    limits = CallLimits(deadline_s=300, tries=12, backoff_s=1.0, backoff_max_s=30.0)
    work = work_on(model, BASIC, limits=limits)
    outcome, took_s = on_virtual_time(virtual, solve(work))
    assert outcome.answer == "B"
    assert 3.0 <= took_s <= 4.5  # 1 s and 2 s, each with up to half of it more
    assert work.asker.ledger.total.retries == 2


def test_a_minute_of_429_is_waited_for(virtual: asyncio.Runner) -> None:
    def reply(call: Call) -> Any:
        return TooMany("no") if call.at_s < 60 else None

    from agents.teams.mdagents.asking import BATCH

    model = Rehearsed(reply=reply)
    outcome, took_s = on_virtual_time(virtual, solve(work_on(model, THREE, limits=BATCH)))
    assert outcome.answer is not None and took_s < 150
    assert not outcome.failed


def test_the_temperatures_are_those_of_the_roles(virtual: asyncio.Runner) -> None:
    held = {"Cardiologist": ["A"] * 6, "Nephrologist": ["B"] * 6, "Surgeon": ["C"] * 6}
    talks = {("Surgeon", round_, 1): talk(_1="Why?") for round_ in range(1, 6)}
    _, model = solved(virtual, THREE, lambda call: debate(call, talks, held))
    experts_at = {each.temperature for each in model.told.calls if who(each) in ROLES}
    others_at = {each.temperature for each in model.told.calls if who(each) not in ROLES}
    assert (experts_at, others_at) == ({0.7}, {0.0})


def test_an_expert_has_its_own_history(virtual: asyncio.Runner) -> None:
    held = {"Cardiologist": ["A", "A"], "Nephrologist": ["B", "B"], "Surgeon": ["C", "C"]}
    talks = {("Surgeon", 1, 1): talk(_1="Why?")}
    _, model = solved(
        virtual, Settings(tier=Tier.INTERMEDIATE, experts=3, rounds=1), lambda call: debate(call, talks, held)
    )
    last = [each for each in model.of_kind("reasoning") if who(each) == "Surgeon"][-1]
    assert "Surgeon weighs 0." in last.texts[2]
    assert not any("Cardiologist weighs" in text for text in last.texts[2::2])


class Refusing(Exception):
    """What a client raises, with a status and perhaps a Retry-After."""

    def __init__(self, status: int, after: str | None = None) -> None:
        self.status_code = status
        self.response = type("Response", (), {"headers": {"retry-after": after} if after else {}})()


def test_retry_after_is_kept_to_and_a_wrong_key_is_not_tried_again(virtual: asyncio.Runner) -> None:
    replies = iter([Refusing(429, "20"), answer("B")])
    model = Rehearsed(reply=lambda _: next(replies))
    limits = CallLimits(deadline_s=300, tries=12)
    _, took_s = on_virtual_time(virtual, solve(work_on(model, BASIC, limits=limits)))
    assert took_s == pytest.approx(20.0)

    model = Rehearsed(reply=lambda _: Refusing(401))
    with pytest.raises(NobodyLeft, match="wrong_request"):
        virtual.run(solve(work_on(model, BASIC, limits=limits)))
    assert len(model.told.calls) == 1
