"""Choose who reads the agents' words, writes the six fields and says when: rules or chat models.

A successor that reads the log again makes the updates that are committed as they were, whoever judged and
wrote them; models are asked only for what comes after, and only while the engine keeps up with the agents.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from chat_models import (
    CallLimits,
    LLMError,
    LLMRole,
    ModelCaller,
    ModelSpec,
    Registry,
)
from exaim_core import Update
from exaim_core.judge import BufferAnalysis, Judge, JudgeRequest, LexicalJudge, Path, StreamState
from exaim_core.llm.judge import LLMJudge
from exaim_core.llm.reader import LLMReader, Pulse, ReadLimits
from exaim_core.llm.summarizer import LLMSummarizer
from exaim_core.readings.port import SegmentReader
from exaim_core.words.summarizer import Draft, LexicalSummarizer, Summarizer, SummaryRequest
from infra.llm_registry import readers_of, registry_of
from infra.settings import Settings, SettingsError

log = logging.getLogger(__name__)

FIELD_LIMITS: Final = CallLimits(deadline_s=3.0, tries=2)  # an update's spoken items wait for its fields
VERDICT_LIMITS: Final = CallLimits(deadline_s=1.5, tries=1)  # all that follows waits for each verdict
BEHIND_S: Final = 3.0  # with a verdict and the fields after it, the 8 s in which news is to be said
BEHIND: Final = "behind"
Lag = Callable[[], float]
"""How far the engine is behind the agents' words, in seconds."""


@dataclass(frozen=True, slots=True)
class ReadingModel:
    """A model that may read, with its breaker and its pace, which the sessions share."""

    caller: ModelCaller
    spec: ModelSpec
    pulse: Pulse


@dataclass(frozen=True, slots=True)
class Writer:
    """The models that a process's sessions share, with their breakers and counts; None: rules."""

    fields: ModelCaller | None = None
    verdicts: ModelCaller | None = None
    registry: Registry | None = None
    readers: Mapping[str, ReadingModel] = field(default_factory=dict)

    def reader(self, name: str = "") -> SegmentReader | None:
        """Return who reads one session's words: the named model, "": the usual one; None: rules.

        A name that this process does not know is read by rules: no other model gets the words.
        """
        found = self.readers.get(name or next(iter(self.readers), ""))
        if found is None:
            if name:
                log.warning("a session names a reader that is not configured here; rules read it")
            return None
        return LLMReader(found.caller, host=found.spec.host, pulse=found.pulse, prices=found.spec.prices)

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
    specs = readers_of(settings, environ)
    if not specs and settings.engine != "llm" and settings.judge == "lexical":
        return Writer()
    registry = registry_of(settings, environ)

    def caller(spec: ModelSpec, limits: CallLimits, named: str) -> ModelCaller:
        try:
            model = registry.model_of(spec)
        except LLMError as error:
            raise SettingsError(f"{named}: {error}") from None
        return ModelCaller(
            model, structured=spec.structured, streaming=spec.streaming, limits=limits, name=spec.model
        )

    pace = ReadLimits(
        start_s=settings.read_s, least_s=min(3.0, settings.read_s), most_s=max(30.0, settings.read_s)
    )
    limits = CallLimits(deadline_s=pace.most_s, tries=2)
    named = f"EXAIM_ENGINE={settings.engine}"
    fields = settings.engine == "llm"
    verdicts = settings.judge == "llm"
    return Writer(
        fields=caller(registry.specs[LLMRole.SUMMARIZER], FIELD_LIMITS, named) if fields else None,
        verdicts=(
            caller(registry.specs[LLMRole.BUFFER_AGENT], VERDICT_LIMITS, "EXAIM_JUDGE=llm")
            if verdicts
            else None
        ),
        registry=registry,
        readers={
            name: ReadingModel(caller(spec, limits, named), spec, Pulse(pace)) for name, spec in specs.items()
        },
    )


def paths_of(committed: Sequence[Update]) -> Mapping[int, Path] | None:
    """Return which requests to the judge brought an update, and by which rule.

    None: an earlier version made them, which did not note it, and judged by rules.
    """
    found: dict[int, Path] = {}
    for update in committed:
        if update.path == "end" or update.by_reading:
            continue
        if update.judged == 0:
            return None
        found[update.judged] = update.path
    return found


def retold_of(committed: Sequence[Update]) -> Mapping[int, int]:
    """Return after which requests to the judge readings brought updates, and how many."""
    return Counter(update.judged for update in committed if update.by_reading)


def _any_by_model(committed: Sequence[Update]) -> bool:
    return any(update.engine == "llm" or update.by_reading for update in committed)


class Recommitted:
    """Returns committed drafts as they are, and has the rest written."""

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


class CommittedJudge:
    """Repeats the verdicts that made updates already, then asks another judge.

    A log that is read again has to be cut as it was, whoever judged it: a model's verdicts are not
    repeatable, and rules change from one version to the next. `paths` are those of the updates, by the
    number of the request that brought each.
    """

    def __init__(self, paths: Mapping[int, Path], then: Judge) -> None:
        self._paths = dict(paths)
        self._until = max(paths, default=0)
        self._then = then

    async def judge(self, request: JudgeRequest) -> BufferAnalysis | None:
        """Return the verdict as it was; of a request after the last update, the other judge's."""
        if request.number > self._until:
            return await self._then.judge(request)
        path = self._paths.get(request.number)
        state = {"C": StreamState.CRITICAL_ALERT, "B": StreamState.TOPIC_SHIFT}
        return BufferAnalysis(
            rationale="as it was judged",
            stream_state=state.get(path or "", StreamState.SAME_TOPIC_CONTINUING),
            is_relevant=path is not None,
            is_novel=path is not None,
            is_complete=path == "A",
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
