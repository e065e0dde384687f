"""`GET /sessions/{id}/calls`: what a team's calls cost, from the log, for its team and for who opened it."""

from __future__ import annotations

import httpx
import pytest

from agents.keys import KEY_HEADER, KEY_VARIABLE
from agents.stream import LLMMetadata
from exaim_live import LiveTeam
from infra.settings import Settings
from infra.sfu_testing import Expect
from tests.api.serving import BASE, a_key, bearer
from tests.api.test_live_team import Wire, api_on, client_on, opened

COST = LLMMetadata(model="m", input_tokens=30, output_tokens=7, trace_id="call-1")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, a_key())


async def test_they_are_read_by_another_process_and_hold_no_words(settings: Settings) -> None:
    wire = Wire()
    async with client_on(wire) as http:
        async with api_on(wire, settings, Expect("create_room")):
            session = await opened(http)
            async with LiveTeam(session, http=http) as team, team.agent("cardiologist") as turn:
                await turn.say("An embolus.")
                team.cost("cardiologist", COST)
        async with api_on(wire, settings):  # the one that took them is gone
            url = f"{BASE}/sessions/{session.answer['session_id']}/calls"

            async def asked(headers: dict[str, str]) -> httpx.Response:
                return await http.get(url, headers=headers)

            team_sees = await asked(bearer(session.team_token))
            opener_sees = await asked({KEY_HEADER: a_key()})
            refused = [
                await asked(bearer("nonsense")),
                await asked({}),
                await asked({KEY_HEADER: a_key(principal="somebody-else")}),
            ]
    assert team_sees.status_code == opener_sees.status_code == 200
    assert team_sees.json() == opener_sees.json()
    calls = team_sees.json()["calls"]
    assert [each["type"].removeprefix("LLM_STREAM_") for each in calls] == ["START", "METADATA", "END"]
    assert (calls[1]["trace_id"], calls[1]["llm"]["outputTokens"]) == ("call-1", 7)
    assert "embolus" not in team_sees.text
    assert [(each.status_code, each.json()["error"]["code"]) for each in refused] == [
        (401, "wrong_token")
    ] * 3
