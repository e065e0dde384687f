"""Choose the recognisers of the clinician's speech: on this machine, or in the cloud beside it.

The vendor's client is loaded only where it is chosen, and the ears only where somebody listens: `exaim up`
asks here too.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from app import extras
from infra.settings import Settings, SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable

    from realtime.ears import Ending, Second, Transcriber
    from realtime.ears.echo_canceller import EchoCanceller
    from realtime.ears.flux import Flux
    from realtime.ears.second import Opinions

log = logging.getLogger("exaim.ears")

_HERE: Final = "moonshine and a closed vocabulary (on this machine)"
_WITH_SECOND: Final = "moonshine, a closed vocabulary, and whisper where these don't do (on this machine)"


def options(settings: Settings) -> tuple[str, ...]:
    """Return the engines process's options for the chosen ears."""
    model = () if settings.ears_model is None else ("--ears-model", str(settings.ears_model))
    return model if _has_second(settings) else ("--no-second", *model)


def second_of(settings: Settings, asked: Opinions, case_words: frozenset[str]) -> Second | None:
    """Return the second recogniser for unclear turns; None if a cloud recogniser is chosen."""
    if not _has_second(settings):
        return None
    from realtime.ears.hints import hints
    from realtime.ears.second import SecondOpinion
    from realtime.interruption import is_made_out

    return SecondOpinion(asked, known=lambda text: is_made_out(text, case_words), hints=hints(case_words))


def ending_by(case_words: frozenset[str]) -> Callable[[str], Ending]:
    """Return the judge of whether more words are to come after a pause."""
    from realtime.interruption import ending_of

    return lambda text: ending_of(text, case_words)


def canceller_of(settings: Settings) -> EchoCanceller | None:
    """Return one session's echo canceller, or None if there is to be none."""
    if settings.ears_echo == "none":
        return None
    from realtime.ears.echo_canceller import EchoCanceller
    from realtime.ears.webrtc import WebRtcProcessing
    from tts_queue import SAMPLE_RATE_HZ

    return EchoCanceller(WebRtcProcessing(SAMPLE_RATE_HZ), SAMPLE_RATE_HZ)


def _has_second(settings: Settings) -> bool:
    return settings.ears == "local" and settings.ears_second == "whisper"


def transcriber_of(settings: Settings, case_words: frozenset[str]) -> Transcriber | None:
    """Return the cloud transcriber, primed with the case's words, if one is chosen.

    A recogniser that can't be had leaves the ears of this machine.
    """
    if settings.ears == "local":
        return None
    try:
        load(settings)
    except SettingsError as error:
        log.error("%s; this machine's ears write alone", error)  # noqa: TRY400 - the message is the story
        return None
    from realtime.conversation.case_words import keyterms
    from realtime.ears.flux import NAME
    from realtime.ears.stream import StreamTranscriber

    return StreamTranscriber(NAME, _flux(settings, keyterms(case_words)).dial)


def load(settings: Settings) -> None:
    """Load the chosen client. Raises: SettingsError: its package or its key is missing."""
    if settings.ears == "local":
        return
    extras.load("realtime.ears.flux", f"EXAIM_EARS={settings.ears}")
    if not settings.deepgram_api_key:
        raise SettingsError(f"EXAIM_EARS={settings.ears} wants DEEPGRAM_API_KEY. Or unset EXAIM_EARS.")


async def check(settings: Settings) -> str | None:
    """Return why the chosen service does not answer now, or None. It is sent no sound.

    Raises: SettingsError: its client or its key is missing, or it refuses the key.
    """
    if settings.ears == "local":
        return None
    load(settings)
    from realtime.ears.stream import LineLost

    try:
        async with _flux(settings).dial():
            return None
    except LineLost as error:
        if error.lasting:
            raise SettingsError(f"EXAIM_EARS={settings.ears}: {error.reason}") from None
        return error.reason


def told(settings: Settings, trouble: str | None) -> str:
    """Return a line for people about the ears that are used."""
    if settings.ears == "local":
        return _WITH_SECOND if _has_second(settings) else _HERE
    now = f"\n          now: {trouble}; this machine's ears write alone" if trouble else ""
    warning = "the clinician's voice LEAVES THIS MACHINE (docs/cloud.md)"
    return f"Deepgram Flux: {warning}\n          beside {_HERE}{now}"


def _flux(settings: Settings, keyterms: tuple[str, ...] = ()) -> Flux:
    from realtime.ears import flux

    address = settings.ears_url or flux.ADDRESS
    return flux.Flux(key=settings.deepgram_api_key, keyterms=keyterms, address=address)
