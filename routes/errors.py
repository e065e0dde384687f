"""Answer refused calls: a real status code and `{"error": {"code", "message"}}`, always.

A message says what to do; of the request's body it repeats nothing but names of fields. Codes are for programs and do
not change.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from infra.database import RecordError
from infra.errors import StoreError, StoreUnavailable
from infra.sfu_port import SfuError, SfuUnavailable
from infra.unexpected_errors import UnexpectedError, contained

log = logging.getLogger(__name__)

RETRY_AFTER_S: Final = 2
"""Sent with every 503: the store and the SFU come back within about a second of their start."""

CODES: Final[Mapping[int, str]] = {
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    422: "invalid_request",
}
"""Codes of what the framework itself refuses, by status."""

NOT_READABLE: Final = "the body can't be read as JSON: send UTF-8, numbers of a few digits, and no deep nest"
"""The framework's own answer to such a body is a bare 400."""

AWAY: Final = (
    503,
    "store_unavailable, store_unusable, sfu_unavailable or sfu_refused: try again after Retry-After",
)
AWAY_TOO: Final = (503, f"{AWAY[1]}; or record_unavailable: the database is away")
NAME: Final = re.compile(r"[A-Za-z_]\w{0,39}", re.ASCII)
"""What a field is called that may be repeated to who sent it."""

INVALID: Final = (422, "invalid_request: the message names the field")
"""Refusals that many routes have: (status, what it means)."""


class ErrorDetail(BaseModel):
    """Why a call was refused."""

    code: str = Field(description="for programs; stable", examples=["unknown_case"])
    message: str = Field(description="for people; says what to do")


class ErrorBody(BaseModel):
    """The body of every answer that is not a 2xx."""

    error: ErrorDetail


class ApiError(Exception):
    """A refusal with its status, code and message."""

    def __init__(
        self, status: int, code: str, message: str, *, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message
        self.headers = dict(headers or {})


def answers(*refusals: tuple[int, str]) -> dict[int | str, dict[str, Any]]:
    """Return OpenAPI's account of a route's refusals, from (status, what it means)."""
    return {status: {"model": ErrorBody, "description": meaning} for status, meaning in refusals}


def error_response(
    status: int, code: str, message: str, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """Return the answer of a refused call."""
    body = ErrorBody(error=ErrorDetail(code=code, message=message))
    return JSONResponse(body.model_dump(), status_code=status, headers=dict(headers or {}))


def away(error: StoreError | SfuError | RecordError) -> ApiError:
    """Return what a caller hears of a store, an SFU or a database that fails: 503, and how to mend it."""
    match error:
        case StoreUnavailable():
            code = "store_unavailable"
        case StoreError():
            code = "store_unusable"
        case RecordError():
            code = "record_unavailable"
        case SfuUnavailable():
            code = "sfu_unavailable"
        case _:
            code = "sfu_refused"
    return ApiError(503, code, str(error), headers={"Retry-After": str(RETRY_AFTER_S)})


class LastResort:
    """ASGI middleware: a mistake of this program is a 500, and logged by type and place alone.

    Not the framework's handler of `Exception`: the server would log what that has answered, words and all.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request. Raises: UnexpectedError: the answer had begun, so the server must break it off."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = False

        async def noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            with contained():
                await self.app(scope, receive, noted)
        except UnexpectedError as error:
            if begun:
                raise
            log.error("%s %s: %s", scope["method"], scope["path"], error)  # noqa: TRY400  # quotes
            message = "the server made a mistake, and its log says which; the session, if any, goes on"
            await error_response(500, "internal", message)(scope, receive, send)


def install(app: FastAPI) -> None:
    """Make `app` answer every error in this form."""

    async def api_error(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, ApiError)
        return error_response(error.status, error.code, error.message, error.headers)

    async def part_away(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, StoreError | SfuError | RecordError)
        log.warning("%s %s: %s", request.method, request.url.path, error)
        return await api_error(request, away(error))

    async def http_error(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        status = error.status_code
        if status == HTTPStatus.BAD_REQUEST:
            return error_response(422, CODES[422], NOT_READABLE)
        phrase = HTTPStatus(status).phrase.lower()
        code = CODES.get(status, phrase.replace(" ", "_"))
        return error_response(status, code, f"{phrase}; /openapi.json lists what there is", error.headers)

    async def invalid(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        return error_response(422, CODES[422], "; ".join(map(complaint, error.errors()[:5])))

    app.add_exception_handler(ApiError, api_error)
    app.add_exception_handler(StoreError, part_away)
    app.add_exception_handler(SfuError, part_away)
    app.add_exception_handler(RecordError, part_away)
    app.add_exception_handler(HTTPException, http_error)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_middleware(LastResort)


def complaint(found: Mapping[str, Any]) -> str:
    """Return one validation error as "field: what is wrong", without a value that the caller sent."""
    match found["type"]:
        case "json_invalid":
            return "the body is not JSON"
        case "extra_forbidden":
            return f"{_unknown(found['loc'])} is unknown here; /openapi.json lists the fields there are"
        case _:
            return f"{_field(found['loc'])}: {str(found['msg']).removeprefix('Value error, ')[:300]}"


def _unknown(where: Sequence[int | str]) -> str:
    """Return the name of an unknown field if it looks like a name; else it may be anything."""
    name = str(where[-1])
    if NAME.fullmatch(name):
        return _field(where)
    return f"{_field(where[:-1])}: a field that is no name" if where[:-1] else "a field that is no name"


def _field(where: Sequence[int | str]) -> str:
    return ".".join(str(part) for part in where if part != "body") or "the body"
