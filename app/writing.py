"""Who writes the page's six fields, and who says when: rules, or chat models where the settings say so.

A successor that reads the log again makes the updates that are committed as they were, whoever judged and
wrote them; models are asked only for what comes after, and only while the engine keeps up with the agents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from exaim_core import Update
from exaim_core.judge import BufferAnalysis, CommittedJudge, Judge, JudgeRequest, LexicalJudge, Path
from exaim_core.llm import CallLimits, LLMError, LLMJudge, LLMRole, LLMSummarizer, ModelCaller, Registry
from exaim_core.words.summarizer import Draft, LexicalSummarizer, Summarizer, SummaryRequest
from infra.llm_registry import registry_of
from infra.settings import Settings, SettingsError

FIELD_LIMITS: Final = CallLimits(deadline_s=3.0, tries=2)  # an update's spoken items wait for its fields
VERDICT_LIMITS: Final = CallLimits(deadline_s=1.5, tries=1)  # all that follows waits for each verdict
BEHIND_S: Final = 3.0  # with a verdict and the fields after it, the 8 s in which news is to be said
BEHIND: Final = "behind"
Lag = Callable[[], float]
"""How far the engine is behind the agents' words, in seconds."""


@dataclass(frozen=True, slots=True)
class Writer:
    """The models that a process's sessions share, with their breakers and counts; None: rules."""

    fields: ModelCaller | None = None
    verdicts: ModelCaller | None = None
    registry: Registry | None = None

    async def aclose(self) -> None:
        """Close the models' connections; on the loop on which they were used."""
        if self.registry is not None:
            await self.registry.aclose()

    def summarizer(self, committed: Sequence[Update], lag_s: Lag) -> Summarizer:
        """Return who writes one session's fields after the updates that are `committed`."""
        if self.fields is None:
            return Recommitted(committed, LexicalSummarizer()) if _any_by_model(committed) else RULES
        return Recommitted(committed, TimelySummarizer(LLMSummarizer(self.fields), lag_s))

    def judge(self, committed: Sequence[Update], lag_s: Lag) -> Judge:
        """Return who says when an update of one session is due, after those that are `committed`."""
        paths = paths_of(committed)
        if paths is None:
            return LexicalJudge()
        if self.verdicts is None:
            return CommittedJudge(paths, LexicalJudge())
        return CommittedJudge(paths, TimelyJudge(LLMJudge(self.verdicts), lag_s))


RULES: Final = LexicalSummarizer()


def writer_of(settings: Settings, environ: Mapping[str, str] | None = None) -> Writer:
    """Return who writes and judges, by the settings.

    Raises: SettingsError: a key, a package or a file is missing; the message names the mend.
    """
    if settings.engine == "lexical" and settings.judge == "lexical":
        return Writer()
    registry = registry_of(settings, environ)

    def caller(role: LLMRole, limits: CallLimits, named: str) -> ModelCaller:
        try:
            model = registry.get(role)
        except LLMError as error:
            raise SettingsError(f"{named}=llm: {error}") from None
        spec = registry.specs[role]
        return ModelCaller(
            model, structured=spec.structured, streaming=spec.streaming, limits=limits, name=spec.model
        )

    fields = settings.engine == "llm"
    verdicts = settings.judge == "llm"
    return Writer(
        fields=caller(LLMRole.SUMMARIZER, FIELD_LIMITS, "EXAIM_ENGINE") if fields else None,
        verdicts=caller(LLMRole.BUFFER_AGENT, VERDICT_LIMITS, "EXAIM_JUDGE") if verdicts else None,
        registry=registry,
    )


def paths_of(committed: Sequence[Update]) -> Mapping[int, Path] | None:
    """Return which requests to the judge brought an update, and by which rule.

    None: an earlier version made them, which did not note it, and judged by rules.
    """
    found: dict[int, Path] = {}
    for update in committed:
        if update.path == "end":
            continue
        if update.judged == 0:
            return None
        found[update.judged] = update.path
    return found


def _any_by_model(committed: Sequence[Update]) -> bool:
    return any(update.engine == "llm" for update in committed)


class Recommitted:
    """Gives what is committed as it is, and has the rest written."""

    def __init__(self, committed: Sequence[Update], then: Summarizer) -> None:
        self._committed = {update.number: update for update in committed}
        self._then = then

    async def summarise(self, request: SummaryRequest) -> Draft:
        """Return the draft."""
        update = self._committed.get(request.number)
        if update is None:
            return await self._then.summarise(request)
        return Draft(
            summary=update.summary,
            items=update.items,
            engine=update.engine,
            model=update.model,
            truncated=update.truncated,
        )


class TimelySummarizer:
    """Asks a model while the engine keeps up; else rules write, and say so."""

    def __init__(self, model: Summarizer, lag_s: Lag) -> None:
        self._model, self._lag_s = model, lag_s

    async def summarise(self, request: SummaryRequest) -> Draft:
        """Return the draft."""
        if self._lag_s() <= BEHIND_S:
            return await self._model.summarise(request)
        return replace(await RULES.summarise(request), fallback=BEHIND)


class TimelyJudge:
    """Asks a model while the engine keeps up; else rules judge, and say so."""

    def __init__(self, model: Judge, lag_s: Lag) -> None:
        self._model, self._rules, self._lag_s = model, LexicalJudge(), lag_s

    async def judge(self, request: JudgeRequest) -> BufferAnalysis | None:
        """Return the verdict."""
        if self._lag_s() <= BEHIND_S:
            return await self._model.judge(request)
        return replace(await self._rules.judge(request), fallback=BEHIND)
