"""A twin of Google Cloud Text-to-Speech v1beta1: SynthesizeSpeech and ListVoices, over gRPC.

Requests are read and answers written with `google.cloud.texttospeech_v1beta1.types`, the installed client's
own messages. Sources of what is refused: the fields' ranges in those types' descriptions; "5,000 bytes" from
Google's page of quotas; elements of SSML, and which voices take them, from its pages on SSML and on kinds of
voices; the errors' reasons from `google.api.error_reason.proto`. What v1beta1 answers to a mark is in its
`Timepoint`. Without a `Lock` it has no TLS: the key then travels as the same metadata in the clear.
"""

from __future__ import annotations

import asyncio
import io
import re
import wave
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import grpc
from google.auth import jwt
from google.cloud.texttospeech_v1beta1 import types
from google.protobuf import any_pb2
from google.protobuf.unknown_fields import UnknownFieldSet
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from tests.twins.script import KEY
from tests.twins.speech import Asked, BreakOff, Fault, Hang, Said, SpeechTwin
from tts_queue import SAMPLE_RATE_HZ

HOST = "texttospeech.googleapis.com"
CLOUD_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
SERVICE = "google.cloud.texttospeech.v1beta1.TextToSpeech"
VOICES = ("en-US-Neural2-D", "en-IN-Neural2-B", "en-US-Wavenet-D", "en-US-Standard-D", "en-US-Chirp3-HD-Orus")
CLASSIC = re.compile(r"..-..-(Neural2|Wavenet|Standard)-.")
ELEMENTS = {"speak", "break", "say-as", "p", "s", "sub", "mark", "prosody", "emphasis", "phoneme", "lang"}
SAMPLE_RATES = {8000, 11025, 16000, 22050, 24000, 32000, 44100, 48000}
MAX_BYTES = 5000
Context = Any  # grpc.aio.ServicerContext: the package has no types


class _Refused(Exception):
    def __init__(self, code: str, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.reason = code, message, reason


@dataclass(frozen=True, slots=True)
class Lock:
    """TLS, and the certificate of an account whose own tokens are taken beside the key."""

    credentials: Any  # grpc.ServerCredentials
    account_certificate: bytes


@asynccontextmanager
async def google_tts_twin(
    twin: SpeechTwin | None = None, *, lock: Lock | None = None
) -> AsyncIterator[SpeechTwin]:
    """Serve the twin on loopback; its `address` is what EXAIM_VOICE_URL takes."""
    twin = twin or SpeechTwin()
    server = grpc.aio.server()
    methods = {
        "SynthesizeSpeech": _method(twin, lock, types.SynthesizeSpeechRequest, _synthesize),
        "ListVoices": _method(twin, lock, types.ListVoicesRequest, _list_voices),
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, methods),))
    if lock is None:
        twin.address = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    else:
        twin.address = f"localhost:{server.add_secure_port('localhost:0', lock.credentials)}"
    await server.start()
    try:
        yield twin
    finally:
        await server.stop(None)


def _method(
    twin: SpeechTwin, lock: Lock | None, kind: Any, answer: Callable[[SpeechTwin, Any], Awaitable[Any]]
) -> Any:
    async def handle(request: Any, context: Context) -> Any:
        try:
            _check_key(context, lock)
            _check_known(kind.pb(request))
            return await answer(twin, request)
        except _Refused as refused:
            twin.refusals.append(refused.message)
            await context.abort_with_status(_status(refused))

    return grpc.unary_unary_rpc_method_handler(
        handle,
        request_deserializer=kind.deserialize,
        response_serializer=lambda message: type(message).serialize(message),
    )


def _status(refused: _Refused) -> Any:
    code = grpc.StatusCode[refused.code]
    status = status_pb2.Status(code=code.value[0], message=refused.message)
    if refused.reason:
        info = error_details_pb2.ErrorInfo(reason=refused.reason, domain="googleapis.com")
        packed = any_pb2.Any()
        packed.Pack(info)
        status.details.append(packed)
    return rpc_status.to_status(status)


def _check_key(context: Context, lock: Lock | None) -> None:
    """Let in who has the key, or a token that the account signed for this service."""
    sent = dict(context.invocation_metadata())
    token = sent.get("authorization", "").removeprefix("Bearer ")
    if token and lock is not None:
        claims = jwt.decode(token, certs=lock.account_certificate, audience=None)  # type: ignore[no-untyped-call]
        if CLOUD_SCOPE in claims.get("scope", "") or claims.get("aud") == f"https://{HOST}/":
            return
    key = sent.get("x-goog-api-key")
    if key is None:
        message = "Request had no valid authentication credentials"
        raise _Refused("UNAUTHENTICATED", message, "CREDENTIALS_MISSING")
    if key != KEY:
        message = "API key not valid. Please pass a valid API key."
        raise _Refused("INVALID_ARGUMENT", message, "API_KEY_INVALID")


def _check_known(message: Any) -> None:
    if len(UnknownFieldSet(message)):
        raise _Refused("INVALID_ARGUMENT", "a field that the API does not have")


