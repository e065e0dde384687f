"""What must be so of the demo: each check by name, with what was found. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from infra.ledger import LedgerEntry
from lab.demo.account import Account
from lab.demo.facts import Facts
from lab.demo.hearing import as_said, word_errors
from lab.demo.judging import Judged, loud_share, silent_from
from lab.demo.runs import RATE_HZ, Joint, Run

WER_MARGIN: Final = 0.03  # heard may be so much worse than sent, by the same recogniser
HELD_WITHIN_S: Final = 2.5
AGAIN_AFTER_S: Final = 2.0  # of a hold: then a clause is said again from its beginning (docs/protocol.md)
SILENT_WITHIN_S: Final = 1.0  # from the first sound of "stop"; how long it took is told apart
GAP_S: Final = 0.5  # a silence of so long is one that was asked for
CRITICAL_EDGE_S: Final = 0.3  # around a critical finding's clauses, for pauses and rounding


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `seconds`: what was measured, by name."""

    name: str
    passed: bool
    found: str
    seconds: Mapping[str, float]


def checks(facts: Facts, judged: Judged, account: Account, captions: str | None) -> list[Check]:
    """Return all checks in order; `captions` is what is wrong with the captions, None if nothing is."""
    sent_wer, heard_wer = judged.word_error_rate
    found = sum(place.heard for place in judged.places)
    return [
        _check(
            "every spoken segment was heard",
            0 < found == len(judged.places),
            f"{found} of {len(judged.places)} stretches found",
        ),
        _check(
            "heard as well as sent",
            bool(judged.places) and heard_wer <= sent_wer + WER_MARGIN,
            f"word error rate {heard_wer:.1%} heard, {sent_wer:.1%} sent",
        ),
        _check(
            "every summary is accounted for",
            account.updates > 0 and not account.unaccounted,
            f"{account.updates} summaries, {account.items} items, {len(account.unaccounted)} unaccounted",
        ),
        _acted(facts, judged, "mm-hm", '"mm-hm" lost no word and the voice went on', _hum),
        _acted(facts, judged, "question", "the question was answered and the answer heard", _question),
        _acted(facts, judged, "stop", '"stop" silenced the voice until "go on"', _stop),
        *_return(facts, judged),
        _check("captions.vtt can be read", captions is None, captions or "it parses"),
    ]


def _check(name: str, passed: bool, found: str, **seconds: float | None) -> Check:
    return Check(name, passed, found, {n: round(s, 3) for n, s in seconds.items() if s is not None})


_Judge = Callable[[Facts, Judged, str], Check]


def _acted(facts: Facts, judged: Judged, act: str, name: str, judge: _Judge) -> Check:
    outcome = facts.outcome(act)
    return judge(facts, judged, name) if outcome.done else _check(name, False, outcome.why)


# --- the acts


def _hum(facts: Facts, judged: Judged, name: str) -> Check:
    outcome = facts.outcome("mm-hm")
    uid, said = outcome.about, outcome.said[-1]
    turn = verdict(facts, said.first_s)
    lost = [word for joint in judged.joints.get(uid, ()) for word in joint.lost]
    on = _next_run(judged, uid, said.first_s)
    went_on_s = None if on is None else (judged.began_s(on) or 0.0) - said.last_s
    good = turn.get("effect") == "go_on" and not lost and judged.whole(uid) and facts.told.spoken(uid)
    return _check(
        *(name, good, f"taken as {turn.get('kind')}, {len(lost)} words lost{_gaps(facts, judged, uid)}"),
        went_on_after_s=went_on_s,
    )


def _question(facts: Facts, judged: Judged, name: str) -> Check:
    said = facts.outcome("question").said[-1]
    answer = next((m.body for m in facts.parts[0].of("answer") if m.at_s > said.first_s), None)
    if answer is None:
        return _check(name, False, "no answer came")
    uid = answer["utterance_id"]
    text = facts.utterances()[uid]["text"]
    errors, words = word_errors([as_said(text)], [judged.understood.get(uid, "")])
    first = next(iter(judged.runs.get(uid, ())), None)
    answered_s = None if first is None else judged.began_s(first)
    return _check(
        name,
        answer["found"] and facts.told.spoken(uid) and judged.whole(uid),
        f"“{text}”; {errors} of its {words} words misread by the recogniser{_gaps(facts, judged, uid)}",
        answered_after_s=None if answered_s is None else answered_s - said.last_s,
    )


def _stop(facts: Facts, judged: Judged, name: str) -> Check:
    outcome, part = facts.outcome("stop"), facts.parts[0]
    stop = next(each for each in reversed(outcome.said) if each.sound == "stop")
    go_on = outcome.said[-1]
    silent_s = silent_from(part, stop.first_s, for_s=GAP_S)
    criticals = _spans(facts, judged, "critical")
    loud = loud_share(part, stop.first_s + SILENT_WITHIN_S, go_on.last_s, criticals)
    on = _next_run(judged, outcome.about, go_on.first_s)
    return _check(
        name,
        silent_s is not None and loud == 0.0 and judged.whole(outcome.about),
        f"{go_on.last_s - stop.first_s:.1f} s from the one to the other, {loud:.1%} of it sound"
        f"{_gaps(facts, judged, outcome.about)}",
        silent_after_s=None if silent_s is None else silent_s - stop.first_s,
        went_on_after_s=None if on is None else (judged.began_s(on) or 0.0) - go_on.last_s,
    )


