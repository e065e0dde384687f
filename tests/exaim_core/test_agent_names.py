"""Who speaks, by the runs of real graphs, and how agents are called and who chairs."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from deepagents import SubAgent, create_deep_agent
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.tools import tool
from langgraph_supervisor import create_supervisor

from exaim_core.text.names import inner, is_moderator, spoken_name
from exaim_live.agent_names import LINEAGE, MOST_RUNS, Lineage, Run, Runs, agent_of, name_of
from exaim_live.handler import AgentCallbackHandler

QUESTION = {"messages": [("user", "What is it?")]}


class Told:
    """Notes who said what."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []

    def offer(self, agent_id: str, text: str, *, thinking: bool = False) -> bool:
        if text:
            self.said.append((agent_id, text))
        return True

    def end_turn(self, agent_id: str) -> None:
        pass


class Scripted(GenericFakeChatModel):
    """Answers from a list; tools may be bound to it."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self


def answers(*said: str | AIMessage) -> Scripted:
    return Scripted(
        messages=iter([each if isinstance(each, AIMessage) else AIMessage(each) for each in said])
    )


def call(name: str, **args: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"call-{name}"}])


async def heard(app: Any, given: Any = QUESTION) -> list[tuple[str, str]]:
    told = Told()
    await app.ainvoke(given, config={"callbacks": [AgentCallbackHandler(told)]})
    return told.said


def supervised(make: Any, *, name: str | None) -> Any:
    """Return a supervisor whose tools ask two agents, one of them without a name of its own, and a model."""
    named = {"name": name} if name else {}
    cardiology = make(answers("Pericarditis."), tools=[], name="cardiology")
    laboratory = make(answers("The potassium is 4.1."), tools=[])
    radiology = answers("The chest film is clear.")

    @tool
    async def ask_the_cardiologist(question: str) -> str:
        """Ask about the heart."""
        return str((await cardiology.ainvoke(QUESTION))["messages"][-1].content)

    @tool
    async def laboratory_specialist(question: str) -> str:
        """Ask about values."""
        return str((await laboratory.ainvoke(QUESTION))["messages"][-1].content)

    @tool
    async def consult_radiology(question: str) -> str:
        """Ask about pictures."""
        return str((await radiology.ainvoke(question)).content)

    tools = [ask_the_cardiologist, laboratory_specialist, consult_radiology]
    asks = [call(each.name, question="?") for each in tools]
    return make(answers(*asks, "It is pericarditis."), tools=tools, **named)


SUPERVISED = [
    ("cardiology", "Pericarditis."),
    ("laboratory_specialist", "The potassium is 4.1."),
    ("radiology", "The chest film is clear."),
    ("supervisor", "It is pericarditis."),
]


@pytest.mark.parametrize("name", ["supervisor", None])
@pytest.mark.parametrize("maker", ["langchain.agents:create_agent", "langgraph.prebuilt:create_react_agent"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
async def test_specialists_called_as_tools_and_their_supervisor_are_called_by_their_names(
    maker: str, name: str | None
) -> None:
    module, _, function = maker.partition(":")
    make = getattr(import_module(module), function)
    assert await heard(supervised(make, name=name)) == SUPERVISED


@pytest.mark.parametrize("chair", ["supervisor", "chief_of_medicine"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # it makes its supervisor the old way
async def test_langgraph_supervisor_is_heard_by_its_agents_names(chair: str) -> None:
    expert = create_agent(answers("Pericarditis."), tools=[], name="cardiology_expert")
    model = answers(call("transfer_to_cardiology_expert"), "It is pericarditis.")
    app = create_supervisor([expert], model=model, supervisor_name=chair).compile()
    assert await heard(app) == [("cardiology_expert", "Pericarditis."), (chair, "It is pericarditis.")]


async def test_a_deep_agent_is_the_supervisor_of_its_subagents() -> None:
    asked = call("task", description="look", subagent_type="cardiology-agent")
    subagent: SubAgent = {
        "name": "cardiology-agent",
        "description": "the heart",
        "system_prompt": "Be brief.",
        "model": answers("Pericarditis."),
        "tools": [],
    }
    app = create_deep_agent(model=answers(asked, "It is pericarditis."), tools=[], subagents=[subagent])
    assert await heard(app) == [("cardiology-agent", "Pericarditis."), ("supervisor", "It is pericarditis.")]


async def test_a_plain_chain_is_called_by_its_run_name() -> None:
    chain = ChatPromptTemplate.from_messages([("user", "{q}")]) | answers("Pericarditis.")
    assert await heard(chain.with_config(run_name="cardiology"), {"q": "?"}) == [
        ("cardiology", "Pericarditis.")
    ]


def test_what_metadata_alone_tells_is_taken_where_no_run_is_known() -> None:
    inside = {"langgraph_node": "model", "langgraph_checkpoint_ns": "tools:1|model:2"}
    assert agent_of(inside | {"lc_agent_name": "cardiology"}) == "cardiology"
    assert agent_of(inside) == "agent"
    deep = {"langgraph_node": "model", "langgraph_checkpoint_ns": "model:1", "lc_agent_name": None}
    assert agent_of(deep | {"lc_versions": {"deepagents": "0.7"}}) == "supervisor"
    nested = {"langgraph_node": "model", "langgraph_checkpoint_ns": "ward:1|cardiology:2|model:3"}
    assert agent_of(nested) == "cardiology"
    assert agent_of({LINEAGE: Lineage((Run("chain", "model"),), leads=True)}) == "supervisor"


@pytest.mark.parametrize(
    ("asked", "agent"),
    [
        ("ask_cardiologist", "cardiologist"),
        ("transfer_to_cardiology_expert", "cardiology_expert"),
        ("consult_the_radiologist", "radiologist"),
        ("get_lab_opinion", "lab"),
        ("task", ""),
    ],
)
def test_a_tool_is_called_by_whom_it_asks(asked: str, agent: str) -> None:
    assert name_of(Run("tool", asked)) == agent


def test_runs_are_forgotten_at_their_end_and_bounded_without_one() -> None:
    runs = Runs()
    for number in range(MOST_RUNS + 10):
        runs.begin(number, number - 1, "chain", f"agent{number}")
    assert runs.lineage(0).runs == ()
    newest = MOST_RUNS + 9
    assert runs.lineage(newest).agent == f"agent{newest}"
    assert len(runs.lineage(newest).runs) == 64
    runs.end(newest)
    assert runs.lineage(newest).runs == ()
    runs.begin("a", "a", "chain", "round")  # its own parent: no loop without an end
    assert len(runs.lineage("a").runs) == 64


@pytest.mark.parametrize(
    ("agent_id", "called", "inside"),
    [
        ("OrchestratorAgent", "The orchestrator", "the orchestrator"),
        ("InfectiousDiseaseAgent", "Infectious disease", "infectious disease"),
        ("infectious disease specialist", "The infectious disease specialist", None),
        ("InternalMedicineSpecialist", "The internal medicine specialist", None),
        ("internal_medicine", "Internal medicine", "internal medicine"),
        ("CardiologyAgent", "Cardiology", "cardiology"),
        ("supervisor_agent", "The supervisor", "the supervisor"),
        ("MDTCoordinator", "The MDT coordinator", "the MDT coordinator"),
        ("mdt_coordinator", "The MDT coordinator", "the MDT coordinator"),
        ("DecisionMaker", "The decision maker", "the decision maker"),
        ("ICUNurse", "The ICU nurse", "the ICU nurse"),
        ("LabAgent", "The lab", "the lab"),
        ("DiagnosisAgent", "The diagnosis agent", "the diagnosis agent"),
        ("The cardiologist", "The cardiologist", "the cardiologist"),
        ("orthopedics", "Orthopedics", "orthopedics"),
        ("Emergency Physician", "Emergency Physician", "Emergency Physician"),
        ("Maria Lopez", "Maria Lopez", "Maria Lopez"),
        ("GP", "GP", "GP"),
    ],
)
def test_agents_are_called_as_one_would_say_it(agent_id: str, called: str, inside: str | None) -> None:
    assert spoken_name(agent_id) == called
    if inside is not None:
        assert inner(spoken_name(agent_id)) == inside


@pytest.mark.parametrize(
    "agent_id",
    "OrchestratorAgent supervisor_agent decision_maker DecisionMaker final_decision_maker synthesizer "
    "SynthesizerAgent mdt_coordinator MDTCoordinator orchestrator-v2 chief_of_medicine aggregator final_judge "
    "final_synthesis lead_physician".split(),
)
def test_who_ends_a_discussion_chairs(agent_id: str) -> None:
    assert is_moderator(agent_id)


@pytest.mark.parametrize(
    "agent_id",
    "case_manager summarizer CardiologyAgent critic planner_agent Doctor1 chief_resident nurse "
    "laboratory internal_medicine".split(),
)
def test_who_only_takes_part_does_not(agent_id: str) -> None:
    assert not is_moderator(agent_id)