async def _list_voices(twin: SpeechTwin, request: types.ListVoicesRequest) -> types.ListVoicesResponse:
    await _fail(twin)
    wanted = request.language_code
    named = [name for name in VOICES if not wanted or name.startswith(f"{wanted}-")]
    return types.ListVoicesResponse(
        voices=[
            types.Voice(name=name, language_codes=[name[:5]], natural_sample_rate_hertz=24000)
            for name in named
        ]
    )


async def _synthesize(
    twin: SpeechTwin, request: types.SynthesizeSpeechRequest
) -> types.SynthesizeSpeechResponse:
    asked = _checked(request)
    broken = await _fail(twin)
    twin.asked.append(asked)
    said = await asyncio.to_thread(twin.say, asked.text, asked.rate)
    content = _wav(said)
    marked = types.SynthesizeSpeechRequest.TimepointType.SSML_MARK in request.enable_time_pointing
    return types.SynthesizeSpeechResponse(
        audio_content=content[:20] if broken else content,
        timepoints=_timepoints(asked.markup, said) if marked and asked.markup else [],
        audio_config=request.audio_config,
    )


async def _fail(twin: SpeechTwin) -> bool:
    """Do what is to go wrong next; return whether the answer is to break off."""
    if twin.down:
        raise _Refused("UNAVAILABLE", "the service is down")
    match twin.faults.popleft() if twin.faults else None:
        case Fault(code, reason):
            raise _Refused(str(code), "scripted", reason)
        case Hang():
            await twin.hang()
        case BreakOff():
            return True
    return False


def _checked(request: types.SynthesizeSpeechRequest) -> Asked:
    """Return what is to be said, or refuse what the service refuses."""
    config, voice = request.audio_config, request.voice
    if voice.name not in VOICES:
        raise _Refused("INVALID_ARGUMENT", f"Voice '{voice.name}' does not exist. Is it misspelled?")
    if not voice.name.startswith(f"{voice.language_code}-"):
        raise _Refused("INVALID_ARGUMENT", "Requested language code doesn't match the voice")
    if config.audio_encoding is not types.AudioEncoding.LINEAR16:
        raise _Refused("INVALID_ARGUMENT", "this twin has LINEAR16 only")
    if config.sample_rate_hertz not in SAMPLE_RATES:
        raise _Refused("INVALID_ARGUMENT", "sample rate is not supported")
    if config.sample_rate_hertz != SAMPLE_RATE_HZ:
        raise _Refused("INVALID_ARGUMENT", "this twin has 48 kHz only")
    rate = config.speaking_rate or 1.0
    if not (0.25 <= rate <= 2.0 and -20 <= config.pitch <= 20 and -96 <= config.volume_gain_db <= 16):
        raise _Refused("INVALID_ARGUMENT", "speaking_rate, pitch or volume_gain_db is out of range")
    classic = CLASSIC.fullmatch(voice.name) is not None
    if config.pitch and not classic:
        raise _Refused("INVALID_ARGUMENT", "This voice does not support pitch parameters at this time.")
    kind = types.SynthesisInput.pb(request.input).WhichOneof("input_source")
    markup = request.input.ssml if kind == "ssml" else ""
    if kind not in {"ssml", "text"} or not (markup or request.input.text):
        raise _Refused(
            "INVALID_ARGUMENT", "Either `input.text` or `input.ssml` is longer than 0 bytes, not both"
        )
    if len((markup or request.input.text).encode()) > MAX_BYTES:
        raise _Refused("INVALID_ARGUMENT", f"input is longer than the limit of {MAX_BYTES} bytes")
    text = _spoken(markup, classic=classic) if markup else request.input.text
    return Asked(text, voice.name, rate, config.pitch, config.volume_gain_db, markup)


def _spoken(markup: str, *, classic: bool) -> str:
    """Return what SSML says aloud, or refuse it."""
    try:
        root = ElementTree.fromstring(markup)
    except ElementTree.ParseError:
        raise _Refused(
            "INVALID_ARGUMENT", "Invalid SSML. Newer voices like Neural2 require valid SSML."
        ) from None
    unknown = {element.tag for element in root.iter()} - ELEMENTS
    if root.tag != "speak" or unknown:
        raise _Refused("INVALID_ARGUMENT", f"Invalid SSML: {sorted(unknown)}")
    marks = [element.get("name") for element in root.iter("mark")]
    if marks and not classic:
        raise _Refused("INVALID_ARGUMENT", "This voice does not support the mark element")
    if not all(marks) or len(set(marks)) != len(marks):
        raise _Refused("INVALID_ARGUMENT", "Invalid SSML: a mark wants a name of its own")
    return " ".join("".join(root.itertext()).split())


def _timepoints(markup: str, said: Said) -> list[types.Timepoint]:
    """Return the time of each mark: when the word after it begins."""
    before, points = 0, []
    for element in ElementTree.fromstring(markup).iter():
        if element.tag == "mark":
            start = said.starts[min(before, len(said.starts) - 1)]
            points.append(types.Timepoint(mark_name=element.get("name"), time_seconds=start / SAMPLE_RATE_HZ))
            before += len((element.tail or "").split())
    return points


def _wav(said: Said) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE_HZ)
        file.writeframes(said.pcm.astype("<i2").tobytes())
    return out.getvalue()
