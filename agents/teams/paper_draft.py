"""A case paper out of free text: a model copies, and what the text does not bear is left out.

The model answers once, in a declared form. Each entry names the words that it was copied from; it counts only if
they stand in the text, mean what the entry says, and hold its number next to its name. Nothing is corrected in
silence: what was left out is listed with its reason, and so is every sentence from which nothing was taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from agents.teams.errors import CaseEmpty, CaseTooLong, NothingBorne
from agents.teams.paper_entries import Entries, Entry, PatientSaid
from agents.teams.paper_form import AgeSaid, HeightSaid, PaperForm, SexSaid, WeightSaid
from agents.teams.paper_words import NotBorne, WordsPlace, place_of, sentences
from agents.teams.patients import check_one, seems_two
from agents.teams.prompts import prompt
from chat_models import CallLimits, ModelCaller
from chat_models.documents import as_json
from exaim_core import CasePaper

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

Made = TypeVar("Made")

CLERK: Final = "clerk"
"""The role of the model that copies, in a script; of others it is whatever `mas` is."""

TEXT_CHARS: Final = 40_000  # as long as a case may be
WITHIN_S: Final = 600.0  # as a team's call: a model of one's own reads and writes a long form for minutes
MOST_LEFT: Final = 200  # that are listed
TITLE_CHARS: Final = 100


@dataclass(frozen=True, slots=True)
class Source:
    """From which words of the text a field comes, and where they stand in it."""

    field: str
    words: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What the model said and the text does not bear, or from what nothing was taken."""

    field: str
    words: str
    why: str


