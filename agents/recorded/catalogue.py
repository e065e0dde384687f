"""The recorded cases that can be played: files, and folders of files."""

from __future__ import annotations

import json
import os
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from agents.recorded.errors import TraceError, TraceNotFound, TraceUnreadable, UnknownCase
from agents.recorded.reader import ENDINGS, TRACE_FILES, read_metadata
from agents.recorded.trace import Trace, load_trace
from exaim_core import CasePaper
from exaim_core.patient.paper import said

KEPT_TRACES: Final = 32  # parsed traces in memory: 2 MB each; one more than the 28 recorded ones and ours


@dataclass(frozen=True, slots=True)
class CaseEntry:
    """A case as it is offered. With a `problem` it can't be played, and its figures are 0.

    `words` and `duration_s` (at speed 1) are of what is played; `agents` in order of appearance.
    """

    case_id: str
    title: str
    path: Path
    words: int
    duration_s: float
    agents: tuple[str, ...]
    problem: str | None = None


class Catalogue:
    """Recorded cases by their id, in order of the paths given, within a folder by file name.

    Opening reads the first record of each file, and all of those that have one id. The rest is read
    when an entry or a trace is asked for: once a file, as long as no more than `KEPT_TRACES` traces are
    in use. Calls block (30 ms a file), so an event loop that speaks makes them in a thread; several
    threads may.
    """

    def __init__(self, files: dict[str, Path], problems: dict[str, TraceError]) -> None:
        self._files = files
        self._problems = problems
        self._entries: dict[str, CaseEntry] = {}
        self._papers_of: dict[str, float] = {}  # when the paper that was looked at was changed, in seconds
        self._traces: OrderedDict[str, Trace] = OrderedDict()
        self._lock = threading.RLock()  # held while a file is read: nobody reads it a second time

    @classmethod
    def open(cls, paths: Sequence[Path]) -> Catalogue:
        """Find the traces at `paths`. What can't be read is kept, with its problem; nothing is raised."""
        files: dict[str, Path] = {}
        problems: dict[str, TraceError] = {}
        found = {path: problem for given in paths for path, problem in _trace_files(given)}
        named = {path: (path.name, why) if why else _identify(path) for path, why in found.items()}
        claims: dict[str, dict[Path, TraceError | None]] = {}
        for path, (case_id, why) in named.items():
            claims.setdefault(case_id, {})[path] = why
        told = {case_id: _told_apart(case_id, claim) for case_id, claim in claims.items()}
        for path, (claimed, _) in named.items():
            case_id, problem = told[claimed][path]
            files[case_id] = path
            if problem is not None:
                problems[case_id] = problem
        return cls(files, problems)

    def ids(self) -> tuple[str, ...]:
        """Return all ids, those of broken files too; reads nothing."""
        return tuple(self._files)

    def cases(self) -> tuple[CaseEntry, ...]:
        """Return all entries. Reads whatever was not read yet."""
        return tuple(self.get(case_id) for case_id in self._files)

    def get(self, case_id: str) -> CaseEntry:
        """Return one entry; reads its file only, again once a paper that could not be read was changed.

        Raises UnknownCase.
        """
        path = self._path(case_id)
        with self._lock:
            known = self._entries.get(case_id)
            mended = known is not None and self._paper_changed(known)
            if known is None or mended:
                if case_id not in self._problems:  # else the id may be no file's name
                    self._papers_of[case_id] = _modified_s(_paper_of(path, case_id))
                self._entries[case_id] = self._read(case_id, path)
            return self._entries[case_id]

    def _paper_changed(self, entry: CaseEntry) -> bool:
        """Return whether a case that its paper keeps from being played has another paper by now."""
        if entry.problem is None or entry.case_id in self._problems:
            return False
        return self._papers_of[entry.case_id] != _modified_s(_paper_of(entry.path, entry.case_id))

    def load(self, case_id: str) -> Trace:
        """Return the trace of a case. Raises UnknownCase, or what is wrong with the file."""
        path = self._path(case_id)
        with self._lock:
            if case_id in self._problems:
                raise self._problems[case_id].with_traceback(None)  # else it grows with each call
            if case_id not in self._traces:
                self._traces[case_id] = load_trace(path)
            self._traces.move_to_end(case_id)
            while len(self._traces) > KEPT_TRACES:
                self._traces.popitem(last=False)
            return self._traces[case_id]

    def paper(self, case_id: str) -> dict[str, Any] | None:
        """Return the case paper beside the trace (`<case_id>.paper.json`), or None where there is none.

        Raises: UnknownCase; TraceUnreadable for a paper that is no JSON object.
        """
        path = _paper_of(self._path(case_id), case_id)
        try:
            found = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            return None
        except (ValueError, OSError) as error:
            raise TraceUnreadable(path, "the case paper is not JSON", "mend or remove it") from error
        if not isinstance(found, dict):
            raise TraceUnreadable(path, "the case paper is no JSON object", "mend or remove it")
        return found

    def _read(self, case_id: str, path: Path) -> CaseEntry:
        try:
            trace = self.load(case_id)
        except TraceError as problem:
            self._problems[case_id] = problem
            return CaseEntry(case_id, case_id, path, 0, 0.0, (), str(problem))
        title = self._title(case_id)
        wrong = self._wrong_paper(case_id)
        if wrong is not None:
            return CaseEntry(case_id, title, path, 0, 0.0, (), wrong)
        return CaseEntry(case_id, title, path, trace.words, trace.duration_s, trace.agents)

    def _wrong_paper(self, case_id: str) -> str | None:
        """Return what is wrong with a case's paper: an allergy that can't be read must not vanish.

        The trace can be loaded still: a session that is open goes on.
        """
        try:
            found = self.paper(case_id)
            if found is not None:
                CasePaper.model_validate(found)
        except TraceError as problem:
            return str(problem)
        except ValidationError as error:
            return f"{case_id}.paper.json: {said(error)}; mend or remove it"
        return None

    def _path(self, case_id: str) -> Path:
        if case_id not in self._files:
            raise UnknownCase(case_id, self.ids())
        return self._files[case_id]

    def _title(self, case_id: str) -> str:
        """Return the paper's title; recorded traces have none, so else the id."""
        try:
            title = (self.paper(case_id) or {}).get("title")
        except TraceError:
            return case_id
        return title.strip() if isinstance(title, str) and title.strip() else case_id


