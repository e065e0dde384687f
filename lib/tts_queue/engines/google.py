"""Google Cloud Text-to-Speech, by Google's own client over gRPC.

Rate, pitch and volume go as numbers, whose ranges the API states and which every kind of voice takes in the
same way. What differs between voices is SSML: the classic kinds say where each word begins by a <mark> in
front of it, which is not billed and of which only v1beta1 tells the time; the others (Chirp, Studio, Gemini)
take no marks and no pitch, get plain text, and their words' times are estimated.
"""

from __future__ import annotations

import asyncio
import io
import re
import wave
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Self
from xml.sax.saxutils import escape

import google.auth
import grpc
from google.api_core import exceptions as errors
from google.api_core.client_options import ClientOptions
from google.auth.exceptions import GoogleAuthError, TransportError
from google.cloud import texttospeech_v1beta1 as tts
from google.cloud.texttospeech_v1beta1.services.text_to_speech.transports import (
    TextToSpeechGrpcAsyncIOTransport,
)

from tts_queue.engines.cloud import DEADLINE_S, Sound, bounded, linear16
from tts_queue.model import SAMPLE_RATE_HZ, Pcm, Prosody
from tts_queue.ports import VoiceUnavailable

DEFAULT_VOICE: Final = "en-US-Neural2-D"
HOST: Final = "texttospeech.googleapis.com"
MAX_BYTES: Final = 5_000  # of one request's text, SSML and all: the API's own bound

_MARKED: Final = re.compile(r"[a-z]{2,3}-[A-Z]{2}-(Standard|Wavenet|Neural2)-\w+")
_NAMED: Final = re.compile(r"([a-z]{2,3}-[A-Z]{2})-[\w-]+")
_NO_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, Char
_RATES: Final = (0.25, 2.0)
_SEMITONES: Final = (-20.0, 20.0)
_DECIBELS: Final = (-96.0, 10.0)  # the API takes 16, and says that beyond 10 nothing gets louder
_SCOPES: Final = ("https://www.googleapis.com/auth/cloud-platform",)
_OPTIONS: Final = (
    ("grpc.max_receive_message_length", -1),  # gRPC's own bound is 43 s of sound
    ("grpc.max_reconnect_backoff_ms", 4_000),  # its own is two minutes, in which it fails every call at once
)

_KEY_REASONS: Final = frozenset({"API_KEY_INVALID", "API_KEY_SERVICE_BLOCKED", "SERVICE_DISABLED"})
_REFUSED: Final = (errors.Unauthenticated, errors.PermissionDenied)
_NO_SUCH: Final = (errors.NotFound, errors.MethodNotImplemented)
_AWAY: Final = (errors.ServiceUnavailable, errors.DeadlineExceeded, errors.Cancelled)