def _gaps(facts: Facts, judged: Judged, utterance_id: str) -> str:
    """Return what is wrong with the hearing of an utterance, in words, or nothing."""
    if not facts.told.spoken(utterance_id):
        return "; the ledger does not call it spoken"
    return "" if judged.whole(utterance_id) else "; not all of it was found in what was heard"


def verdict(facts: Facts, since_s: float) -> dict[str, Any]:
    """Return what the voice took a turn for that was said at a time."""
    decided = (m.body for m in facts.parts[0].of("turn") if m.body["phase"] == "decided" and m.at_s > since_s)
    return next(decided, {})


def _next_run(judged: Judged, utterance_id: str, since_s: float) -> Run | None:
    later = (r for r in judged.runs.get(utterance_id, ()) if (judged.began_s(r) or 0.0) > since_s)
    return next(later, None)


def _spans(facts: Facts, judged: Judged, priority: str) -> list[tuple[float, float]]:
    """Return when what has a priority was heard."""
    uids = [uid for uid, body in facts.utterances().items() if body["priority"] == priority]
    spans = []
    for run in (run for uid in uids for run in judged.runs.get(uid, ())):
        at_s, end_s = judged.began_s(run), judged.ear.time_of(run.until)
        if at_s is not None and end_s is not None:
            spans.append((at_s - CRITICAL_EDGE_S, end_s + CRITICAL_EDGE_S))
    return spans


# --- going away and coming back


def _return(facts: Facts, judged: Judged) -> list[Check]:
    gap, back = facts.gap, _heard_in(judged, 1)
    told = facts.utterances()
    welcomes = [uid for uid, body in told.items() if body["kind"] == "welcome"]
    first = back[0] if back else None
    again = next((run for run in back if run.utterance_id == gap.cut), None)
    closings = [uid for uid, body in told.items() if body["kind"] == "closing"]
    first_s = None if first is None else judged.began_s(first)
    held_s = gap.held_after_s
    return [
        _check(
            f"the voice held within {HELD_WITHIN_S:g} s of the kill",
            held_s is not None and held_s <= HELD_WITHIN_S,
            "it was never held" if held_s is None else "by the ledger, for want of a listener",
            held_after_s=held_s,
        ),
        _check(
            "the reasoning went on meanwhile",
            gap.updates_after > gap.updates_before,
            f"{gap.updates_after - gap.updates_before} summaries were made in the absence",
        ),
        _check(
            "who came back was welcomed, once and first",
            len(welcomes) == 1 and first is not None and first.utterance_id == welcomes[0],
            f"{len(welcomes)} said" if len(welcomes) != 1 else "one was said",
            first_word_after_s=None if first_s is None else first_s - gap.back_s,
        ),
        _criticals_first(facts, back, again),
        _check(
            "the rest was heard, from the cut clause to the closing",
            again is not None
            and again.index == gap.clause
            and facts.told.spoken(gap.cut)
            and bool(closings)
            and all(facts.told.spoken(uid) and judged.whole(uid) for uid in (gap.cut, *closings)),
            "the cut clause was not said again"
            if again is None
            else f"clause {again.index + 1} was said again from its beginning, {len(back)} stretches in all",
        ),
        _twice(facts, judged),
    ]


def _heard_in(judged: Judged, part: int) -> list[Run]:
    """Return the runs that began to be heard in a part."""
    placed = ((run, judged.ear.place(run.start_sample)) for run in judged.in_order())
    return [run for run, place in placed if place is not None and place[0] == part]


def _criticals_first(facts: Facts, back: Sequence[Run], again: Run | None) -> Check:
    snapshots = facts.parts[1].of("snapshot")
    told = snapshots[0].body["utterances"] if snapshots else []
    waited = {
        body["utterance_id"]
        for body in told
        if body["priority"] == "critical"
        and body["kind"] != "welcome"
        and body["phase"] in ("queued", "held")
    }
    before = {run.utterance_id for run in back if again is None or run.start_sample < again.start_sample}
    return _check(
        "critical findings came first",
        bool(snapshots) and waited <= before,
        f"{len(waited)} waited" if waited else "none waited",
    )


def _sounded(entry: LedgerEntry) -> bool:
    return entry.move is not None and entry.move.start_sample is not None


def _was_long(joint: Joint) -> bool:
    """Return whether the clause was held for so long that it is said again from its beginning."""
    after = joint.after
    return after is not None and after.start_sample - joint.before.until > AGAIN_AFTER_S * RATE_HZ


def _twice(facts: Facts, judged: Judged) -> Check:
    """Only words of a clause that was cut for long sound twice; a critical finding may be offered again.

    The kill cuts one, and so do a "stop", a question and an alarm. The clause after that of the kill may have
    begun to leave when who was killed had last said where its ear was.
    """
    twice = [
        (uid, joint.before.index, joint.again)
        for uid, of in judged.joints.items()
        for joint in of
        if joint.again
        and not _was_long(joint)
        and not (uid == facts.gap.cut and 0 <= joint.before.index - facts.gap.clause <= 1)
    ]
    cut = [
        word
        for joint in judged.joints.get(facts.gap.cut, ())
        if joint.before.index == facts.gap.clause
        for word in joint.again
    ]
    sounded = {each.utterance.utterance_id for each in facts.told.entries if _sounded(each)}
    offered = [
        each
        for each in facts.told.entries
        if each.utterance.replays in sounded and not each.utterance.critical_key and _sounded(each)
    ]
    found = "; ".join(f"{uid} clause {index + 1}: {' '.join(words)}" for uid, index, words in twice)
    return _check(
        "nothing was heard twice but cut clauses",
        not twice and not offered,
        found or f"of the cut clause {len(cut)} words had been sent before",
    )
