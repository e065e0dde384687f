"""Deepgram Aura, by Deepgram's own client over HTTP.

Aura has a speed, and that of Aura-2 only; it knows neither pitch nor volume nor emphasis and tells no word
times. So volume is a gain of ours, pitch and emphasis are dropped, and words are placed by estimate.
"""

from __future__ import annotations

from typing import Any, Final

import httpx
from deepgram import AsyncDeepgramClient
from deepgram.core.api_error import ApiError
from deepgram.core.parse_error import ParsingError
from deepgram.environment import DeepgramClientEnvironment
from deepgram.speak.v1.audio.client import AsyncAudioClient

from tts_queue.engines.cloud import Sound, bounded, linear16, louder
from tts_queue.model import SAMPLE_RATE_HZ, Prosody
from tts_queue.ports import VoiceUnavailable

DEFAULT_VOICE: Final = "aura-2-orion-en"
URL: Final = "https://api.deepgram.com"
MAX_CHARACTERS: Final = 2_000  # of one request
_ERRORS: Final = (ApiError, ParsingError, httpx.HTTPError)
_SPEEDS: Final = (0.7, 1.5)
_WITH_SPEED: Final = ("aura-2-",)
_REFUSED: Final = frozenset({401, 402, 403})
_BUSY: Final = frozenset({408, 429, 502, 503, 504})


class DeepgramService:
    """One voice of Deepgram's."""

    def __init__(self, voice: str = DEFAULT_VOICE, *, api_key: str, address: str = "") -> None:
        """`address` is another endpoint's, such as that of the European one, with https:// or without.

        Raises: VoiceUnavailable: it can't be an address.
        """
        self.name = f"deepgram {voice}"
        base = _url(address or URL)
        self._voice = voice
        self._http = httpx.AsyncClient(timeout=None)  # the deadline is of the whole call, and the caller's
        self._client = AsyncDeepgramClient(
            api_key=api_key,
            environment=DeepgramClientEnvironment(base=base, production=base, agent=base, agent_rest=base),
            httpx_client=self._http,
            max_retries=0,
        )
        self._audio: AsyncAudioClient = self._client.speak.v1.audio  # loaded here, not at the first clause

    async def speak(self, text: str, prosody: Prosody) -> Sound:
        """Return the sound of `text`. Raises: VoiceUnavailable."""
        if len(text) > MAX_CHARACTERS:
            reason = f"a text of more than {MAX_CHARACTERS} characters"
            raise VoiceUnavailable(self.name, reason, retryable=False)
        try:
            answer = self._audio.generate(
                text=text,
                model=self._voice,
                encoding="linear16",
                container="none",
                sample_rate=SAMPLE_RATE_HZ,
                speed=self._speed(prosody),
                mip_opt_out=True,  # what is said of a patient is not for the vendor's training
            )
            content = b"".join([chunk async for chunk in answer])
        except _ERRORS as error:
            raise self._failure(error) from None
        return Sound(louder(linear16(content), prosody.volume_db))

    async def check(self) -> None:
        """Ask whether key and voice are taken. Raises: VoiceUnavailable."""
        try:
            models = await self._client.manage.v1.models.list()
        except _ERRORS as error:
            raise self._failure(error) from None
        if self._voice not in {model.canonical_name for model in models.tts or ()}:
            reason = "Deepgram has no voice of this name"
            raise VoiceUnavailable(self.name, reason, retryable=False, away=True)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    def _speed(self, prosody: Prosody) -> float | None:
        speed = bounded(prosody.rate, _SPEEDS)
        return speed if speed != 1.0 and self._voice.startswith(_WITH_SPEED) else None

    def _failure(self, error: ApiError | ParsingError | httpx.HTTPError) -> VoiceUnavailable:
        """Return an error as ours; the service's own message may quote the text, and is left out."""
        if isinstance(error, httpx.HTTPError):
            reason = f"Deepgram does not answer ({type(error).__name__})"
            return VoiceUnavailable(self.name, reason, away=True)
        why = f"{error.status_code}{_code(error.body)}"
        if error.status_code in _REFUSED:
            reason = f"Deepgram refuses the key ({why}); check it, its rights and the account's balance"
            return VoiceUnavailable(self.name, reason, retryable=False, away=True)
        if error.status_code == 404:
            reason = f"there is no such service at this address ({why})"
            return VoiceUnavailable(self.name, reason, retryable=False, away=True)
        if error.status_code in _BUSY:
            return VoiceUnavailable(self.name, f"Deepgram has no room for this now ({why})")
        if error.status_code is not None and 400 <= error.status_code < 500:
            reason = f"Deepgram refuses this text or voice ({why})"
            return VoiceUnavailable(self.name, reason, retryable=False)
        return VoiceUnavailable(self.name, f"Deepgram failed ({why})")


def _url(address: str) -> str:
    url = address if "://" in address else f"https://{address}"
    try:
        return str(httpx.URL(url)).rstrip("/")
    except httpx.InvalidURL:
        raise VoiceUnavailable("deepgram", "that is no address", retryable=False, away=True) from None


def _code(body: Any) -> str:
    code = body.get("err_code") if isinstance(body, dict) else None
    return f", {code}" if isinstance(code, str) else ""
