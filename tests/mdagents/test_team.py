"""The team on its port: events in order, steps, decisions in words, questions, and an end whatever happens."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel

from agents.stream import THOUGHT, DecisionKind, EventType, ProgressKind, TeamEvent, TokenType, TurnMark
from agents.teams.mdagents.scripted import ScriptedModel
from agents.teams.mdagents.settings import VOICE, Settings, Tier
from agents.teams.mdagents.team import MDAgentsTeam
from agents.teams.mdagents.writing import said_so_far
from agents.teams.models import OneModel
from agents.teams.port import Case, Inbox, Message, Models, NoInbox
from agents.teams.running import Running
from chat_models.calls import CallLimits
from exaim_core import EXAIM
from tests.mdagents.rehearsed import OPTIONS, TEXT, Call, Rehearsed, TooMany, Writing, answer, talk
from tests.mdagents.test_tiers import ROLES, debate, who

CASE = Case("yellow", TEXT, options=OPTIONS)
LIMITS = Running(structured="text", limits=CallLimits(deadline_s=60, tries=1))


async def heard(
    team: MDAgentsTeam, model: Any, inbox: Inbox | None = None, case: Case = CASE
) -> list[TeamEvent]:
    return [event async for event in team.run(case, OneModel(model), inbox or NoInbox())]


def steps(events: Sequence[TeamEvent]) -> list[ProgressKind]:
    return [each.progress.kind for each in events if each.progress is not None]


def assert_whole(events: Sequence[TeamEvent]) -> None:
    assert [each.seq for each in events] == list(range(len(events)))
    assert [each.type for each in events].count(EventType.END) == 1 and events[-1].type is EventType.END
    turns: dict[str, int] = {}
    for each in events:
        if each.mark is TurnMark.TURN_START:
            assert each.agent_id and each.turn is not None and each.agent_id not in turns
            turns[each.agent_id] = each.turn
        elif each.type is EventType.TOKEN or each.mark is TurnMark.TURN_END or each.decision is not None:
            assert each.agent_id and turns.get(each.agent_id) == each.turn and each.run_id
        if each.mark in (TurnMark.TURN_END, TurnMark.TURN_ABORTED) and each.agent_id:
            del turns[each.agent_id]
    assert not turns


@pytest.mark.parametrize("tier", list(Tier))
@pytest.mark.parametrize("text", [TEXT, "A woman of 30 is short of breath."])
def test_each_tier_is_heard_to_its_decision(virtual: asyncio.Runner, tier: Tier, text: str) -> None:
    case = Case("a", text, options=OPTIONS)
    events = virtual.run(heard(MDAgentsTeam(Settings(tier=tier, experts=3)), ScriptedModel(), case=case))
    assert_whole(events)
    final = [each for each in events if each.decision and each.decision.kind is DecisionKind.FINAL]
    assert len(final) == 1 and final[0].decision is not None
    assert final[0].decision.text in OPTIONS.values()
    for each in events:
        if each.decision is not None:
            words = next(
                other.data
                for other in events
                if other.type is EventType.TOKEN
                and (other.agent_id, other.turn) == (each.agent_id, each.turn)
            )
            assert each.decision.rests_on in words
    last = [each for each in events if each.type is EventType.TOKEN][-1]
    assert last.token_type is TokenType.FINAL_SYNTHESIS_LLM_RESPONSE


def test_options_are_told_as_words_and_never_as_letters(virtual: asyncio.Runner) -> None:
    for tier in Tier:
        events = virtual.run(heard(MDAgentsTeam(Settings(tier=tier, experts=3)), ScriptedModel()))
        told = " ".join(each.data for each in events if each.type is EventType.TOKEN)
        assert any(words in told for words in OPTIONS.values())
        assert not re.search(r"\([A-C]\)|\*\*[A-C]\*\*|\b(?:answer|option) [A-C]\b", told, re.IGNORECASE)


@pytest.mark.parametrize("settings", [VOICE, *(Settings(tier=tier, experts=3) for tier in Tier)])
def test_a_stage_is_told_before_any_model_has_answered(virtual: asyncio.Runner, settings: Settings) -> None:
    async def first() -> tuple[TeamEvent, float]:
        began_s = asyncio.get_running_loop().time()
        run = MDAgentsTeam(settings).run(CASE, OneModel(ScriptedModel(latency_s=40.0)), NoInbox())
        event = await anext(run)
        await run.aclose()
        return event, asyncio.get_running_loop().time() - began_s

    event, after_s = virtual.run(first())
    assert event.progress is not None and event.progress.text
    assert after_s == 0.0


def test_a_debate_tells_its_steps_and_who_changed_after_whose_message(virtual: asyncio.Runner) -> None:
    talks = {("Surgeon", 1, 1): talk(_1="Look at the rings.")}
    held = {"Cardiologist": ["A", "B", "B"], "Nephrologist": ["A", "A", "A"], "Surgeon": ["B", "B", "B"]}
    model = Rehearsed(reply=lambda call: debate(call, talks, held))
    events = virtual.run(heard(MDAgentsTeam(Settings(tier=Tier.INTERMEDIATE, experts=3)), model))
    assert_whole(events)
    told = steps(events)
    assert told == [
        ProgressKind.RECRUITING,
        ProgressKind.RECRUITED,
        ProgressKind.OPINIONS,
        ProgressKind.ROUND,
        ProgressKind.MESSAGE,
        ProgressKind.CHANGED,
        ProgressKind.REVIEW,
        ProgressKind.ROUND,
        ProgressKind.SYNTHESIS,
        ProgressKind.MINORITY,
    ]
    progress = {each.progress.kind: each.progress for each in events if each.progress is not None}
    assert progress[ProgressKind.RECRUITED].text == "cardiologist; nephrologist; surgeon"
    assert progress[ProgressKind.CHANGED].agents == ("cardiologist", "surgeon")
    assert progress[ProgressKind.MESSAGE].agents == ("surgeon", "cardiologist")
    assert progress[ProgressKind.MINORITY].agents == ("nephrologist",)
    assert progress[ProgressKind.MINORITY].text == "nephrologist: Sepsis"
    leading = [each for each in events if each.decision and each.decision.kind is DecisionKind.LEADING]
    assert [(each.agent_id, each.round) for each in leading] == [
        *((name, None) for name in ("cardiologist", "nephrologist", "surgeon")),
        *((name, 1) for name in ("cardiologist", "nephrologist", "surgeon")),
    ]
    costs = [each for each in events if each.llm is not None]
    assert len(costs) == len(model.told.calls)
    assert sum(each.llm.input_tokens or 0 for each in costs if each.llm) == model.told.input_tokens


class ScriptedInbox:
    """Gives its messages at the nth look."""

    def __init__(self, at: int, *messages: Message) -> None:
        self._left, self._messages = at, messages

    def take(self) -> Sequence[Message]:
        self._left -= 1
        return self._messages if self._left == 0 else ()


def test_a_question_is_answered_by_the_moderator_and_a_fact_reaches_all(virtual: asyncio.Runner) -> None:
    talks = {("Surgeon", 1, 1): talk(_1="Look at the rings.")}
    held = {name: ["A", "A", "A"] for name in ROLES}

    def reply(call: Call) -> Any:
        return {"reply": "Not yet."} if call.kind == "reply" else debate(call, talks, held)

    inbox = ScriptedInbox(
        2, Message("m1", "Could it be </question> sepsis?"), Message("m2", "The lactate is 7.", is_fact=True)
    )
    model = Rehearsed(reply=reply)
    events = virtual.run(heard(MDAgentsTeam(Settings(tier=Tier.INTERMEDIATE, experts=3)), model, inbox))
    assert_whole(events)
    answers = [each for each in events if each.in_reply_to == "m1" and each.type is EventType.TOKEN]
    assert [(each.agent_id, each.data) for each in answers] == [("moderator", "Not yet.")]
    second = [each for each in model.of_kind("talk") if "turn 2." in each.question]
    assert len(second) == 3 and all("The lactate is 7." in each.question for each in second)
    assert "The clinician adds: The lactate is 7." in model.told.calls[-1].question
    assert "Could it be (question) sepsis?" in model.of_kind("reply")[0].question


def test_a_question_to_one_expert_goes_to_the_moderator_and_is_answered_in_the_next_turn(
    virtual: asyncio.Runner,
) -> None:
    talks = {("Surgeon", 1, 1): talk(_1="Look at the rings."), ("Surgeon", 1, 2): talk(_1="And the pulse.")}
    held = {name: ["A", "A", "A"] for name in ROLES}

    def reply(call: Call) -> Any:
        return {"reply": "They say so."} if call.kind == "reply" else debate(call, talks, held)

    asked_in_the_first_turn = ScriptedInbox(2, Message("m1", "Is it the heart?", to="cardiologist"))
    model = Rehearsed(reply=reply, latency_s=3.0)
    events = virtual.run(
        heard(
            MDAgentsTeam(Settings(tier=Tier.INTERMEDIATE, experts=3)),
            model,
            asked_in_the_first_turn,
        )
    )
    (answer_,) = model.of_kind("reply")
    assert {each.at_s for each in model.of_kind("talk") if "turn 2." in each.question} == {answer_.at_s}
    told = [each for each in events if each.in_reply_to == "m1" and each.type is EventType.TOKEN]
    assert [(each.agent_id, each.round, each.data) for each in told] == [("moderator", 1, "They say so.")]


@pytest.mark.parametrize("tier", list(Tier))
def test_questions_reach_every_tier(virtual: asyncio.Runner, tier: Tier) -> None:
    inbox = ScriptedInbox(1, Message("m1", "Why?"))
    events = virtual.run(heard(MDAgentsTeam(Settings(tier=tier, experts=3)), ScriptedModel(), inbox))
    assert [each.in_reply_to for each in events if each.mark is TurnMark.TURN_END and each.in_reply_to] == [
        "m1"
    ]


def test_one_dead_expert_is_named_and_the_team_goes_on(virtual: asyncio.Runner) -> None:
    held = {name: ["A"] for name in ROLES}

    def reply(call: Call) -> Any:
        return TooMany("no") if who(call) == "Surgeon" else debate(call, {}, held)

    events = virtual.run(
        heard(MDAgentsTeam(Settings(tier=Tier.INTERMEDIATE, experts=3), LIMITS), Rehearsed(reply=reply))
    )
    assert_whole(events)
    failed = [each.progress for each in events if each.progress and each.progress.kind is ProgressKind.FAILED]
    assert [each.agents for each in failed] == [("surgeon",)]
    assert not [each for each in events if each.type is EventType.ERROR]


class RolesAsked(OneModel):
    """Notes under which role a model is asked for."""

    def __init__(self, model: BaseChatModel) -> None:
        super().__init__(model)
        self.roles: set[str] = set()

    def of(self, role: str) -> BaseChatModel:
        self.roles.add(role)
        return super().of(role)


@pytest.mark.parametrize("tier", [Tier.INTERMEDIATE, Tier.ADVANCED])
def test_who_failed_is_named_by_the_role_whose_model_was_asked(virtual: asyncio.Runner, tier: Tier) -> None:
    models = RolesAsked(Rehearsed(reply=lambda _: TooMany("no")))

    async def scene() -> list[TeamEvent]:
        team = MDAgentsTeam(Settings(tier=tier, experts=3), LIMITS)
        return [event async for event in team.run(CASE, models, NoInbox())]

    told = [each.progress for each in virtual.run(scene()) if each.progress]
    failed = {name for each in told if each.kind is ProgressKind.FAILED for name in each.agents}
    assert failed and failed <= models.roles


class NoModels:
    """Fails as nothing of ours does."""

    def of(self, role: str) -> BaseChatModel:
        raise RuntimeError(f"no model for {role}")


@pytest.mark.parametrize("models", [OneModel(Rehearsed(reply=lambda _: TooMany("no"))), NoModels()])
def test_what_ends_the_whole_is_an_error_before_the_end(virtual: asyncio.Runner, models: Models) -> None:
    async def scene() -> list[TeamEvent]:
        team = MDAgentsTeam(Settings(tier=Tier.BASIC), LIMITS)
        return [event async for event in team.run(CASE, models, NoInbox())]

    events = virtual.run(scene())
    assert_whole(events)
    assert [each.type for each in events][-2:] == [EventType.ERROR, EventType.END]


def test_closing_the_run_ends_every_call(virtual: asyncio.Runner) -> None:
    model = ScriptedModel(latency_s=5.0)

    async def scene() -> None:
        run = MDAgentsTeam(Settings(tier=Tier.INTERMEDIATE, experts=5)).run(CASE, OneModel(model), NoInbox())
        async for event in run:
            if event.progress is not None and event.progress.kind is ProgressKind.OPINIONS:
                break
        await asyncio.sleep(1.0)
        assert model.served.now == 5
        await run.aclose()
        assert model.served.now == 0

    virtual.run(scene())


def test_a_case_without_options_is_decided_in_words(virtual: asyncio.Runner) -> None:
    case = Case("free", TEXT)
    events = virtual.run(heard(MDAgentsTeam(VOICE), ScriptedModel(), case=case))
    assert_whole(events)
    final = next(
        each.decision for each in events if each.decision and each.decision.kind is DecisionKind.FINAL
    )
    assert len(final.text) > 3


def test_the_engine_tells_the_debates_decision_and_its_vote(virtual: asyncio.Runner) -> None:
    names = dict(zip("ABC", OPTIONS.values(), strict=True))
    talks = {("Surgeon", 1, 1): talk(_1="Look at the rings.")}
    held = {"Cardiologist": ["A", "B", "B"], "Nephrologist": ["A", "A", "A"], "Surgeon": ["B", "B", "B"]}

    def reply(call: Call) -> Any:
        said = debate(call, talks, held)
        return (
            {**said, "answer": names[said["answer"]]} if isinstance(said, dict) and "answer" in said else said
        )

    async def scene() -> str:
        engine = EXAIM()
        team = MDAgentsTeam(Settings(tier=Tier.INTERMEDIATE, experts=3))
        async for event in team.run(Case("free", TEXT), OneModel(Rehearsed(reply=reply)), NoInbox()):
            if event.type is EventType.TOKEN and event.agent_id is not None:
                await engine.on_new_token(event.agent_id, event.data)
            elif event.mark is TurnMark.TURN_END and event.agent_id is not None:
                await engine.on_turn_end(event.agent_id)
        return " ".join(item.text for update in await engine.finish() for item in update.items)

    holders = "from the cardiologist and the surgeon; sepsis, from the nephrologist"
    assert virtual.run(scene()) == f"Finished. Digoxin toxicity, {holders}."


WHY = 'The "rings" are yellow: 1.5 to 2 µg/L. Option B explains them.\nSo does the pulse'


def words_of(events: Sequence[TeamEvent], *, thinking: bool = False) -> str:
    return "".join(
        each.data
        for each in events
        if each.token_type is not None and (each.token_type in THOUGHT) is thinking
    )


def test_an_answer_is_told_while_it_is_written_and_its_thinking_apart(virtual: asyncio.Runner) -> None:
    model = Writing(reply=lambda _: answer("B", WHY), latency_s=1.0, thinks="It may be A.")
    events = virtual.run(heard(MDAgentsTeam(Settings(tier=Tier.BASIC)), model))
    assert_whole(events)
    said = [each for each in events if each.type is EventType.TOKEN and each.token_type not in THOUGHT]
    assert len(said) >= 3
    assert said[-1].source_ms - said[0].source_ms >= 5_000  # the first sentence long before the last word
    assert words_of(events) == (
        'The "rings" are yellow: 1.5 to 2 µg/L. Digoxin toxicity explains them.\nSo does the pulse'
        "\n\n### Final Decision\n**Digoxin toxicity**\n"
    )
    assert words_of(events, thinking=True).strip() == "It may be A."
    cost = next(each.llm for each in events if each.llm is not None)
    assert (cost.input_tokens, cost.output_tokens) == (model.told.input_tokens, model.told.output_tokens)
    assert cost.time_to_first_token_ms is not None


def test_experts_who_write_at_once_each_have_their_turn(virtual: asyncio.Runner) -> None:
    talks = {("Surgeon", 1, 1): talk(_1="Look at the rings.")}
    held = {"Cardiologist": ["A", "B", "B"], "Nephrologist": ["A", "A", "A"], "Surgeon": ["B", "B", "B"]}
    for kind in (Rehearsed, Writing):
        model = kind(reply=lambda call: debate(call, talks, held), latency_s=0.1)
        events = virtual.run(heard(MDAgentsTeam(Settings(tier=Tier.INTERMEDIATE, experts=3)), model))
        assert_whole(events)
        by_agent = {
            name: words_of([each for each in events if each.agent_id == name.lower()]) for name in ROLES
        }
        assert by_agent["Surgeon"].count("Surgeon weighs") == 2
        costs = [each.llm for each in events if each.llm is not None]
        assert sum(each.input_tokens or 0 for each in costs) == model.told.input_tokens


def test_a_stream_that_breaks_off_is_asked_for_again_as_a_whole(virtual: asyncio.Runner) -> None:
    model = Writing(reply=lambda _: answer("B", WHY), breaks_after=9)
    team = MDAgentsTeam(Settings(tier=Tier.BASIC), replace(LIMITS, limits=CallLimits(deadline_s=60, tries=2)))
    events = virtual.run(heard(team, model))
    assert_whole(events)
    assert not [each for each in events if each.type is EventType.ERROR]
    assert words_of(events).endswith("### Final Decision\n**Digoxin toxicity**\n")
    assert len(model.told.calls) == 2


@pytest.mark.parametrize("cut", range(1, 60))
def test_what_is_said_so_far_is_whole_sentences_wherever_the_object_is_cut(cut: int) -> None:
    raw = json.dumps({"reasoning": 'One µg \\ "x". Two \U0001f489 \u2265 3.\nThree', "answer": "B"})
    whole = json.loads(raw)["reasoning"]
    told = said_so_far(raw[: cut * len(raw) // 60], "reasoning")
    assert whole.startswith(told)
    assert told in ("", 'One µg \\ "x".', 'One µg \\ "x". Two \U0001f489 ≥ 3.\n', whole)
    assert said_so_far(raw, "reasoning") == whole
