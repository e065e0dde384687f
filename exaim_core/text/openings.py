"""Tell how a line opens: as a heading, a list item, an option, a label or a block of JSON."""

# ruff: noqa: E501 - patterns are read more easily on long lines

from __future__ import annotations

import re
from typing import Final

from exaim_core.text.boundaries import MOST_LINE_CHARS
from exaim_core.text.keys import refuses
from exaim_core.text.marks import is_machinery, plain
from exaim_core.text.sections import Section, classify_label, only_forbids

LIST_MARK: Final = re.compile(r"(?P<indent>[ \t]*)(?:(?P<bullet>[-*•+])|(?P<number>\d{1,3})[.)])[ \t]+(?=\S)")
OPTION: Final = re.compile(r"[ \t]*(?:\(?[A-Ha-h]\)|[A-H]\.)[ \t]+\S")
STEP: Final = re.compile(r"\W*(?:step|stage|phase)\s*\d{1,2}\b", re.IGNORECASE)
"""How a line opens that is one of several steps: "Step 2: …"."""
STATUS: Final = re.compile(
    r"[\s(\[–—-]*(?:\*\*)?status(?:\*\*)?:(?:\*\*)?\s*(?P<words>\S[^\n]{0,120})", re.IGNORECASE
)
"""What stands behind a step: whether it is done, or will be."""
_LABELLED_JSON: Final = re.compile(r"[^{}\n|]{1,60}:[ \t]*\[?\{[ \t]*\"[^\"\n]{1,80}\"[ \t]*:")
HEADING: Final = re.compile(r"[ \t]*#(?!\d)#{0,5}[ \t]*(?P<text>.+?)[ \t#]*\Z")
"""A heading's line.

A "#" right before a number makes none: "#8 Asthma, two ICU stays." is the eighth entry of a shared list.
"""
BOLD_LINE: Final = re.compile(r"[ \t]*\*\*(?P<text>[^*]+?):?\*\*[ \t]*+:?[ \t]*+\Z")
_BOLD_LABEL: Final = re.compile(
    r"\*\*(?P<label>[^*]{2,140}?)[ \t]*:?\*\*(?P<tail>[ \t]*\([^)*]{1,90}\))?[ \t]*(?:[:–—]|-(?=[ \t])|\Z|(?<=:\*\*))[ \t]*"
)
_BOLD_OPENING: Final = re.compile(
    r"\*\*(?P<label>[A-Z][^*.!?]{0,39}?)[ \t]*\*\*[ \t]+(?=[A-Z\d\"“])(?P<next>)"
)  # "**Before home** Steroid card": a label without a colon
_SOAP: Final = re.compile(r"[SOAP](?:\W[SOAP])*")  # the letters of a SOAP note, which are not spoken
_PLAIN_LABEL: Final = re.compile(r"(?P<label>[A-Z][^:.;*\n]{1,80}):(?:[ \t]+|\Z)")
FENCE: Final = re.compile(r"[ \t]*```")
MOST_JSON_CHARS: Final = 16_000  # of one block, ten times the longest draft in the recorded discussions


def opens_json(line: str) -> bool:
    """Return whether a block of JSON begins on the line, at its start or behind a label ("Results: {…")."""
    if line.lstrip().startswith(("{", "[{")):
        return True
    return FENCE.match(line) is not None or _LABELLED_JSON.match(line) is not None


def heading_depth(line: str) -> int:
    """Return the depth of a heading: its number signs, or deeper than all of them for a line in bold."""
    signs = len(line.strip()) - len(line.strip().lstrip("#"))
    return signs or IN_BOLD


IN_BOLD: Final = 7  # depth of a line in bold


def label_of(text: str, *, listed: bool) -> tuple[str | None, int]:
    """Return a line's label and its length in the raw text."""
    if (opening := _BOLD_OPENING.match(text)) and not listed:
        label = plain(opening["label"]).strip(" :")
        return (None if _SOAP.fullmatch(label) else label), opening.end()
    if bold := _BOLD_LABEL.match(text):
        tail = bold["tail"] or ""
        return plain(bold["label"] + tail).strip(" :"), bold.end()
    found = _PLAIN_LABEL.match(text)
    if (
        found
        and len(found["label"].split()) <= 8
        and (
            listed
            or classify_label(found["label"]) is not Section.OTHER
            or (found.end() == len(text) and only_forbids(found["label"]))
        )
    ):
        return plain(found["label"]), found.end()
    return None, 0


def may_be_more(line: str) -> bool:
    """Return whether an unfinished line may be a heading or a block, which only its end shows."""
    first = line.lstrip()[:1]
    if first in {"`", "{", "["}:
        return len(line) <= MOST_JSON_CHARS
    if first == "|" or is_machinery(line) or STEP.match(line):
        return len(line) <= MOST_LINE_CHARS
    return len(line) <= MOST_LINE_CHARS and (first == "#" or BOLD_LINE.match(line) is not None)


def is_set_aside(step: str) -> bool:
    """Return whether a step ends with a status that says it is not to be done: "Status: skipped", "Status: done".

    More words behind it may be an order of their own: "Status: failed, give it again now".
    """
    found = STATUS.search(step)
    if found is None:
        return False
    words = plain(found["words"]).strip(" .]")
    refused = _ONE_PART.fullmatch(words) is not None and refuses(words)
    return _AHEAD.match(words) is None and (refused or _OVER.fullmatch(words) is not None)


_AHEAD: Final = re.compile(r"pending|awaiting|not (?:yet )?(?:started|begun|done)\b", re.IGNORECASE)
_OVER: Final = re.compile(
    r"(?:skipped|cancell?ed|failed|aborted|done|completed?|finished|superseded|obsolete)\b"
    r"(?:\s*\([^()]*\)|\s+(?:at\s+)?\d{1,2}[:.]?\d\d\b)?\W*",
    re.IGNORECASE,
)
"""The whole of a status that says so, with a remark in brackets or the time: more words may be an order."""
_ONE_PART: Final = re.compile(r"[^.,;:–—\n]{1,60}")
