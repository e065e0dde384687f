"""Check the keys (`agents.keys`) of those who open sessions, list cases or see the parts' health.

A key goes as a header of its own. No cookie is ever read: a browser sends those to every port of a machine,
and along with what a foreign page asks for. A page gets its key by a link that is good once.
"""

from __future__ import annotations

import time
from datetime import datetime
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from fastapi.security import APIKeyHeader
from pydantic import BaseModel, ConfigDict, Field

from agents.keys import KEY_HEADER, LONGEST_TEXT, Holder, KeyRefused, holder, signed
from infra.clock import utc
from infra.scripts import answering
from infra.sessions import SessionRecord
from routes.errors import AWAY, INVALID, ApiError, answers
from routes.parts import Parts, PartsHere

router = APIRouter(tags=["keys"])

TAB_S: Final = 12 * 3600
"""How long a tab's key is good: a shift."""

HOW: Final = (
    "open the link that `exaim up` printed, or `exaim link` prints; a program of the same user finds its key "
    "by itself (agents.keys), any other is given one by `exaim key`"
)
key_header = APIKeyHeader(
    name=KEY_HEADER, scheme_name="Key", auto_error=False, description="signed with the opener key; expires"
)
ShownKey = Annotated[str | None, Depends(key_header)]

NO_KEY: Final = (401, "no_key, wrong_key or key_expired: the message says where to get one")


class LinkShown(BaseModel):
    """A link that is to be exchanged."""

    model_config = ConfigDict(extra="forbid")

    link: str = Field(max_length=LONGEST_TEXT, description="what stands behind `#open=`")


class TabKey(BaseModel):
    """A key for one tab."""

    key: str = Field(description=f"goes with each call as `{KEY_HEADER}`; shown this once")
    until: datetime = Field(description="until when it is good")


async def with_key(shown: ShownKey, parts: PartsHere) -> Holder:
    """Return who asks. Raises: ApiError 401: nobody whom this server knows."""
    return _read(parts, shown)


async def maybe_with_key(shown: ShownKey, parts: PartsHere) -> Holder | None:
    """Return who asks, or None: somebody without a key that is good."""
    try:
        return _read(parts, shown)
    except ApiError:
        return None


Caller = Annotated[Holder, Depends(with_key)]
MaybeCaller = Annotated[Holder | None, Depends(maybe_with_key)]


@router.post(
    "/key",
    summary="Exchange a link for a key",
    responses=answers(
        (401, "wrong_link: it is none of this server's"),
        (410, "link_used or link_expired: `exaim link` prints another"),
        INVALID,
        AWAY,
    ),
)
async def exchange(asked: LinkShown, parts: PartsHere) -> TabKey:
    """Return a key for the tab that followed a link. The link is good once: its nonce is stored."""
    try:
        given = holder(parts.settings.opener_key, "link", asked.link, time.time())
    except KeyRefused as refused:
        if refused.expired:
            raise ApiError(410, "link_expired", "this link is too old; `exaim link` prints another") from None
        message = "this link is none of this server's, or of before its last start; `exaim link` prints one"
        raise ApiError(401, "wrong_link", message) from None
    async with answering("a link"):
        left_ms = max(1, round((given.until_s - time.time()) * 1000))
        fresh = await parts.client.set(f"exaim:link:{given.nonce}", "1", nx=True, px=left_ms)
    if not fresh:
        message = "this link was used, and is good once; `exaim link` prints another"
        raise ApiError(410, "link_used", message)
    until_s = time.time() + TAB_S
    key = signed(
        parts.settings.opener_key, "key", until_s=until_s, principal=given.principal, tenant=given.tenant
    )
    return TabKey(key=key, until=utc(int(until_s) * 1000))


def may_see(caller: Holder, record: SessionRecord) -> bool:
    """Return whether a session belongs to the holder of a key."""
    return (record.tenant, record.opened_by) == (caller.tenant, caller.principal)


def _read(parts: Parts, shown: str | None) -> Holder:
    if not shown:
        raise _refused("no_key", f"this wants a key: {HOW}")
    try:
        return holder(parts.settings.opener_key, "key", shown, time.time())
    except KeyRefused as refused:
        if refused.expired:
            raise _refused("key_expired", f"this key was good, and its time is over: {HOW}") from None
        message = f"this key is none of this server's; it may be of before its last start: {HOW}"
        raise _refused("wrong_key", message) from None


def _refused(code: str, message: str) -> ApiError:
    return ApiError(401, code, message, headers={"WWW-Authenticate": KEY_HEADER})