@dataclass(frozen=True, slots=True)
class PaperDraft:
    """A case paper to be corrected. `unread` are the text's sentences of which nothing is in it."""

    paper: dict[str, Any]
    sources: tuple[Source, ...]
    left_out: tuple[LeftOut, ...]
    unread: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the paper as `exaim team` takes it, with the words of each field beside."""
        return self.paper | {"sources": {each.field: each.words for each in self.sources}}


async def draft_paper(
    text: str,
    model: BaseChatModel,
    *,
    case_id: str = "draft",
    structured: str = "json_schema",
    within_s: float = WITHIN_S,
    one_patient: bool = False,
) -> PaperDraft:
    """Return a case paper made from a text about one patient; the model is asked again only if away.

    `structured`: how it is asked for a declared form (models.yaml). `one_patient`: whoever gives the text says that
    all of it is about one, so that nothing is looked for that may say otherwise.

    Raises: CaseEmpty, CaseTooLong, TwoPatients, NothingBorne; CallFailed: the model brought no form.
    """
    if not text.strip():
        raise CaseEmpty
    if len(text) > TEXT_CHARS:
        raise CaseTooLong(len(text), TEXT_CHARS)
    if not one_patient:
        check_one(text)
    caller = ModelCaller(model, structured=structured, limits=CallLimits(deadline_s=within_s, tries=2))
    asked = [
        ("system", prompt("paper").text),
        ("human", as_json({"kind": "paper", "round": 1, "text": text})),
    ]
    form = await caller.structured(asked, PaperForm)
    return drafted(text, form, case_id=case_id, one_patient=one_patient)


def drafted(text: str, form: PaperForm, *, case_id: str = "draft", one_patient: bool = False) -> PaperDraft:
    """Return what a text bears of a form. Pure. Raises: TwoPatients, NothingBorne."""
    if not one_patient:
        _one_by_introductions(text, form.patients)
    found = _Found(text, Entries(text))
    paper: dict[str, Any] = {}
    for part in (form.age, form.sex, form.weight_kg, form.height_cm):
        if part is not None:
            paper |= found.of(part)
    paper["presenting_complaint"] = found.complaint(form.presenting_complaint)
    for name, words in (("history", form.history), ("notes", form.notes)):
        paper[name] = found.lines(name, words)
    for name, make, said in (
        ("medication", found.entries.drug, form.medication),
        ("allergies", found.entries.allergy, form.allergies),
        ("observations", found.entries.observation, form.observations),
        ("labs", found.entries.lab, form.labs),
        ("imaging", found.entries.image, form.imaging),
    ):
        paper[name] = found.listed(name, cast("Callable[[Any], list[Entry]]", make), said)
    if not found.sources:
        raise NothingBorne(len(found.left_out))
    title = _title(str(paper["presenting_complaint"]))
    whole = CasePaper.model_validate({"case_id": case_id, "title": title, **paper})
    told = whole.model_dump(mode="json", exclude_defaults=True) | {"case_id": case_id}
    return PaperDraft(told, tuple(found.sources), found.all_left_out(), tuple(found.unread()))


class _Found:
    """Gathers what entries come from, and what was left out."""

    def __init__(self, text: str, entries: Entries) -> None:
        self.entries = entries
        self.sources: list[Source] = []
        self.left_out: list[LeftOut] = []
        self._text = text

    def of(self, said: PatientSaid) -> Entry:
        """Return what is said of the patient; nothing if it was left out."""
        name = {AgeSaid: "age", SexSaid: "sex", WeightSaid: "weight_kg", HeightSaid: "height_cm"}[type(said)]
        return next(iter(self._made(name, said.words, lambda: [self.entries.patient(said)])), {})

    def complaint(self, words: str) -> str:
        """Return what the patient comes with; "" if it was left out."""
        if not words:
            return ""
        return "".join(self._made("presenting_complaint", words, lambda: [self.entries.complaint(words)]))

    def lines(self, name: str, said: Sequence[str]) -> list[str]:
        """Return lines as they stand in the text, each once."""
        made: list[str] = []
        for words in filter(None, said):
            field, before = f"{name}.{len(made)}", len(self.sources)
            new = self._made(field, words, lambda words=words: [self.entries.line(words)])  # type: ignore[misc]
            if not all(line in made for line in new):
                made += new
            else:
                del self.sources[before:]  # of the entry that is there already, another source stands
        return made

    def listed(self, name: str, make: Callable[[Any], list[Entry]], said: Sequence[Any]) -> list[Entry]:
        """Return the entries that were made; one that was said may make several."""
        made: list[Entry] = []
        for each in said:
            first = len(made)
            made += self._made(f"{name}.{first}", each.words, lambda each=each: make(each))  # type: ignore[misc]
            self.sources += [
                replace(self.sources[-1], field=f"{name}.{at}") for at in range(first + 1, len(made))
            ]
        return made

    def all_left_out(self) -> tuple[LeftOut, ...]:
        """Return whole entries that were left out, then parts of others."""
        return (*self.left_out, *(LeftOut(*each) for each in self.entries.parts_left))[:MOST_LEFT]

    def unread(self) -> Iterator[str]:
        """Yield the sentences of which nothing was taken."""
        taken = [(each.start, each.end) for each in self.sources]
        for each in sentences(self._text):
            if not any(start < each.end and each.start < end for start, end in taken):
                yield each.words

    def _made(self, field: str, words: str, make: Callable[[], list[Made]]) -> list[Made]:
        try:
            place = place_of(self._text, words)
            made = make()
        except NotBorne as error:
            self.left_out.append(LeftOut(field.split(".")[0], words, str(error)))
            return []
        self.sources.append(Source(field, place.words, place.start, place.end))
        return made


def _one_by_introductions(text: str, introduced: Sequence[str]) -> None:
    """Check that the text introduces only one patient. Raises: TwoPatients."""
    places: list[WordsPlace] = []
    for words in introduced:
        try:
            place = place_of(text, words)
        except NotBorne:
            continue
        if not any(each.start < place.end and place.start < each.end for each in places):
            places.append(place)
    if len(places) > 1:
        raise seems_two(text, places[0], places[1])


def _title(complaint: str) -> str:
    if len(complaint) <= TITLE_CHARS:
        return complaint or "A case of your own"
    return complaint[:TITLE_CHARS].rsplit(" ", 1)[0]
