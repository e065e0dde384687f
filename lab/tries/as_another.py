"""Tries to act as another: a team as the clinician, one clinician or opener as the other, with what was good once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from infra.access import new_secret
from lab.tries.ground import OTHER, VICTIM, Ground, Outcome, Session, Try, got_in, held, judged

WRONG_SECRET: Final = (401, "wrong_secret")
WRONG_TOKEN: Final = (401, "wrong_token")
WRONG_INVITATION: Final = (401, "wrong_invitation")
USED: Final = (410, "invitation_used")
Knock = Callable[[Ground], Awaitable[Outcome]]


def shows(
    what: Callable[[Ground], str],
    method: str,
    tail: str,
    *expected: tuple[int, str],
    at: Callable[[Ground], Session] = lambda on: on.victim,
    **more: Any,
) -> Knock:
    """Return a try to use one credential where another belongs, by default at the victim's session."""

    async def make(on: Ground) -> Outcome:
        answer = await on.ask(method, f"{at(on).path}{tail}", bearer=what(on), **more)
        return judged(answer, *(expected or (WRONG_SECRET,)))

    return make


async def opener_holds(on: Ground) -> Outcome:
    """Find in the answer to whoever opened the session what lets a clinician in."""
    told = {*on.victim.opened, *on.victim.opened["live"]}
    found = told & {"client_secret", "token", "room", "livekit_url"}
    if found or "secret" in on.victim.opened["live"]["page_url"]:
        return got_in(f"it holds {', '.join(sorted(found)) or 'a link with a secret'}")
    return held("it holds the team's token and an invitation")


async def redeem_again(on: Ground) -> Outcome:
    """Redeem an invitation that the clinician has redeemed, with a secret of one's own."""
    return await _redeem(on, on.victim.code, new_secret(), USED)


async def redeem_former(on: Ground) -> Outcome:
    """Redeem an invitation in whose place another was made."""
    return await _redeem(on, on.victim.former_code, new_secret(), WRONG_INVITATION)


async def redeem_others(on: Ground) -> Outcome:
    """Redeem the invitation of another session."""
    return await _redeem(on, on.other.code, new_secret(), WRONG_INVITATION)


async def redeem_token(on: Ground) -> Outcome:
    """Redeem the team's token as an invitation."""
    return await _redeem(on, on.victim.team_token, new_secret(), WRONG_INVITATION)


async def redeem_weakly(on: Ground) -> Outcome:
    """Have a secret stored that is easily guessed."""
    return await _redeem(on, on.victim.code, "A" * 43, (422, "invalid_request"))


async def made_up_link(on: Ground) -> Outcome:
    """Have a link believed that was made up: it is looked at first, and opens nothing."""
    answer = await on.ask("GET", f"{on.victim.path}/invitation", bearer=new_secret())
    return judged(answer, WRONG_INVITATION)


async def _redeem(on: Ground, code: str, secret: str, *expected: tuple[int, str]) -> Outcome:
    path = f"{on.victim.path}/invitation"
    return judged(await on.ask("POST", path, bearer=code, json={"client_secret": secret}), *expected)


def invites(principal: str = VICTIM, tenant: str = "local") -> Knock:
    """Return a try to invite to the victim's session with a good key of somebody else's."""

    async def make(on: Ground) -> Outcome:
        answer = await on.ask(
            "POST", f"{on.victim.path}/invitations", key=on.key(principal=principal, tenant=tenant)
        )
        return judged(answer, (404, "unknown_session"))

    return make


def calls_by(principal: str = VICTIM, tenant: str = "local") -> Knock:
    """Return a try to see what the victim's team costs, with a good key of somebody else's."""

    async def make(on: Ground) -> Outcome:
        key = on.key(principal=principal, tenant=tenant)
        return judged(await on.ask("GET", f"{on.victim.path}/calls", key=key), WRONG_TOKEN)

    return make


async def invite_again(on: Ground) -> Outcome:
    """Invite a second clinician over the first, by the key that opened the session."""
    answer = await on.ask("POST", f"{on.victim.path}/invitations", key=on.key())
    return judged(answer, (409, "session_taken"))


async def others_thread(on: Ground) -> Outcome:
    """Go on in another's dialogue, with one's own secret."""
    body = {"live": {"title": "x"}, "thread_id": on.victim.session_id}
    return judged(
        await on.ask("POST", "/sessions", key=on.key(), bearer=on.other.secret, json=body), WRONG_SECRET
    )


