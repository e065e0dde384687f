"""A twin of Deepgram's speech synthesis: POST /v1/speak and GET /v1/models.

Source of parameters, voices and encodings: the installed SDK's own schema, `deepgram.speak.v1.audio`
(generated from Deepgram's API definition); of linear16's sample rates, the 2,000 characters, the range of
`speed` and which voices have it, and the errors' shape: Deepgram's pages "Single Text Request", "TTS Voice
Controls" and "Errors". The list of models is written with the SDK's `ListModelsV1Response`.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, get_args

from aiohttp import web
from deepgram.speak.v1.audio.client import AsyncAudioClient
from deepgram.speak.v1.audio.types.audio_generate_request_container import AudioGenerateRequestContainer
from deepgram.speak.v1.audio.types.audio_generate_request_encoding import AudioGenerateRequestEncoding
from deepgram.speak.v1.audio.types.audio_generate_request_model import AudioGenerateRequestModel
from deepgram.types import ListModelsV1Response, ListModelsV1ResponseTtsModels

from tests.twins.script import KEY, Refusal
from tests.twins.speech import Asked, BreakOff, Fault, Hang, SpeechTwin


def _values(union: Any) -> tuple[str, ...]:
    """Return the literals of an enumeration, which the SDK leaves open for what is to come."""
    return get_args(get_args(union)[0])


PARAMETERS = inspect.signature(AsyncAudioClient.generate).parameters.keys() - {
    "self",
    "text",
    "request_options",
}
MODELS = _values(AudioGenerateRequestModel)
ENCODINGS = _values(AudioGenerateRequestEncoding)
CONTAINERS = _values(AudioGenerateRequestContainer)
SAMPLE_RATES = {"8000", "16000", "24000", "32000", "48000"}  # of linear16
MAX_CHARACTERS = 2000


@asynccontextmanager
async def deepgram_twin(twin: SpeechTwin | None = None) -> AsyncIterator[SpeechTwin]:
    """Serve the twin on loopback; its `address` is what EXAIM_VOICE_URL takes."""
    twin = twin or SpeechTwin()

    def guarded(handler: Any) -> Any:
        async def handle(request: web.Request) -> web.StreamResponse:
            try:
                _check_key(request)
                return await handler(twin, request)  # type: ignore[no-any-return]
            except Refusal as refusal:
                twin.refusals.append(refusal.message)
                return _error(refusal)

        return handle

    app = web.Application()
    app.router.add_post("/v1/speak", guarded(_speak))
    app.router.add_get("/v1/models", guarded(_models))
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        twin.address = "http://{}:{}".format(*runner.addresses[0][:2])
        yield twin
    finally:
        await runner.cleanup()


def _error(refusal: Refusal) -> web.Response:
    body = {"err_code": refusal.kind, "err_msg": refusal.message, "request_id": "twin"}
    return web.Response(status=refusal.code, text=json.dumps(body), content_type="application/json")


def _check_key(request: web.Request) -> None:
    if request.headers.get("authorization") != f"Token {KEY}":
        raise Refusal(401, "INVALID_AUTH", "Invalid credentials.")


async def _models(twin: SpeechTwin, request: web.Request) -> web.Response:
    await _fail(twin)
    voices = [
        ListModelsV1ResponseTtsModels(name=model.split("-")[-2], canonical_name=model) for model in MODELS
    ]
    listed = ListModelsV1Response(stt=[], tts=voices)
    return web.Response(text=listed.json(), content_type="application/json")


async def _speak(twin: SpeechTwin, request: web.Request) -> web.StreamResponse:
    asked = _checked(request, await _body(request))
    broken = await _fail(twin)
    twin.asked.append(asked)
    said = await asyncio.to_thread(twin.say, asked.text, asked.rate)
    content = said.pcm.astype("<i2").tobytes()
    response = web.StreamResponse(headers={"content-type": "audio/l16;rate=48000;channels=1"})
    response.enable_chunked_encoding()
    await response.prepare(request)
    await response.write(content[: len(content) // 3])
    if broken and request.transport is not None:
        request.transport.abort()
        return response
    await response.write(content[len(content) // 3 :])
    await response.write_eof()
    return response


async def _fail(twin: SpeechTwin) -> bool:
    """Do what is to go wrong next; return whether the answer is to break off."""
    if twin.down:
        raise Refusal(503, "SERVICE_UNAVAILABLE", "the service is down")
    match twin.faults.popleft() if twin.faults else None:
        case Fault(code, reason):
            raise Refusal(int(code), reason, "scripted")
        case Hang():
            await twin.hang()
        case BreakOff():
            return True
    return False


async def _body(request: web.Request) -> str:
    if request.content_type != "application/json":
        raise Refusal(415, "UNSUPPORTED_MEDIA_TYPE", "the body is to be JSON")
    body = await request.json()
    if not isinstance(body, dict) or body.keys() != {"text"} or not isinstance(body["text"], str):
        raise Refusal(400, "INVALID_JSON", "the body has a text, and nothing else")
    if not body["text"].strip():
        raise Refusal(400, "EMPTY_TEXT", "there is nothing to say")
    if len(body["text"]) > MAX_CHARACTERS:
        raise Refusal(413, "PAYLOAD_TOO_LARGE", f"more than {MAX_CHARACTERS} characters")
    return str(body["text"])


def _checked(request: web.Request, text: str) -> Asked:
    """Return what is to be said, or refuse what the service refuses."""
    query = dict(request.query)
    if len(query) != len(request.query) or query.keys() - PARAMETERS:
        raise Refusal(
            400, "INVALID_QUERY_PARAMETER", f"unknown or twice: {sorted(query.keys() - PARAMETERS)}"
        )
    model = query.get("model", "aura-asteria-en")
    if model not in MODELS:
        raise Refusal(400, "INVALID_QUERY_PARAMETER", "No such model")
    if query.get("encoding") not in ENCODINGS or query.get("container") not in CONTAINERS:
        raise Refusal(400, "INVALID_QUERY_PARAMETER", "encoding or container")
    if (query["encoding"], query["container"]) != ("linear16", "none"):
        raise Refusal(400, "UNSUPPORTED_AUDIO_FORMAT", "this twin has raw linear16 only")
    if query.get("sample_rate") not in SAMPLE_RATES or "bit_rate" in query:
        raise Refusal(400, "UNSUPPORTED_AUDIO_FORMAT", "linear16 has no such sample rate, and no bit rate")
    if query["sample_rate"] != "48000":
        raise Refusal(400, "UNSUPPORTED_AUDIO_FORMAT", "this twin has 48 kHz only")
    if query.get("mip_opt_out", "false") not in {"true", "false"}:
        raise Refusal(400, "INVALID_QUERY_PARAMETER", "mip_opt_out is true or false")
    speed = float(query.get("speed", "1"))
    if "speed" in query and not (model.startswith("aura-2-") and 0.7 <= speed <= 1.5):
        raise Refusal(400, "INVALID_QUERY_PARAMETER", "speed is of Aura-2, and from 0.7 to 1.5")
    return Asked(text, model, speed, markup=json.dumps(query, sort_keys=True))