class Entries(Mapping[str, CaseEntry]):
    """A catalogue's entries by id, as they are when they are looked at."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def __getitem__(self, case_id: str) -> CaseEntry:
        """Return the entry. Raises: KeyError."""
        try:
            return self._catalogue.get(case_id)
        except UnknownCase:
            raise KeyError(case_id) from None

    def __iter__(self) -> Iterator[str]:
        """Return the ids, in the catalogue's order."""
        return iter(self._catalogue.ids())

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._catalogue.ids())


def _paper_of(path: Path, case_id: str) -> Path:
    return path.with_name(f"{case_id}.paper.json")


def _modified_s(path: Path) -> float:
    """Return when a file was changed last, in seconds; -1: it is not there."""
    try:
        return path.stat().st_mtime
    except OSError:
        return -1.0


def default_cases() -> Path:
    """Return the folder of the cases that come with the program: `cases/` beside the packages."""
    return Path(__file__).resolve().parents[2] / "cases"


def _trace_files(given: Path) -> Iterator[tuple[Path, TraceError | None]]:
    """Yield the traces at a path; or the path itself: no folder, or one that gives no trace, and why."""
    path = Path(os.path.expanduser(given)).absolute()  # an unknown ~user stays as it is, and is not there
    try:
        if not path.is_dir():
            yield path, None
            return
        found = sorted(each for each in path.iterdir() if each.name.endswith(ENDINGS) and each.is_file())
    except OSError as error:
        why = (error.strerror or type(error).__name__).lower()
        mend = "give a folder that this user may list, or mend its rights"
        yield path, TraceUnreadable(path, f"it can't be looked into ({why})", mend)
        return
    if not found:
        mend = f"give one that does: {TRACE_FILES}"
        yield path, TraceUnreadable(path, "the folder holds no trace", mend)
    for each in found:
        yield each, None


def _identify(path: Path) -> tuple[str, TraceError | None]:
    """Return the case id of the trace at `path`, or its file name and the problem."""
    try:
        return read_metadata(path).case_id, None
    except TraceNotFound as problem:
        return path.name, problem
    except TraceError as problem:
        ending = next((each for each in ENDINGS if path.name.endswith(each)), "")
        return path.name.removesuffix(ending), problem


def _told_apart(
    case_id: str, claim: Mapping[Path, TraceError | None]
) -> dict[Path, tuple[str, TraceError | None]]:
    """Return id and problem of the files that share an id; only the first playable one keeps it."""
    if len(claim) == 1:
        return {path: (case_id, why) for path, why in claim.items()}
    broken = {path: why or _problem(path) for path, why in claim.items()}  # read whole: here it matters
    holder = next((path for path, why in broken.items() if why is None), next(iter(claim)))
    twice = f"case {case_id} is at {holder} already"
    return {
        path: (case_id, why)
        if path == holder
        else (f"{case_id} ({path})", why or TraceUnreadable(path, twice, "give one of the two"))
        for path, why in broken.items()
    }


def _problem(path: Path) -> TraceError | None:
    try:
        load_trace(path)
    except TraceError as problem:
        return problem
    return None
