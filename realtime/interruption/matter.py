"""What the matter of a turn is: an order, a question, a request to tell, an objection. Plain functions."""

from __future__ import annotations

from typing import Final

from realtime.interruption.reading import COMMANDS, Reading
from realtime.interruption.words import Words, is_clinical, is_drug, lexicon

_ASKED_FOR: Final = frozenset({"the", "his", "her", "on", "about", "of"})
_NO_OBJECT: Final = frozenset(
    "in of from is was were are has had by and or he she they we i its hes shes theyre theres im you".split()
)
_BE: Final = frozenset({"is", "was", "are", "were", "has", "had", "isnt", "wasnt", "looks", "seems"})
_WAIT_FOR: Final = frozenset({"for", "until", "till"})
_ANALYTES: Final = frozenset({"potassium", "calcium", "glucose", "magnesium", "oxygen", "blood", "iron"})
_AND_THEN: Final = frozenset({"so", "and", "then", "now", "please", "but"})
_TOLD_ALONE: Final = frozenset(
    "summarise summarize explain recap elaborate clarify status overview details".split()
)
_SAYING: Final = frozenset({"hear", "say", "read", "run", "tell", "play", "give"})
_BEFORE_A_SIDE: Final = frozenset("the left or upper lower on to his her its is was be".split())
_OBJECT_OPENS: Final = frozenset("the his her that them all a an another some more".split())
_THE: Final = frozenset({"the", "his", "her", "their", "doctor"})
_NO_INVERSION: Final = frozenset({"when", "where", "which", "whose"})  # these also open a clause
_KNOWING: Final = frozenset(
    {"know", "knows", "see", "sees", "thats", "is", "was", "exactly", "understand", "and", "that"}
)


# -- orders


def is_order(turn: Reading) -> bool:
    """Tell whether somebody is told to do something clinical."""
    if any(_order(turn, turn.words[start:]) for start in turn.starts):
        return True
    if asks(turn) or tells(turn):
        return False
    calling = lexicon().words["calling_verbs"]
    return any(
        words[at] in calling and words[at - 1] in _AND_THEN and _order(turn, words[at:])
        for words in (turn.matter,)
        for at in range(1, len(words))
    )


def _order(turn: Reading, words: Words) -> bool:
    known = lexicon()
    at = 0
    for _ in range(4):
        wanted = known.phrases["want"].at(words, at)
        if wanted and _wanted(words[at + wanted :]):
            return True
        done = known.phrases["do_it"].at(words, at)
        if done and any(is_drug(word) or _done(word) for word in words[at + done : at + done + 5]):
            return True
        softened = known.phrases["soften"].at(words, at)
        if not softened or at + softened >= len(words):
            break
        at += softened
    words = words[at:]
    return _imperative(turn, words) or _called(turn, words) or _fragment(words)


def _wanted(words: Words) -> bool:
    """A noun phrase of something given or done: "a CT", "two units of blood", "surgery"."""
    known = lexicon()
    if not words or not any(is_drug(w) or _done(w) or w in known.words["teams"] for w in words[:6]):
        return False
    first = words[0]
    return (
        first in {"a", "an", "another", "some", "more", "stat", "urgent", "repeat", "two"}
        or first in known.words["numbers"]
        or first.isdigit()
        or is_drug(first)
        or _done(first)
        or first in known.words["teams"]
    )


def _done(word: str) -> bool:
    known = lexicon()
    return word in known.words["tests"] or word in known.words["treatments"]


def _imperative(turn: Reading, words: Words) -> bool:
    known = lexicon()
    if not words:
        return False
    verb, rest = words[0], words[1:]
    if verb in known.words["clinical_verbs"]:
        return not (rest and rest[0] in _BE)
    if verb not in known.words["order_verbs"] or not rest or rest[0] in _NO_OBJECT or _states(rest):
        return False
    if rest[0] in known.words["auxiliaries"] | known.words["question_words"] or known.phrases["tell"].at(
        rest
    ):
        return False  # "stop, what is the potassium"
    if not _takes(verb, rest):
        return False
    dosed = any(word in known.words["dose_units"] for word in rest)
    return dosed or any(turn.of_case(word) and word not in known.words["determiners"] for word in rest)


