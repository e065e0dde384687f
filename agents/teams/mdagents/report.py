"""Write a run's report as Markdown and HTML, row by row, so that memory holds only one row."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from agents.teams.mdagents.answers import words_of
from agents.teams.mdagents.interactions import EMOJI
from agents.teams.mdagents.scoring import Score, score_lines

_STYLE: Final = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse}td,th{border:1px solid #888;padding:.2rem .5rem;text-align:left}"
    "details{margin:.5rem 0}summary{cursor:pointer}.wrong{color:#a00}pre{white-space:pre-wrap}"
    "@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}.wrong{color:#f88}}"
)


def markdown(title: str, score: Score, rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the report's parts in Markdown."""
    yield (
        f"# {_md(title)}\n\n"
        + "\n".join(f"- {_md(line)}" for line in map(str.strip, score_lines(score)))
        + "\n"
    )
    for row in rows:
        yield f"\n<details><summary>{_summary(row)}</summary>\n\n{_md(row['question'])}\n\n"
        yield from (f"- ({letter}) {_md(words)}\n" for letter, words in row["options"].items())
        yield f"\n{_md(row['response']['reasoning'])}\n"
        for heading, body in _sections(row):
            yield f"\n**{heading}**\n\n"
            yield _table_md(body) if isinstance(body, list) else f"<pre>{html.escape(body)}</pre>\n"
        yield "\n</details>\n"


