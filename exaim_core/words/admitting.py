"""Check what a summariser other than the lexical one wrote, before it leaves the engine.

Nothing it writes is trusted: every sentence of a field must be an excerpt of one sentence that an agent
said since the last update, or it is left out; a field with nothing left is the lexical one. All lexical
items are kept; of the model's own items, those that are excerpts and new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from exaim_core.board.board import Board
from exaim_core.claims.revoking import is_about
from exaim_core.lexicon.phrases import is_noise, is_question
from exaim_core.schema import (
    FIELD_LIMITS,
    AgentSummary,
    Cite,
    Dropped,
    FieldSentence,
    SpokenItem,
    SpokenKind,
)
from exaim_core.text.boundaries import sentences
from exaim_core.text.sections import Section
from exaim_core.text.units import Sentence, Unit
from exaim_core.text.wording import key_words, word_count
from exaim_core.words.evidence import meet, spans_of
from exaim_core.words.excerpts import Excerpt, source_of
from exaim_core.words.summarizer import (
    NO_EXCERPT,
    Draft,
    LexicalSummarizer,
    Summarizer,
    SummaryRequest,
    attributed,
)
from exaim_core.words.templates import said_words

MOST_OWN_ITEMS: Final = 2  # an update is six seconds of speech, and the lexical items come first
ITEM_WORDS: Final = 15  # six seconds at the default voice's 2.6 words a second
LEAST_WORDS: Final = 3
_LISTS: Final = frozenset({Section.DIFFERENTIAL, Section.DISAGREEMENT})


async def drafted(
    summarizer: Summarizer, request: SummaryRequest, told: Collection[str]
) -> tuple[Draft, tuple[str, ...]]:
    """Return a summariser's draft, admitted unless it is the lexical one, and the parts that failed."""
    draft = await summarizer.summarise(request)
    failures = (draft.fallback,) if draft.fallback else ()
    if isinstance(summarizer, LexicalSummarizer):
        return draft, failures
    lexical = await LexicalSummarizer().summarise(request)
    found = attributed(admitted(draft, lexical, request, told), lexical)
    return found, failures if draft.engine == found.engine else (*failures, NO_EXCERPT)


def citable(units: Iterable[Unit], board: Board) -> tuple[Excerpt, ...]:
    """Return the whole sentences that may be cited: prose that nobody has contested or taken back since.

    List items are left out: their meaning depends on a heading, which an excerpt would lose.
    """
    return tuple(
        Excerpt(unit.full, unit.source)
        for unit in units
        if isinstance(unit, Sentence)
        and not unit.listed
        and unit.section not in _LISTS
        and word_count(unit.full) >= LEAST_WORDS
        and unit.text[-1:] in ".!"
        and not is_noise(unit.text)
        and not is_question(unit.text)
        and _stands(unit, board)
    )


def _stands(unit: Sentence, board: Board) -> bool:
    if board.numbers.is_disputed(unit.full):
        return False
    since = unit.source.last_seq
    return not any(
        is_about(part, unit.full)
        for ban in board.orders.bans
        if ban.source.first_seq > since
        for part in ban.revokes
    )


