"""Who writes the page's six fields: the lexical engine, or a chat model where EXAIM_ENGINE says so.

Decisions stay the lexical judge's in a session: a successor that reads the log again has to cut the same
updates, and a model's verdicts are not repeatable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from exaim_core.llm import CallLimits, LLMError, LLMRole, LLMSummarizer, ModelCaller
from exaim_core.summarizer import Summarizer
from infra.llm_registry import registry_of
from infra.settings import Settings, SettingsError

LIMITS: Final = CallLimits(deadline_s=3.0, tries=2)  # an update's spoken items wait for its fields
Writer = Callable[[int], Summarizer]


def writer_of(settings: Settings, environ: Mapping[str, str] | None = None) -> Writer | None:
    """Return what makes a session's summariser, given the last update committed; None for the lexical one.

    All sessions of a process share the model, its breaker and its counts.

    Raises: SettingsError: a key, a package or a file is missing; the message names the mend.
    """
    if settings.engine == "lexical":
        return None
    registry = registry_of(settings, environ)
    try:
        model = registry.get(LLMRole.SUMMARIZER)
    except LLMError as error:
        raise SettingsError(f"EXAIM_ENGINE=llm: {error}") from None
    spec = registry.specs[LLMRole.SUMMARIZER]
    caller = ModelCaller(
        model, structured=spec.structured, streaming=spec.streaming, limits=LIMITS, name=spec.model
    )
    return lambda committed: LLMSummarizer(caller, after=committed)
