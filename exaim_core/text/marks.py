"""Strip markup and notation from text: Markdown, HTML, LaTeX, and labels of agents' frameworks."""

from __future__ import annotations

import re
from typing import Final

from exaim_core.text.dictation import without_recording
from exaim_core.text.figures import in_figures

_MARKUP: Final = re.compile(r"\*{1,3}|`+|(?<!\w)_{1,2}(?=\w)|(?<=\w)_{1,2}(?!\w)|^#(?!\d)#{0,5}[ \t]*|~~")
_STRUCK: Final = re.compile(
    r"~~(?=\S)[^~\n]{1,400}?(?<=\S)~~|<(?P<tag>del|s|strike)>[^<\n]{0,400}</(?P=tag)>", re.IGNORECASE
)
"""Text that its writer has struck out, and no longer says."""
_VERSIONS: Final = re.compile(r"(?<![^\s])[<>]{4,}(?![^\s])")
"""A mark before one of two versions of a text, which is no bound of a number."""
_LINK: Final = re.compile(r"!?\[([^\]\[]{1,200})\]\([^()\s]{0,300}\)")
_HTML: Final = re.compile(r"</?[A-Za-z][\w:-]{0,40}(?:\s[^<>]{0,120})?/?>")
_WRAPPED: Final = re.compile(r"\\(?:text|mathrm|mathbf|mathit|textbf|boxed|operatorname|ce)\{([^{}]*)\}")
_LATEX: Final = (
    (_WRAPPED, r"\1"),
    (re.compile(r"\\times\s*"), "x "),
    (re.compile(r"\\(?:geq?|geqslant)\b\s*"), "≥ "),
    (re.compile(r"\\(?:leq?|leqslant)\b\s*"), "≤ "),
    (re.compile(r"\\pm\b\s*"), "± "),
    (re.compile(r"\\mu\b\s*"), "µ"),
    (re.compile(r"\\(?:to|rightarrow)\b\s*"), "→ "),
    (re.compile(r"\^\s*\{?\\circ\}?\s*"), "°"),
    (re.compile(r"\\([%$&#_])"), r"\1"),
    (re.compile(r"\\[,;:! ]"), " "),
    (re.compile(r"(?<=[A-Za-z\d])_\{?([\w+-]{1,3})\}?"), r"\1"),
    (re.compile(r"(?<=[A-Za-z])\^\{?([\d]?[+-]|\d)\}?"), r"\1"),
    (re.compile(r"(?<=\d)\^\{(\d[+-])\}"), r"\1"),
    (re.compile(r"\^\{(-?\d{1,3})\}"), r"^\1"),
    (_WRAPPED, r"\1"),  # once more, for content with braces of its own
    (re.compile(r"\$\$?(?=\S)([^$\n]{1,200}?)(?<=\S)\$\$?(?!\d)"), r"\1"),
)
_DOLLAR: Final = re.compile(r"\$(?=\S)[^$\n]{1,200}(?<=\S)\$(?!\d)|\\[a-zA-Z]{2}")
_REACT: Final = re.compile(r"\A\s*(?:thought|observation|reflection)\s*+\d*+\s*+:\s*", re.IGNORECASE)
_ACTION: Final = re.compile(
    r"\A\s*(?:(?:action input|tool|tool input|tool call|expected output)\s*+\d*+\s*+:|"
    r"action\s*+\d*+\s*+:\s*+(?:[\w.-]*+\s*+(?:[\[({].*)?\Z"
    r"|(?:search|look ?up|query|retrieve|fetch|browse|calculate|finish)\b))",
    re.IGNORECASE | re.DOTALL,
)
"""A call of a tool. "Action:" before words is a label like others: the words may be an order."""
_MACHINE: Final = re.compile(
    r"\W*(?:(?-i:FINISH(?:ED)?|FINAL|END|DONE|STOP|CONTINUE|PASS|PROCEED|TERMINATED?|HANDOFF|SUPPORT|OPPOSE|"
    r"NEUTRAL|NEXT|NULL|TRUE|FALSE|OK|AGREE|DISAGREE|ACCEPT(?:ED)?|APPROVED?|REVISED?|REJECT(?:ED)?|RETRY|COMPLETED?)\W*|finish|terminate|handoff|respond|reply|delegate"
    r"|(?:give |return )?final[_ ]answer|respond[_ ]to[_ ]\w+"
    r"|(?:next (?:speaker|agent|node)|route to|routing to|transfer(?:ring|red)? control to|"
    r"calling (?:the )?\w+ tool|tool call|goto|invoking)\b.{0,60}"
    r"|(?:hand(?:ing)?[ -]?(?:off|over)|transferring|transfer) to (?:the )?"
    r"(?!(?-i:[A-Z]{2,4})\b|theatre|ward|resus|cath|intensive|another)[\w-]+(?: (?:agent|node|assistant|team))?\W*"
    r"|(?:the )?[\w-]+(?: side| team)? wins(?: the debate)?\W*"
    r"|(?:round|iteration|step|turn|phase)\W*\d+(?:\W+of\W+\d+)?\W*)",
    re.IGNORECASE | re.DOTALL,
)


