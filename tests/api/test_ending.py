"""Which sessions are open, and who may end one: its clinician, its team while nobody listens, who opened it."""

from __future__ import annotations

import httpx
import pytest

from exaim_live import Opened, Refused, end_session
from infra.settings import Settings
from infra.sfu_port import Participant, RoomGone, clinician_identity
from infra.sfu_testing import Expect, ScriptedSfu
from tests.api.serving import bearer, refusal, serving
from tests.api.test_live import GONE, opened, send, token

ENDED = (GONE, Expect("delete_room"))


async def listed(client: httpx.AsyncClient) -> list[tuple[str, bool]]:
    answer = await client.get("/sessions")
    assert answer.status_code == 200
    return [(each["session_id"], each["live"]) for each in answer.json()["sessions"]]


async def test_who_opened_them_sees_what_is_open_and_ends_it_by_the_key_alone(settings: Settings) -> None:
    sfu = ScriptedSfu([Expect("create_room"), Expect("create_room"), *ENDED])
    async with serving(settings, sfu) as client:
        first, second = await opened(client), await opened(client)
        assert await listed(client) == [(first["session_id"], True), (second["session_id"], True)]
        ended = await client.post(f"/sessions/{first['session_id']}/end")
        assert (ended.status_code, ended.json()["status"]) == (200, "COMPLETED")
        assert await listed(client) == [(second["session_id"], True)]
    sfu.assert_finished()


async def test_a_wrong_secret_ends_nothing_whatever_key_comes_with_it(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client:
        session = await opened(client)
        wrong = await client.post(f"/sessions/{session['session_id']}/end", headers=bearer("x" * 43))
        nobody = await client.get("/sessions", headers={"Exaim-Key": "none"})
        assert refusal(wrong) == (401, "wrong_secret")
        assert refusal(nobody) == (401, "wrong_key")
        assert len(await listed(client)) == 1


@pytest.mark.parametrize(
    "room", [Expect("participants", answer=()), Expect("participants", fails=RoomGone("x"))]
)
async def test_a_team_ends_a_session_in_which_nobody_is(room: Expect, settings: Settings) -> None:
    sfu = ScriptedSfu([Expect("create_room"), room, *ENDED])
    async with serving(settings, sfu) as client:
        session = await opened(client)
        live = session["live"]
        await end_session(Opened(live["events_url"], live["team_token"]), http=client)
        late = await send(client, session, token(0, "The potassium is 6.9."))
        assert refusal(late) == (410, "session_ended")
    sfu.assert_finished()


async def test_a_team_ends_no_session_in_which_its_clinician_is(settings: Settings) -> None:
    sfu = ScriptedSfu([Expect("create_room")])
    async with serving(settings, sfu) as client:
        session = await opened(client)
        there = Participant(identity=clinician_identity(session["session_id"]), is_agent=False, active=True)
        sfu.then(Expect("participants", answer=(there,)))
        live = session["live"]
        with pytest.raises(Refused, match="clinician_there"):
            await end_session(Opened(live["events_url"], live["team_token"]), http=client)
        assert len(await listed(client)) == 1
    sfu.assert_finished()
