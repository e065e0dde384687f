"""What a piece of text costs, and what stays of it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Final

from lab.evaluation import cost, lasting
from lab.evaluation.material import Material, Say
from lab.evaluation.tables import FIGURES, Table, Topic, all_met, judged, share

PIECE_US: Final = 60.0
LONGEST_MS: Final = 1e3 * cost.LONG_S
FLAT: Final = 2.0  # times the cheapest, at most
GROWTH: Final = 1.1  # memory at the end over that half-way, at most


def costs(material: Material, say: Say) -> Topic:
    """Measure the cost of a piece of text, and how it changes with what is held and who speaks."""
    traces = material.recorded() or tuple(trace for trace, *_ in material.shipped())
    say(f"evaluate: cost, {len(traces)} traces {cost.RUNS} times")
    found = cost.of_traces(traces)
    flat = {
        "words held by the gate": cost.by_buffer(),
        "agents who speak at once": cost.by_agents(),
        "agents who take turns": cost.in_turn(),
    }
    rows = [
        judged(
            *(f"mean cost of a piece, judge with it ({found.pieces} pieces)", f"{found.piece_us:.0f} µs"),
            *(f"≤ {PIECE_US:g} µs", found.piece_us <= PIECE_US),
        ),
        judged(
            *("longest that the loop is kept", f"{found.longest_ms:.1f} ms"),
            *(f"≤ {LONGEST_MS:g} ms", found.longest_ms <= LONGEST_MS),
        ),
        judged("… stretches that keep it longer", share(found.long_stretches, found.stretches)),
    ]
    for title, by in flat.items():
        shown = ", ".join(f"{count:,}: {us:.0f}" for count, us in by.items())
        most = max(by.values()) <= FLAT * by[min(by)]
        rows.append(judged(f"µs a piece, by {title}", shown, f"at most {FLAT:g} × the first", most))
    table = Table("Cost on one core", FIGURES, tuple(rows))
    return Topic("4-cost", (table,), all_met(rows), {"traces": asdict(found), "flat": flat})


def lasts(material: Material, say: Say) -> Topic:
    """Run ten hours on a virtual clock."""
    say(f"evaluate: {lasting.HOURS} hours of reasoning")
    found = lasting.measure()
    end, half = found.hours[-1], lasting.half_way(found.hours)
    reached = "" if found.whole else f", stopped after {end.hour:g} h at its limit of {lasting.LIMIT_S:g} s"
    rows = (
        judged(
            *(f"memory at the end over half-way{reached}", f"{end.rss_mb:g} / {half.rss_mb:g} MB"),
            *(f"at most {GROWTH:g} ×, to the end", found.whole and end.rss_mb <= GROWTH * half.rss_mb),
        ),
        judged("peak", f"{end.peak_mb:g} MB"),
        judged(
            *(
                "cost of a piece in the last hour over the first",
                f"{end.piece_us:g} / {found.hours[0].piece_us:g} µs",
            ),
            *(f"at most {FLAT:g} ×", end.piece_us <= FLAT * found.hours[0].piece_us),
        ),
    )
    hours = Table(
        f"{lasting.HOURS} hours, by hour",
        ("hour", "memory MB", "µs a piece", "pieces", "updates"),
        tuple(
            (f"{each.hour:g}", f"{each.rss_mb:g}", f"{each.piece_us:g}", str(each.pieces), str(each.updates))
            for each in found.hours
        ),
    )
    grows = Table(
        "What grows, longest first",
        ("where", "length half-way", "at the end"),
        tuple((name, str(before), str(after)) for name, (before, after) in found.grows.items()),
    )
    table = Table("Lasting", FIGURES, rows)
    return Topic("5-lasting", (table, hours, grows), all_met(rows), asdict(found))
