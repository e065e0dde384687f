"""Choose the voice: this machine's, or one or two cloud services with this machine's as stand-in.

A cloud service is asked from the session's own process: waiting for the network takes no processor, and needs
none of the engines' turns. The vendors' clients are loaded only where one is chosen.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Mapping
from types import MappingProxyType
from typing import Final

from app import extras
from infra.settings import Settings, SettingsError
from tts_queue import Voice, VoiceUnavailable
from tts_queue.engines.cloud import CloudVoice, Service
from tts_queue.engines.socket_voice import SocketVoice
from tts_queue.engines.stand_in import URGENT_AFTER_S, BackedVoice

log = logging.getLogger("exaim.voice")

STAND_IN_DEADLINE_S: Final = 3.0  # with the cloud's before it still within the queue's 6 s for a part
_URGENT_AFTER_S: Final = (URGENT_AFTER_S / 2, URGENT_AFTER_S)
"""For how long an alarm is asked of a silent service alone, the last of the chain first: with two of them this
machine is asked 0.6 s after the alarm was ready."""
_KEYS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "google": "EXAIM_GOOGLE_TTS_API_KEY, or a service account's file in GOOGLE_APPLICATION_CREDENTIALS",
        "deepgram": "DEEPGRAM_API_KEY",
    }
)


@contextlib.asynccontextmanager
async def session_voice(settings: Settings) -> AsyncIterator[Voice]:
    """Yield the voice of a session. A cloud service that can't be had leaves the one of this machine."""
    async with contextlib.AsyncExitStack() as stack:
        if settings.voice == "piper":
            yield await stack.enter_async_context(SocketVoice(settings.engines_socket))
            return
        voice: Voice = await stack.enter_async_context(
            SocketVoice(settings.engines_socket, STAND_IN_DEADLINE_S)
        )
        behind = "this machine's voice"
        services = chosen(settings)
        for after_s, each in zip(_URGENT_AFTER_S[-len(services) :], reversed(services), strict=True):
            try:
                cloud = CloudVoice(await service_of(each))
            except (VoiceUnavailable, SettingsError) as error:
                log.error("%s; %s speaks", error, behind)  # noqa: TRY400 - the message is the story
                continue
            stack.push_async_callback(cloud.aclose)
            backed = BackedVoice(cloud, voice, urgent_after_s=after_s)
            stack.callback(_tell, each.voice, backed, cloud, behind)
            voice, behind = backed, each.voice
        yield voice


def _tell(name: str, voice: BackedVoice, cloud: CloudVoice, behind: str) -> None:
    counts = voice.counts
    log.info(
        "%s said %d clauses, for %d characters; %s stood in for %d",
        name,
        counts.first,
        cloud.characters,
        behind,
        counts.stand_in,
    )


def chosen(settings: Settings) -> tuple[Settings, ...]:
    """Return the settings of each cloud service that is asked, in that order; none: this machine speaks."""
    if settings.voice == "piper":
        return ()
    if settings.voice_second == "none":
        return (settings,)
    second = {"voice": settings.voice_second, "voice_name": "", "voice_url": settings.voice_second_url}
    return settings, settings.model_copy(update={**second, "voice_second": "none"})


async def check(settings: Settings) -> str | None:
    """Ask the cloud services, if any is chosen, whether they take key and voice.

    Returns what is wrong and may pass, or None. Raises: SettingsError: somebody has to mend it.
    """
    troubles = [trouble for each in chosen(settings) if (trouble := await _check(each)) is not None]
    return "; ".join(troubles) or None


async def _check(settings: Settings) -> str | None:
    try:
        voice = CloudVoice(await service_of(settings))
        try:
            await voice.check()
        finally:
            await voice.aclose()
    except VoiceUnavailable as error:
        if error.retryable:
            return str(error)
        raise SettingsError(f"EXAIM_VOICE={settings.voice}: {error.reason}. {_mend(settings)}") from None
    return None


async def service_of(settings: Settings) -> Service:
    """Return the chosen vendor's client.

    Raises: SettingsError: its package or its key is missing. VoiceUnavailable: so are its credentials.
    """
    load(settings)
    named = {"voice": settings.voice_name} if settings.voice_name else {}
    if settings.voice == "google":
        from tts_queue.engines.google import GoogleService

        return await GoogleService.open(
            **named, api_key=settings.google_tts_api_key, address=settings.voice_url
        )
    from tts_queue.engines.deepgram import DeepgramService

    if not settings.deepgram_api_key:
        raise SettingsError(f"EXAIM_VOICE=deepgram: no key. {_mend(settings)}")
    return DeepgramService(**named, api_key=settings.deepgram_api_key, address=settings.voice_url)


def load(settings: Settings) -> None:
    """Load the chosen vendors' clients. Raises: SettingsError: a package is missing."""
    for each in chosen(settings):
        extras.load(f"tts_queue.engines.{each.voice}", f"EXAIM_VOICE={each.voice}")


def _mend(settings: Settings) -> str:
    return f"Look at {_KEYS[settings.voice]}, EXAIM_VOICE_NAME and EXAIM_VOICE_URL (docs/cloud.md)."