def admitted(draft: Draft, lexical: Draft, request: SummaryRequest, told: Collection[str]) -> Draft:
    """Return `draft` with only what may leave; `told` are the texts of items spoken before."""
    said = citable(request.said, request.board)
    names = {agent: request.names(agent) for agent in {each.source.agent_id for each in said}}
    dropped: Counter[str] = Counter()
    texts, truncated = {}, []
    told_in_fields: list[FieldSentence] = []
    for name, limit in FIELD_LIMITS.items():
        written, plain = getattr(draft.summary, name), getattr(lexical.summary, name)
        kept = plain if written == plain else _standing(written, said, names, dropped, name)
        texts[name] = kept if kept and len(kept) <= limit else plain
        told_in_fields += [each for each in lexical.sentences if each.field == name and texts[name] == plain]
        told_in_fields += _cited(name, texts[name], said, names) if texts[name] != plain else ()
        if name in draft.truncated and texts[name] == written:
            truncated.append(name)
    items = [*lexical.items]
    for item in draft.items:
        if item in lexical.items:
            continue
        own = _own_item(item, said, request, names, [*(each.text for each in items), *told])
        if own is None or len(items) - len(lexical.items) >= MOST_OWN_ITEMS:
            dropped["item:own"] += 1
            continue
        items.append(own)
    times_s = [each.source.at_s for each in said if any(_cites(item, each) for item in items)]
    cited_at_s = max(
        [*([lexical.cited_at_s] if lexical.cited_at_s is not None else []), *times_s], default=None
    )
    return replace(
        draft,
        summary=AgentSummary(**texts),
        items=_closing_last(_numbered(items, request.number, behind=len(lexical.spare))),
        spare=tuple(each for each in lexical.spare if not _is_told_in(each, items)),
        dropped=(
            *lexical.dropped,
            *(Dropped(text_kind=kind, reason="no excerpt") for kind in dropped.elements()),
        ),
        cited_at_s=cited_at_s,
        truncated=tuple(truncated),
        sentences=tuple(told_in_fields),
        spared=lexical.spared,
    )


def _cited(field: str, text: str, said: Sequence[Excerpt], names: dict[str, str]) -> Iterator[FieldSentence]:
    """Yield the sentences of a model's field that are excerpts, each with the sentence it is from."""
    end = 0
    for sentence in sentences(text):
        start = text.find(sentence, end)
        end = start + len(sentence)
        source = source_of(sentence, said, names)
        if source is not None:
            yield FieldSentence(field=field, start=start, end=end, evidence=spans_of((source.source,)))


def _standing(
    text: str, said: Sequence[Excerpt], names: dict[str, str], dropped: Counter[str], field: str
) -> str:
    kept = []
    for sentence in sentences(text):
        if source_of(sentence, said, names) is not None:
            kept.append(sentence)
        else:
            dropped[f"field:{field}"] += 1
    return " ".join(kept)


def _own_item(
    item: SpokenItem,
    said: Sequence[Excerpt],
    request: SummaryRequest,
    names: dict[str, str],
    told: Sequence[str],
) -> SpokenItem | None:
    source = source_of(item.text, said, names) if word_count(item.text) <= ITEM_WORDS else None
    if source is None or _repeats(item.text, told):
        return None
    where = source.source
    return SpokenItem(
        item_id=f"{request.number:04d}.0",
        kind=SpokenKind.FINDING,
        text=item.text,
        agents=(where.agent_id,),
        cites=(Cite(agent_id=where.agent_id, first_seq=where.first_seq, last_seq=where.last_seq),),
        evidence=spans_of((where,)),
    )


def _repeats(text: str, told: Iterable[str]) -> bool:
    """Return whether one earlier item told most of what `text` says."""
    words = set(key_words(text))
    return not words or any(len(words & set(key_words(old))) * 2 > len(words) for old in told)


def _numbered(items: Sequence[SpokenItem], number: int, *, behind: int) -> list[SpokenItem]:
    """Return the items with ids for the model's own; those are behind the ids of so many spare items."""
    return [
        item if not item.item_id.endswith(".0") else item.model_copy(update={"item_id": f"{number:04d}.{k}"})
        for k, item in enumerate(items, start=1 + behind)
    ]


def _is_told_in(spare: SpokenItem, items: Iterable[SpokenItem]) -> bool:
    """Return whether an item that rests on words of a spare one tells most of it."""
    there = [
        item.text
        for item in items
        if item.kind is not SpokenKind.CLOSING and meet(spare.evidence, item.evidence)
    ]
    return _repeats(said_words(spare.text), there)


def _closing_last(items: Sequence[SpokenItem]) -> tuple[SpokenItem, ...]:
    return tuple(sorted(items, key=lambda item: item.kind is SpokenKind.CLOSING))


def _cites(item: SpokenItem, said: Excerpt) -> bool:
    return any(
        cite.agent_id == said.source.agent_id and cite.first_seq == said.source.first_seq
        for cite in item.cites
    )