def page(title: str, score: Score, rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the report's parts as one HTML page without a script."""
    yield (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style><h1>{html.escape(title)}</h1><ul>"
    )
    yield "".join(f"<li>{html.escape(line)}</li>" for line in score_lines(score)) + "</ul>\n"
    for row in rows:
        wrong = "" if row["correct"] else ' class="wrong"'
        yield f"<details><summary{wrong}>{_summary(row)}</summary><p>{html.escape(row['question'])}</p><ul>"
        yield "".join(f"<li>({letter}) {html.escape(words)}</li>" for letter, words in row["options"].items())
        yield f"</ul><p>{html.escape(row['response']['reasoning'])}</p>"
        for heading, body in _sections(row):
            yield f"<details><summary>{html.escape(heading)}</summary>"
            yield _table_html(body) if isinstance(body, list) else f"<pre>{html.escape(body)}</pre>"
            yield "</details>"
        yield "</details>\n"
    yield "</html>\n"


def _summary(row: Mapping[str, Any]) -> str:
    right = "right" if row["correct"] else "wrong"
    said = row["response"]["words"] or row["response"]["answer"]
    tokens = row["token_usage"]["total_tokens"]
    told = f"{row['question_id']}: {said} ({right}; {row['difficulty'] or 'not assessed'}; {tokens} tokens)"
    return html.escape(told if row["correct"] else f"{told}, the answer is {row['answer']}")


_Section = tuple[str, str | list[list[str]]]
"""A heading, and a text or a table."""


def _sections(row: Mapping[str, Any]) -> Iterator[_Section]:
    """Yield what a row's debate holds, in the order in which it went on."""
    debate, options = row["debate"], row["options"]
    names = [each["name"] for each in debate.get("experts", ())]
    if debate.get("assessed"):
        yield "Why this difficulty", debate["assessed"]
    if debate.get("hierarchy"):
        yield "Hierarchy", "\n".join(_tree(debate["hierarchy"], 0))
    if names:
        yield from _experts(debate, names, options)
    if debate.get("interactions"):
        yield "The debate", "\n".join(_messages(debate["interactions"], names))
    yield from _rounds(debate)
    yield from _teams(debate)
    yield from _end(debate, options)
    yield "Tokens", _tokens(row["token_usage"].get("by_agent", {}))


def _experts(
    debate: Mapping[str, Any], names: Sequence[str], options: Mapping[str, str]
) -> Iterator[_Section]:
    """Yield who wrote to whom, and what each held."""
    if debate.get("matrix"):
        heads = [f"{EMOJI[at % len(EMOJI)]} {at + 1} {name}" for at, name in enumerate(names)]
        table = [[head, *marks] for head, marks in zip(heads, debate["matrix"], strict=True)]
        yield "Who wrote to whom", [["", *heads], *table]
    if debate.get("opinions"):
        yield "Opinions by round", _opinions(debate["opinions"], names, options)
        for number, by_name in enumerate(debate["opinions"], 1):
            told = [f"{name}: {held['reasoning']}" for name, held in by_name.items()]
            yield f"Opinions {number}, with reasons", "\n\n".join(told)


def _rounds(debate: Mapping[str, Any]) -> Iterator[_Section]:
    """Yield what came of each round."""
    for number, summary in enumerate(debate.get("summaries", ()), 1):
        yield f"Summary of round {number}", f"{summary['key_knowledge']}\n\n{summary['total_analysis']}"
    for number, review in enumerate(debate.get("reviews", ()), 1):
        yield f"The moderator after round {number}", review


def _teams(debate: Mapping[str, Any]) -> Iterator[_Section]:
    """Yield what each team found, and its report."""
    for team in debate.get("teams", ()):
        found = [f"{name}: {text}" for name, text in team["findings"].items()]
        yield f"{team['name']} ({', '.join(team['members'])})", "\n\n".join([*found, team["report"]])


def _end(debate: Mapping[str, Any], options: Mapping[str, str]) -> Iterator[_Section]:
    """Yield how it was decided, and what went wrong."""
    if debate.get("votes"):
        votes = [[words_of(each, options), str(number)] for each, number in debate["votes"].items()]
        yield "Votes", [["answer", "votes"], *votes]
    if debate.get("minority"):
        yield "Minority", "\n".join(f"{name}: {held}" for name, held in debate["minority"].items())
    for key, heading in (
        ("stopped", "Why the debate ended"),
        ("warnings", "Put right"),
        ("failed", "Failed"),
    ):
        if value := debate.get(key):
            yield heading, _as_lines(value)


def _tokens(usage: Mapping[str, Any]) -> list[list[str]]:
    by_agent = [
        [name, str(e["calls"]), str(e["input_tokens"]), str(e["output_tokens"])] for name, e in usage.items()
    ]
    return [["agent", "calls", "in", "out"], *by_agent]


def _as_lines(value: str | list[str] | Mapping[str, str]) -> str:
    match value:
        case str():
            return value
        case list():
            return "\n".join(value)
        case _:
            return "\n".join(f"{name}: {reason}" for name, reason in value.items())


def _opinions(
    opinions: Sequence[Mapping[str, Any]], names: Sequence[str], options: Mapping[str, str]
) -> list[list[str]]:
    table = [["", *(str(number) for number in range(1, len(opinions) + 1))]]
    for name in names:
        held = [words_of(by_name.get(name, {}).get("answer"), options) or "unparsed" for by_name in opinions]
        table.append([name, *held])
    return table


def _tree(node: Mapping[str, Any], depth: int) -> Iterator[str]:
    yield f"{'  ' * depth}{node['name']}"
    for each in node["below"]:
        yield from _tree(each, depth + 1)


def _messages(log: Mapping[str, Any], names: Sequence[str]) -> Iterator[str]:
    for round_, turns in log.items():
        for turn, sources in turns.items():
            for source, targets in sources.items():
                for target, texts in targets.items():
                    yield from (
                        f"{round_}, {turn}, {_named(source, names)} to {_named(target, names)}: {text}"
                        for text in texts
                    )


def _named(agent: str, names: Sequence[str]) -> str:
    return names[int(agent.removeprefix("Agent ")) - 1]


def _table_md(table: list[list[str]]) -> str:
    head, *rows = table
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_md, line))} |" for line in lines) + "\n"


def _table_html(table: list[list[str]]) -> str:
    head, *rows = table
    cells = "".join(f"<th>{html.escape(each)}</th>" for each in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(each)}</td>" for each in row) + "</tr>" for row in rows
    )
    return f"<table><tr>{cells}</tr>{body}</table>"


def _md(text: str) -> str:
    return html.escape(text, quote=False).replace("|", "\\|").replace("\n", "<br>")