async def after_revocation(on: Ground) -> Outcome:
    """Use a secret that was taken back: to enter, to go on, to read."""
    path, secret = on.other.path, on.other.secret
    revoked = await on.ask("POST", f"{path}/revoke", bearer=secret)
    if not revoked.is_success:
        return Outcome(False, f"UNCLEAR (it could not be revoked: {revoked.status_code})")
    found = held("never asked")
    for method, tail in (
        ("POST", "/token"),
        ("POST", "/reopen"),
        ("GET", "/report"),
        ("GET", ""),
        ("POST", "/end"),
    ):
        found = judged(await on.ask(method, f"{path}{tail}", bearer=secret), WRONG_SECRET)
        if not found.clear:
            return found
    return found


async def after_the_end(on: Ground) -> Outcome:
    """Have a team go on in a session that is over."""
    answer = await on.ask("POST", f"{on.other.path}/events", bearer=on.other.team_token, json={"events": []})
    return judged(answer, (410, "session_ended"))


def token(on: Ground) -> str:
    """Return the team's token."""
    return on.victim.team_token


EVENTS: Final = {"events": [{"type": "TOKEN", "seq": 0, "agentId": "a", "data": "Potassium is 7.1."}]}
BEFORE_THE_END: Final = (
    Try("find the clinician's secret in what the opener gets", opener_holds),
    Try("enter the room with the team's token", shows(token, "POST", "/token")),
    Try("read the report with the team's token", shows(token, "GET", "/report")),
    Try("see how the session stands with the team's token", shows(token, "GET", "")),
    Try("end the session with the team's token", shows(token, "POST", "/end")),
    Try("open it again with the team's token", shows(token, "POST", "/reopen")),
    Try("revoke the clinician's secret with the team's token", shows(token, "POST", "/revoke")),
    Try("look at the invitation with the team's token", shows(token, "GET", "/invitation", WRONG_INVITATION)),
    Try("redeem the team's token", redeem_token),
    Try("enter with the invitation itself", shows(lambda on: on.victim.code, "POST", "/token")),
    Try(
        "speak as the team with the clinician's secret",
        shows(lambda on: on.victim.secret, "POST", "/events", WRONG_TOKEN, json=EVENTS),
    ),
    Try(
        "speak as the team with the invitation",
        shows(lambda on: on.victim.code, "POST", "/events", WRONG_TOKEN, json=EVENTS),
    ),
    Try(
        "speak as the team with a key that opens sessions",
        shows(lambda on: on.key(), "POST", "/events", WRONG_TOKEN, json=EVENTS),
    ),
    Try(
        "speak as another's team",
        shows(lambda on: on.other.team_token, "POST", "/events", WRONG_TOKEN, json=EVENTS),
    ),
    Try(
        "see what another's calls cost with the clinician's secret",
        shows(lambda on: on.victim.secret, "GET", "/calls", WRONG_TOKEN),
    ),
    Try(
        "see what another's calls cost as another's team",
        shows(lambda on: on.other.team_token, "GET", "/calls", WRONG_TOKEN),
    ),
    Try("see what another opener's calls cost", calls_by(principal=OTHER)),
    Try("see what another tenant's calls cost", calls_by(tenant="north")),
    Try("enter another's session with one's own secret", shows(lambda on: on.other.secret, "POST", "/token")),
    Try("read another's report with one's own secret", shows(lambda on: on.other.secret, "GET", "/report")),
    Try("end another's session with one's own secret", shows(lambda on: on.other.secret, "POST", "/end")),
    Try("enter with a key that opens sessions", shows(lambda on: on.key(), "POST", "/token")),
    Try("redeem an invitation that was used", redeem_again),
    Try("redeem an invitation in whose place another was made", redeem_former),
    Try("redeem another session's invitation", redeem_others),
    Try("redeem it with a secret that is easily guessed", redeem_weakly),
    Try("have a link believed that was made up", made_up_link),
    Try("invite to another opener's session", invites(principal=OTHER)),
    Try("invite to another tenant's session", invites(tenant="north")),
    Try("invite a second clinician over the first", invite_again),
    Try("go on in another's dialogue", others_thread),
)
AFTER_ALL: Final = (
    Try("use a secret that was revoked", after_revocation),
    Try("speak in a session that is over", after_the_end),
)
