import { describe, expect, test } from "vitest";
import type { Envelope } from "../src/protocol";
import { BLOCK_CHARS, EMPTY, MAX_NOTICES, MAX_SEGMENTS, noticesNow, reduce, TRACE_CHARS, type View, withoutNotice } from "../src/state/view";
import { notAway } from "../src/state/voice";
import { message, segment, snapshot, update, utterance } from "./messages";

const after = (...envelopes: Envelope[]): View => envelopes.reduce((view, envelope) => reduce(view, envelope, envelope.seq), EMPTY);

const words = (seq: number, agent_id: string, turn: number, text: string): Envelope =>
  message(seq, "trace", { items: [{ agent_id, name: agent_id, turn, text }] });

/** What `structuredClone` makes is of another context than the test's, and equals nothing of it. */
function copied(value: unknown): unknown {
  if (value instanceof Set) return new Set([...value].map(copied));
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [key, copied(each)]));
  if (Array.isArray(value)) return value.map(copied);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copied(each)]));
}

describe("the view", () => {
  test("reducing changes no earlier view", () => {
    const first = after(message(1, "update", update(1)));
    const copy = copied(first);
    reduce(first, message(2, "update", update(2)), 0);
    reduce(first, message(3, "utterance", utterance("a", "queued")), 0);
    reduce(first, words(4, "doctor0", 1, "word"), 0);
    expect(first).toEqual(copy);
  });

  test("updates stand by number, and one that comes again replaces itself", () => {
    const view = after(message(1, "update", update(2)), message(2, "update", update(1)), message(3, "update", update(2, [{ item_id: "x" }])));
    expect(view.updates.map((u) => u.number)).toEqual([1, 2]);
    expect(view.updates[1]?.items).toHaveLength(1);
  });

  test("an utterance keeps its place and takes its newest phase", () => {
    const view = after(
      message(1, "utterance", utterance("a", "queued")),
      message(2, "utterance", utterance("b", "queued")),
      message(3, "utterance", utterance("a", "held", { cause: "critical" })),
    );
    expect([...view.utterances.keys()]).toEqual(["a", "b"]);
    expect(view.utterances.get("a")).toMatchObject({ phase: "held", cause: "critical" });
  });

  test("a snapshot replaces all, but the sound's clauses that it still knows go on", () => {
    const before = after(
      message(1, "update", update(1)),
      message(2, "utterance", utterance("a", "speaking")),
      message(3, "segment", segment("a", 0, "one two")),
      message(4, "segment", segment("gone", 20_000, "three")),
      words(5, "doctor0", 1, "old"),
    );
    const view = reduce(
      before,
      message(6, "snapshot", snapshot({ updates: [update(3)], utterances: [utterance("a", "spoken")], clock: { clock: "rtp", zero: 5 } })),
      0,
    );
    expect(view.updates.map((u) => u.number)).toEqual([3]);
    expect(view.utterances.get("a")?.phase).toBe("spoken");
    expect(view.segments.map((s) => s.utterance_id)).toEqual(["a"]);
    expect(view.trace).toEqual([]);
    expect(view.clock).toEqual({ clock: "rtp", zero: 5 });
    expect(view.reasoning.phase).toBe("thinking");
  });

  test("a new epoch has a new track, so clauses and clock of the old one are forgotten", () => {
    const before = after(message(1, "segment", segment("a", 0, "one")), message(2, "clock", { clock: "rtp", zero: 9 }));
    const view = reduce(before, message(1, "reasoning", { phase: "thinking" }, 2), 0);
    expect(view).toMatchObject({ epoch: 2, segments: [], clock: null });
  });

  test("each agent's words flow into that agent's turn, even when agents speak at the same time", () => {
    const view = after(words(1, "a", 1, "One "), words(2, "b", 1, "Eins "), words(3, "a", 1, "two"), words(4, "b", 2, "drei"));
    expect(view.trace.map((block) => [block.agent_id, block.turn, block.text, block.opens])).toEqual([
      ["a", 1, "One two", true],
      ["b", 1, "Eins ", true],
      ["b", 2, "drei", true],
    ]);
  });

  test("the agents' words are bounded: the oldest go, the newest stay", () => {
    let view = EMPTY;
    for (let seq = 1; seq <= 60; seq += 1) view = reduce(view, words(seq, "a", 1, `${seq};`.padEnd(BLOCK_CHARS, ".")), 0);
    expect(view.traceChars).toBeLessThanOrEqual(TRACE_CHARS);
    expect(view.traceChars).toBe(view.trace.reduce((sum, block) => sum + block.text.length, 0));
    expect(view.trace.at(-1)?.text.startsWith("60;")).toBe(true);
  });

  test("clauses and notices are bounded", () => {
    let view = EMPTY;
    for (let seq = 1; seq <= 200; seq += 1) {
      view = reduce(view, message(seq * 2, "segment", segment("a", seq * 10_000, "word")), 0);
      view = reduce(view, message(seq * 2 + 1, "notice", { code: `c${seq}`, text: "t" }), 0);
    }
    expect(view.segments).toHaveLength(MAX_SEGMENTS);
    expect(view.notices).toHaveLength(MAX_NOTICES);
  });

  test("what a worker said of itself goes with it, and what is of the team or the case stays", () => {
    const codes = ["store_gone", "ears_failed", "read_late", "stranger"];
    const before = codes.reduce((view, code, at) => reduce(view, message(at + 1, "notice", { code, text: code }), 0), EMPTY);
    const next = reduce(before, message(1, "reasoning", { phase: "thinking" }, 2), 0);
    expect(next.notices.map(({ code }) => code)).toEqual(["read_late", "stranger"]);
  });

  test.each([
    ["one that says nothing of notices", {}, ["store_gone", "stranger", "read_late"]],
    ["one in which nothing is true for a while", { notices: [] }, ["stranger"]],
    ["one of a team that is read late", { notices: [{ code: "read_late", text: "a" }] }, ["stranger", "read_late"]],
  ])("a snapshot says which notices are still true: %s", (_, more, codes) => {
    const told = ["store_gone", "stranger", "read_late"].map((code, at) => message(at + 1, "notice", { code, text: "a" }));
    expect(after(...told, message(9, "snapshot", snapshot(more))).notices.map(({ code }) => code)).toEqual(codes);
  });

  test("once the reasoning is over, no team is read late", () => {
    const late = message(1, "notice", { code: "read_late", text: "a" });
    expect(after(late, message(2, "reasoning", { phase: "finished" })).notices).toEqual([]);
    expect(after(late, message(2, "reasoning", { phase: "thinking" })).notices).toHaveLength(1);
  });

  test("a page that comes while the store is away is told so", () => {
    const view = after(message(1, "snapshot", snapshot({ notices: [{ code: "store_gone", text: "The store is away." }] })));
    expect(view.notices.map(({ text }) => text)).toEqual(["The store is away."]);
  });

  test("a notice that was dismissed does not come back with a snapshot, but when it is told anew", () => {
    const told = message(1, "snapshot", snapshot({ notices: [{ code: "read_late", text: "It is read late." }] }));
    const shown = (view: View): string[] => noticesNow(view, false).map(({ code }) => code);
    const dismissed = withoutNotice(after(told), after(told).notices[0]?.key ?? -1);
    const again = reduce(dismissed, { ...told, seq: 2 }, 0);
    expect([shown(after(told)), shown(dismissed), shown(again)]).toEqual([["read_late"], [], []]);
    expect(shown(reduce(again, message(3, "notice", { code: "read_late", text: "It is read late." }), 0))).toEqual(["read_late"]);
    const between = reduce(again, message(4, "snapshot", snapshot({ notices: [] })), 0);
    expect(shown(reduce(between, { ...told, seq: 5 }, 0))).toEqual(["read_late"]);
  });

  test("while no sound comes, no notice says that the voice goes on", () => {
    const view = after(message(1, "notice", { code: "store_back", text: "a" }), message(2, "notice", { code: "crowded", text: "b" }));
    expect(noticesNow(view, true).map(({ code }) => code)).toEqual(["crowded"]);
    expect(noticesNow(view, false)).toHaveLength(2);
  });

  test("a page whose ready is not answered yet is not shown as away", () => {
    const away = after(message(1, "mode", { mode: "away", waiting: 0 }));
    expect(notAway(away, false).mode.mode).toBe("free");
    expect(notAway(away, true).mode.mode).toBe("away");
  });

  test("a notice said again stands once, and can be dismissed", () => {
    const view = after(message(1, "notice", { code: "store_gone", text: "a" }), message(2, "notice", { code: "store_gone", text: "b" }));
    expect(view.notices.map((notice) => notice.text)).toEqual(["b"]);
    expect(noticesNow(withoutNotice(view, view.notices[0]?.key ?? -1), false)).toEqual([]);
  });

  test("unknown messages change nothing but the epoch", () => {
    const view = after(message(1, "update", update(1)));
    expect(reduce(view, message(2, "hologram", { a: 1 }), 0)).toEqual(view);
  });

  test("the end keeps its reason", () => {
    expect(after(message(1, "ended", { reason: "abandoned" })).ended).toBe("abandoned");
  });
});

test("how much is known: nothing before a snapshot, all after its last part", () => {
  const first = { ...(snapshot() as object), part: 1, parts: 2 };
  const seen = reduce(EMPTY, message(1, "hello", {}), 0);
  expect(seen.known).toBe("nothing");
  expect(reduce(seen, message(2, "snapshot", snapshot()), 0).known).toBe("all");
  const parted = reduce(seen, message(2, "snapshot", first), 0);
  expect(parted.known).toBe("newest");
  expect(reduce(parted, message(3, "past", { part: 2, of: 2, updates: [], utterances: [], trace: [], segments: [], turns: [], answers: [], steps: [] }), 0).known).toBe("all");
});