class GoogleService:
    """One voice of Google's. Made on the event loop that uses it: `open`."""

    def __init__(
        self, client: tts.TextToSpeechAsyncClient, voice: str, metadata: Sequence[tuple[str, str]] = ()
    ) -> None:
        named = _NAMED.fullmatch(voice)
        if named is None:
            raise VoiceUnavailable("google", f"{voice!r} is no voice's name", retryable=False, away=True)
        self.name = f"google {voice}"
        self._client, self._metadata = client, tuple(metadata)
        self._marked = _MARKED.fullmatch(voice) is not None
        self._voice = tts.VoiceSelectionParams(language_code=named[1], name=voice)

    @classmethod
    async def open(cls, voice: str = DEFAULT_VOICE, *, api_key: str = "", address: str = "") -> Self:
        """Return the service; without a key by the machine's own credentials (Google calls them ADC).

        `address` is another endpoint's host name; http:// before it: without TLS, and with a key only.
        Raises: VoiceUnavailable: no credentials, or not in time; no such name.
        """
        if api_key:
            transport = TextToSpeechGrpcAsyncIOTransport(channel=_channel(address or HOST))
            client = tts.TextToSpeechAsyncClient(transport=transport)
            return cls(client, voice, [("x-goog-api-key", api_key)])
        try:  # in a thread: it may ask a metadata server, and wait
            async with asyncio.timeout(DEADLINE_S):
                credentials, _ = await asyncio.to_thread(google.auth.default, scopes=_SCOPES)
        except Exception as error:  # a file that can't be read, too
            reason = f"no key, and no credentials on this machine ({type(error).__name__})"
            raise VoiceUnavailable("google", reason, retryable=_may_pass(error), away=True) from None
        client = tts.TextToSpeechAsyncClient(
            credentials=credentials,
            transport=partial(TextToSpeechGrpcAsyncIOTransport, channel=_channel_with),
            client_options=ClientOptions(api_endpoint=_host(address or HOST)),
        )
        return cls(client, voice)

    async def speak(self, text: str, prosody: Prosody) -> Sound:
        """Return the sound of `text`. Raises: VoiceUnavailable."""
        try:
            answer = await self._client.synthesize_speech(
                self._request(text, prosody), metadata=self._metadata
            )
        except (errors.GoogleAPICallError, GoogleAuthError) as error:
            raise self._failure(error) from None
        return Sound(self._pcm(answer.audio_content), _starts(answer.timepoints))

    async def check(self) -> None:
        """Ask whether key and voice are taken. Raises: VoiceUnavailable."""
        try:
            answer = await self._client.list_voices(
                language_code=self._voice.language_code, metadata=self._metadata
            )
        except (errors.GoogleAPICallError, GoogleAuthError) as error:
            raise self._failure(error) from None
        if self._voice.name not in {voice.name for voice in answer.voices}:
            raise VoiceUnavailable(self.name, "Google has no voice of this name", retryable=False, away=True)

    async def aclose(self) -> None:
        """Close the connection."""
        await self._client.transport.close()  # type: ignore[no-untyped-call]

    def _request(self, text: str, prosody: Prosody) -> tts.SynthesizeSpeechRequest:
        config = tts.AudioConfig(
            audio_encoding=tts.AudioEncoding.LINEAR16,
            sample_rate_hertz=SAMPLE_RATE_HZ,
            speaking_rate=bounded(prosody.rate, _RATES),
            volume_gain_db=bounded(prosody.volume_db, _DECIBELS),
        )
        said = ssml(text, prosody.emphasis) if self._marked else text
        if len(said.encode()) > MAX_BYTES:
            raise VoiceUnavailable(self.name, f"a text of more than {MAX_BYTES} bytes", retryable=False)
        if not self._marked:
            return tts.SynthesizeSpeechRequest(
                input=tts.SynthesisInput(text=said), voice=self._voice, audio_config=config
            )
        config.pitch = bounded(prosody.pitch_semitones, _SEMITONES)
        return tts.SynthesizeSpeechRequest(
            input=tts.SynthesisInput(ssml=said),
            voice=self._voice,
            audio_config=config,
            enable_time_pointing=[tts.SynthesizeSpeechRequest.TimepointType.SSML_MARK],
        )

    def _pcm(self, content: bytes) -> Pcm:
        """Return the samples of a LINEAR16 answer, which has a WAV header."""
        try:
            with wave.open(io.BytesIO(content)) as file:
                form = (file.getnchannels(), file.getsampwidth(), file.getframerate())
                frames = file.readframes(file.getnframes())
        except (wave.Error, EOFError):
            raise VoiceUnavailable(self.name, "the answer is no WAV") from None
        if form != (1, 2, SAMPLE_RATE_HZ):
            raise VoiceUnavailable(self.name, f"the answer is another sound than was asked for: {form}")
        return linear16(frames)

    def _failure(self, error: errors.GoogleAPICallError | GoogleAuthError) -> VoiceUnavailable:
        """Return Google's error as ours; its own message may quote the text, and is left out."""
        if isinstance(error, GoogleAuthError):
            reason = f"Google refuses the credentials ({type(error).__name__}); check them"
            return VoiceUnavailable(self.name, reason, retryable=_may_pass(error), away=True)
        told = getattr(error.grpc_status_code, "name", type(error).__name__)
        why = f"{told}, {error.reason}" if error.reason else told
        if isinstance(error, _REFUSED) or error.reason in _KEY_REASONS:
            reason = f"Google refuses the key ({why}); check it, and that the project has the API enabled"
            return VoiceUnavailable(self.name, reason, retryable=False, away=True)
        if isinstance(error, _NO_SUCH):
            reason = f"there is no such service at this address ({why})"
            return VoiceUnavailable(self.name, reason, retryable=False, away=True)
        if isinstance(error, _AWAY):
            return VoiceUnavailable(self.name, f"Google does not answer ({why})", away=True)
        if isinstance(error, (errors.InvalidArgument, errors.OutOfRange)):
            return VoiceUnavailable(self.name, f"Google refuses this text or voice ({why})", retryable=False)
        if isinstance(error, errors.ResourceExhausted):
            return VoiceUnavailable(self.name, f"Google's quota is used up ({why}); raise it, or wait")
        return VoiceUnavailable(self.name, f"Google failed ({why})")


def _may_pass(error: Exception) -> bool:
    """Return whether asking for credentials again may help: nobody was reached, or their giver says so."""
    if isinstance(error, GoogleAuthError) and error.retryable:
        return True
    return isinstance(error, (TimeoutError, TransportError))


def ssml(text: str, emphasis: Sequence[str] = ()) -> str:
    """Return `text` as SSML: a mark before each word, its number from 0, and what is to be emphasised so."""
    stressed = {_bare(word) for phrase in emphasis for word in phrase.split()}
    said = []
    for number, word in enumerate(text.split()):
        written = f'<mark name="{number}"/>{escape(_NO_XML.sub("", word))}'
        if _bare(word) in stressed:
            written = f'<emphasis level="moderate">{written}</emphasis>'
        said.append(written)
    return f"<speak>{' '.join(said)}</speak>"


def _bare(word: str) -> str:
    return word.strip(".,;:!?()").casefold()


def _starts(timepoints: Sequence[tts.Timepoint]) -> Mapping[int, int]:
    return MappingProxyType(
        {
            int(point.mark_name): round(point.time_seconds * SAMPLE_RATE_HZ)
            for point in timepoints
            if point.mark_name.isdecimal()
        }
    )


def _channel(address: str) -> grpc.aio.Channel:
    if address.startswith("http://"):
        return grpc.aio.insecure_channel(_host(address), _OPTIONS)
    return grpc.aio.secure_channel(_host(address), grpc.ssl_channel_credentials(), _OPTIONS)


def _channel_with(host: str, **given: Any) -> grpc.aio.Channel:
    """Return the vendor's own channel, which has the machine's credentials, with our options too."""
    given["options"] = [*given.get("options", ()), *_OPTIONS]
    return TextToSpeechGrpcAsyncIOTransport.create_channel(host, **given)


def _host(address: str) -> str:
    return address.removeprefix("http://").removeprefix("https://").rstrip("/")