def plain(text: str) -> str:
    """Return `text` without markup, with single blanks and with its numbers in one form."""
    if ">>>>" in text or "<<<<" in text:
        text = _VERSIONS.sub("»", text)
    if "~~" in text or "</" in text:
        text = _STRUCK.sub(" ", text)
    if "<" in text:
        text = _HTML.sub(" ", text)
    if "$" in text or "\\" in text:
        text = _without_latex(text)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "*" in text or "`" in text or "_" in text or "#" in text or "~~" in text:
        text = _MARKUP.sub("", text)
    return in_figures(without_recording(" ".join(text.split())))


def _without_latex(text: str) -> str:
    if _DOLLAR.search(text) is None:
        return text
    for pattern, put in _LATEX:
        text = pattern.sub(put, text)
    return text


_NUMBERED: Final = (
    r"(?:msg|message|ticket|comment|entry|post|event|task|card|issue|thread|item|log|rev) ?#?\d+"
)
_HEAD: Final = re.compile(
    rf"\A\s*(?:{_NUMBERED}(?: [·|] [^.!?·|:\n]{{1,30}}){{0,5}}:\s+|{_NUMBERED}(?: \w+)?: \w+(?: \w+)? [·|]\s+"
    r"|\[(?:(?:m|msg|c|t|ev|id|ref|post|log)[ .#]?\d+\b[^\]\n]{0,30}|\d{1,3}|comment|opened|reopened|reply|edit|"
    r"update|note|(?:priority|status)[ :][^\]\d\n]{1,30})\]\s+)(?=\S)",
    re.IGNORECASE,
)
"""What a system puts before a message: its number, its channel, what it refers to."""
_LEVEL: Final = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL)"
_LOG: Final = re.compile(
    r"\A\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?"
    rf"\s+[-|]?\s*\[?{_LEVEL}\]?:?(?:\s+[-|])?\s+(?=\S)"
)
"""The date, time and level that a program's log puts before a message (RFC 3339; Python's `logging`).

A date and a time alone may be those of a value: with a level they are the log's.
"""
_ORDERS: Final = re.compile(
    r"\b(?:no|not|never|don['’]t|hold|stop|avoid|withhold|give|start|cease)\b|\d[.,]\d|\d ?(?:mm|mg|g/|%)",
    re.IGNORECASE,
)
_TAKES_BACK: Final = re.compile(
    r"\b(?:retract|withdr[ae]w|correct|cancel|void|supersede|erratum)", re.IGNORECASE
)


def message_head(line: str) -> int:
    """Return the length of the head that a system put before a message at the line's start, else 0.

    A head that takes the message back ("[m03 void]"), forbids or orders is none: it says how the words are meant.
    """
    if (stamp := _LOG.match(line)) is not None:
        return stamp.end()
    match = _HEAD.match(line)
    if match is None or ("[" in match.group() and _TAKES_BACK.search(match.group())):
        return 0
    if _ORDERS.search(match.group()):
        return 0
    return match.end()


def react_label(line: str) -> int:
    """Return the length of a reason-and-act label at the line's start ("Observation: "), else 0."""
    match = _REACT.match(line)
    return match.end() if match else 0


def is_machinery(text: str) -> bool:
    """Return whether `text` is for the agents' framework and not about the case: "FINISH", "Action: …"."""
    return _ACTION.match(text) is not None or _MACHINE.fullmatch(text) is not None
