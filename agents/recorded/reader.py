"""Reads the lines of a trace file, gzip or plain, into records."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

from agents.recorded.errors import TraceEmpty, TraceNotFound, TraceSchemaError, TraceUnreadable
from agents.recorded.records import (
    SCHEMA_VERSION,
    BadRecord,
    Metadata,
    Record,
    json_object,
    metadata,
    record,
)

ENDINGS: Final = (".trace.jsonl.gz", ".trace.jsonl", ".jsonl.gz", ".jsonl")
TRACE_FILES: Final = f"a trace is a file *{', *'.join(ENDINGS[:-1])} or *{ENDINGS[-1]}"
"""Said wherever a trace is asked for."""
_GZIP_MAGIC: Final = b"\x1f\x8b"
MAX_LINE_CHARS: Final = 1_000_000  # a delta has 5 characters on average; longer than this is no trace
MAX_RECORDS: Final = 200_000  # as many events as a session's log takes; the recorded cases have 7,297 at most

MAX_CHARS: Final = 16_000_000
"""Of a file, unpacked: fifteen times the recorded cases. 14 kB of gzip can be 14 MB of text."""


def read_metadata(path: Path) -> Metadata:
    """Read only the first record of the trace at `path`. Raises TraceError."""
    for number, line in _lines(path):
        return _first(path, number, line)
    raise TraceEmpty(path)


def read_records(path: Path) -> tuple[Metadata, list[Record]]:
    """Read the trace at `path` once, whole, in file order; nothing is compared yet. Raises TraceError."""
    meta: Metadata | None = None
    records: list[Record] = []
    for number, line in _lines(path):
        if meta is None:
            meta = _first(path, number, line)
            continue
        try:
            records.append(record(json_object(line), meta.case_id))
        except BadRecord as error:
            raise TraceUnreadable(path, str(error), "mend or remove that line", number) from error
        if len(records) > MAX_RECORDS:
            raise TraceUnreadable(path, f"more than {MAX_RECORDS} records", "split the trace")
    if meta is None or not records:
        raise TraceEmpty(path)
    return meta, records


def _first(path: Path, number: int, line: str) -> Metadata:
    try:
        found = json_object(line)
        if found.get("record_type") != "trace_meta":
            raise TraceSchemaError(
                path, "its first record is no trace_meta", f"give a trace, not another log: {TRACE_FILES}"
            )
        version = found.get("schema_version")
        if version != SCHEMA_VERSION:
            shown = str(version)[:20]
            raise TraceSchemaError(
                path,
                f"schema version {shown}, and {SCHEMA_VERSION} is read here",
                "record the trace again or convert it",
            )
        return metadata(found)
    except BadRecord as error:
        raise TraceUnreadable(path, str(error), "mend that line", number) from error


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the number, from 1, and the text of each line that is not blank."""
    with _translated(path), _open(path) as file:
        number = chars = 0
        while line := file.readline(MAX_LINE_CHARS):
            number += 1
            chars += len(line)
            if chars > MAX_CHARS:
                much = f"it unpacks to more than {MAX_CHARS:,} characters"
                raise TraceUnreadable(path, much, "split the trace", number)
            if len(line) == MAX_LINE_CHARS:
                raise TraceUnreadable(path, "the line is too long for a record", "mend that line", number)
            if line.strip():
                yield number, line


def _open(path: Path) -> TextIO:
    with path.open("rb") as file:
        packed = file.read(2) == _GZIP_MAGIC
    if packed:
        return gzip.open(path, "rt", encoding="utf-8-sig")
    if path.suffix == ".gz" and path.stat().st_size:
        raise TraceUnreadable(
            path, "it is named .gz and is not gzip", "compress it, or name it .jsonl if it is plain"
        )
    return path.open(encoding="utf-8-sig")


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Turn what the file system and the unpacker raise into TraceErrors."""
    try:
        yield
    except FileNotFoundError as error:
        raise TraceNotFound(path) from error
    except EOFError as error:
        raise TraceUnreadable(path, "the gzip file is cut short", "copy or download it again") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise TraceUnreadable(path, "the gzip file is damaged", "copy or download it again") from error
    except UnicodeDecodeError as error:
        raise TraceUnreadable(path, "it is not UTF-8 text", f"give a trace: {TRACE_FILES}") from error
    except OSError as error:
        what = error.strerror or "it can't be opened"
        raise TraceUnreadable(path, what.lower(), "check that it is a file you may read") from error