def _takes(verb: str, rest: Words) -> bool:
    """Tell whether `rest` can be what `verb` orders, rather than something said to us."""
    known, first = lexicon(), rest[0]
    match verb:
        case "wait":
            return first in _WAIT_FOR
        case "hold" | "hang":
            return first not in {"on", "up", "that", "it"}
        case "start" | "begin":
            return first not in {"with", "over", "again", "from"}
        case "do":
            return first in {"a", "an", "another", "some"} or (
                first == "the" and len(rest) <= 4 and any(_done(word) for word in rest[1:])
            )
        case "have":
            return first in known.words["teams"]
        case "repeat":
            return not any(word in known.words["repeat_of"] for word in rest)
        case "call":
            return first not in {"it", "that", "this"}
        case "give" | "get" | "bring" | "send" if first in {"me", "us"}:
            return not _ASKED_FOR & set(rest) or any(word in known.words["dose_units"] for word in rest)
        case _ if verb in known.words["noun_like"]:
            return first in _OBJECT_OPENS or is_drug(first) or first in known.words["teams"]
        case _:
            return True


def _states(rest: Words) -> bool:
    """A finite verb soon after, and no "if" before it: a statement, not an order."""
    for word in rest[:6]:
        if word in lexicon().words["if_words"]:
            return False
        if word in _BE:
            return True
    return False


def _called(turn: Reading, words: Words) -> bool:
    """Somebody is called, then told: "nurse, give calcium", "Sarah, call surgery"."""
    known = lexicon()
    if len(words) < 3:
        return False
    name, rest = words[0], words[1:]
    if name in known.words["people"]:
        return _imperative(turn, rest)
    stranger = not (
        turn.of_case(name)
        or any(
            name in known.words[each] for each in ("talk", "persons", "reference", "subjects", "determiners")
        )
        or any(
            name in known.words[each]
            for each in ("finite", "auxiliaries", "question_words", "if_words", "tell")
        )
        or name in {"we", "who", "patients", "please", "not", "no", "to"}
    )
    return stranger and rest[0] in known.words["calling_verbs"] and _imperative(turn, rest)


def _fragment(words: Words) -> bool:
    """An order without a verb: "ten units of insulin", "CT head stat"."""
    known = lexicon()
    if not 2 <= len(words) <= 8:
        return False
    stat = known.phrases["stat"].at_end(words)
    bare = words[: len(words) - stat]
    plain = all(
        is_clinical(w)
        or w.isdigit()
        or w in known.words["numbers"]
        or w in known.words["dose_units"]
        or w in known.words["determiners"]
        for w in bare
    )
    if not plain or not bare:
        return False
    amount = any(w in known.words["dose_units"] for w in bare) and any(is_drug(w) for w in bare)
    measured = amount and (bare[0].isdigit() or bare[0] in known.words["numbers"])
    given = any((is_drug(w) or _done(w)) and w not in _ANALYTES for w in bare)
    return (
        measured or (stat > 0 and given and words[-1] != "now") or (words[-1] == "now" and _given_now(bare))
    )


def _given_now(words: Words) -> bool:
    known = lexicon()
    return any(
        (w in known.words["drugs"] or w in known.words["treatments"])
        and w not in _ANALYTES | known.words["tests"]
        for w in words
    )


# -- questions


def asks(turn: Reading) -> bool:
    """Tell whether it has the form of a question."""
    if any(_asks(turn.words[start:]) for start in turn.starts):
        return True
    words = turn.matter
    if len(words) >= 3 and words[-1] in lexicon().words["question_words"]:
        return True
    return turn.case and (_tagged(words) or _asks_inside(words))


def _asks(words: Words) -> bool:
    known = lexicon()
    first, second = words[0], words[1] if len(words) > 1 else ""
    if first in known.words["question_words"]:
        if first == "what" and second in {"a", "an"}:
            return False
        if first == "which" and second in {"is", "was", "means", "would"}:
            return False
        if first in _NO_INVERSION and second in known.words["subjects"] | {"hes", "shes", "the", "its"}:
            return False
        return True
    if first == "were":  # or "we're"
        return second in _THE | {"they", "there", "any", "these", "those", "both", "all"}
    if first in known.words["auxiliaries"]:
        return bool(second) and (not first.endswith("nt") or second in known.words["subjects"] | _THE)
    if first == "do":
        return second in known.words["subjects"] or (second in {"the", "his", "her"} and len(words) >= 4)
    if first == "have":
        return second in known.words["subjects"] | {"the", "his", "her"} and len(words) >= 3
    return False


