"""Each vendor's adapter against its twin, as a test uses it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from tests.twins.deepgram_twin import deepgram_twin
from tests.twins.google_tts_twin import google_tts_twin
from tests.twins.script import KEY
from tests.twins.speech import Fault, SpeechTwin
from tts_queue.engines import deepgram, google
from tts_queue.engines.cloud import CloudVoice

VENDORS = ("google", "deepgram")
CHIRP = "en-US-Chirp3-HD-Orus"
AURA_1 = "aura-orion-en"
AWAY = {"google": Fault("UNAVAILABLE"), "deepgram": Fault(503, "SERVICE_UNAVAILABLE")}


@dataclass(frozen=True, slots=True)
class Behind:
    """A voice and the twin that answers it."""

    voice: CloudVoice
    twin: SpeechTwin


async def service(vendor: str, address: str, voice: str = "", key: str = KEY) -> CloudVoice:
    """Return a vendor's voice at an address; its deadline is short, since nothing here is far away."""
    if vendor == "google":
        opened = await google.GoogleService.open(voice or google.DEFAULT_VOICE, api_key=key, address=address)
        return CloudVoice(opened, deadline_s=1.0)
    made = deepgram.DeepgramService(voice or deepgram.DEFAULT_VOICE, api_key=key, address=address)
    return CloudVoice(made, deadline_s=1.0)


@asynccontextmanager
async def twin_of(vendor: str) -> AsyncIterator[SpeechTwin]:
    """Serve the vendor's twin."""
    async with (google_tts_twin if vendor == "google" else deepgram_twin)() as twin:
        yield twin


@asynccontextmanager
async def behind(vendor: str, voice: str = "", key: str = KEY) -> AsyncIterator[Behind]:
    """Serve the vendor's twin and yield a voice that asks it."""
    async with twin_of(vendor) as twin:
        cloud = await service(vendor, twin.address, voice, key)
        try:
            yield Behind(cloud, twin)
        finally:
            await cloud.aclose()