def _tagged(words: Words) -> bool:
    """A statement turned into a question by its last words: "it was high, right?"."""
    length = lexicon().phrases["tags"].at_end(words)
    if not length or len(words) - length < 2:
        return False
    return words[-1] != "right" or words[-2] not in _BEFORE_A_SIDE


def _asks_inside(words: Words) -> bool:
    """A question after an opening: "let me see, what is the potassium"."""
    known = lexicon()
    return any(
        words[at] in {"what", "how", "why", "who", "whats", "whos"}
        and (words[at] in {"whats", "whos"} or words[at + 1] in known.words["auxiliaries"] | {"about", "do"})
        and words[at - 1] not in _KNOWING
        for at in range(1, min(len(words) - 1, 40))
    )


def tells(turn: Reading) -> bool:
    """Tell whether we are asked to tell: "tell me about the kidney", "any allergies"."""
    return _told(turn) is not None


def _told(turn: Reading) -> Words | None:
    """Return what is to be told; None if nothing is asked for."""
    known = lexicon()
    for start in turn.starts:
        length = known.phrases["tell"].at(turn.words, start)
        rest = turn.words[start + length :]
        if length and (rest or length > 1 or turn.words[start] in _TOLD_ALONE):
            return rest
    return None


def is_topic(turn: Reading) -> bool:
    """Tell whether it only names something of the case, in a few words: "blood pressure?"."""
    words, known = turn.matter, lexicon()
    named = [turn.of_case(word) or word in known.words["topics"] for word in words]
    around = known.words["determiners"]
    return (
        0 < len(words) <= 5
        and any(yes and word not in around for yes, word in zip(named, words, strict=True))
        and all(yes or word in around for yes, word in zip(named, words, strict=True))
    )


def for_us(turn: Reading) -> bool:
    """Tell whether a question may be for us: it names the case or the team, or points at what was said.

    One that is about the people in the room ("did you get lunch") is not.
    """
    known = lexicon()
    if turn.case or turn.named or any(word in known.words["talk"] for word in turn.words):
        return True
    told = _told(turn)
    asked = turn.words if told is None else told
    return not any(word in known.words["persons"] or word in known.words["everyday"] for word in asked)


# -- reactions


def objects(turn: Reading) -> bool:
    """Tell whether it contradicts what was said: "that's wrong", "no, it's the left kidney"."""
    known = lexicon()
    if any(known.phrases["objection"].at(turn.words, start) for start in turn.starts):
        return True
    matter_of_fact = turn.case or any(word.isdigit() or word in known.words["numbers"] for word in turn.words)
    return matter_of_fact and any(known.phrases["correction"].at(turn.words, start) for start in turn.starts)


def repeats(turn: Reading) -> bool:
    """Tell whether a part of what was said is wanted again: "repeat the recommendation"."""
    known, words = lexicon(), turn.matter
    if words[-1:] == ("again",) and not turn.case and len(words) <= 8 and _SAYING & set(words):
        return True
    return any(
        turn.words[start] in {"repeat", "replay", "again"}
        and any(word in known.words["repeat_of"] for word in turn.words[start + 1 : start + 6])
        for start in turn.starts
    )


def quiets_about(turn: Reading) -> bool:
    """Tell whether we are to stop talking of something: "stop talking about the kidney"."""
    return any(lexicon().phrases["quiet_about"].at(turn.words, start) for start in turn.starts)


def gives_reason(turn: Reading) -> bool:
    """Tell whether a command leads something of its own: "hold on, let me take this call".

    What "stop" and its like take as an object is no reason ("stop the music"); "hold on" takes none.
    """
    known = lexicon()
    begin = turn.starts[-1] if turn.starts else 0
    lead = [each for each in turn.phrases if each.end <= begin and each.says in COMMANDS]
    words = turn.words[lead[-1].end :] if lead else turn.matter
    if not words or known.phrases["side_follows"].at(words):
        return False
    if lead and lead[-1].end - lead[-1].start > 1 and turn.words[lead[-1].start] in known.words["idioms"]:
        return not known.phrases["no_reason"].at(words)
    if len(words) < 2 or words[0] not in known.words["clause_starts"]:
        return False
    finite = any(word in known.words["finite"] for word in words[1:6])
    return finite or words[0] not in known.words["determiners"]
