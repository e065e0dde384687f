// @vitest-environment happy-dom
import { describe, expect, test, vi } from "vitest";

import type { Envelope } from "../src/protocol";
import { EMPTY, reduce, type View } from "../src/state/view";
import { h } from "../src/ui/dom";
import { TracePanel } from "../src/ui/tracePanel";
import { UpdatesPanel } from "../src/ui/updatesPanel";
import { message, snapshot, turn, update, utterance } from "./messages";

const after = (from: View, ...envelopes: Envelope[]): View => envelopes.reduce((view, one) => reduce(view, one, 0), from);
const said = (agent_id: string, start: number, text: string, at = 1): object => ({ agent_id, name: agent_id, turn: at, text, start });
const words = ({ trace }: View): string[] => trace.map(({ agent_id, text }) => `${agent_id}: ${text}`);
const ids = ({ utterances }: View): string[] => [...utterances.keys()];

const A = "The potassium is 6.9. ";
const B = "The pulse is 44. ";
const C = "Give calcium first. ";

/** Three messages of one snapshot: the newest first, what each agent said in pieces. */
const PARTS = [
  message(1, "snapshot", snapshot({ parts: 3, updates: [update(3)], utterances: [utterance("c", "spoken"), utterance("d", "speaking")], turns: [turn("t3", "decided")], trace: [said("zero", A.length, C)] })),
  message(2, "past", { part: 2, of: 3, updates: [update(2)], utterances: [utterance("b", "cut")], turns: [turn("t2", "decided")], answers: [{ turn_id: "t2" }] }),
  message(3, "past", { part: 3, of: 3, updates: [update(1)], utterances: [utterance("a", "spoken")], turns: [turn("t1", "decided")], trace: [said("zero", 0, A), said("one", 0, B)] }),
];

describe("a snapshot in parts", () => {
  test("is the whole once all of it has come, in the order in which it was told", () => {
    const view = after(EMPTY, ...PARTS);
    expect(view.updates.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(ids(view)).toEqual(["a", "b", "c", "d"]);
    expect(view.turns.map(({ turn_id }) => turn_id)).toEqual(["t1", "t2", "t3"]);
    expect(view.answers.map(({ turn_id }) => turn_id)).toEqual(["t2"]);
    expect(words(view)).toEqual([`one: ${B}`, `zero: ${A}${C}`]);
    expect(view.traceChars).toBe(A.length + B.length + C.length);
  });

  test("has the agents' words on the page in the order in which they were said, and marks what is meant", () => {
    vi.stubGlobal("ResizeObserver", class { observe(): void {} });
    const panel = new TracePanel(h("div"));
    const drawn = (): (string | null)[] => [...panel.element.querySelectorAll("article .prose")].map(({ textContent }) => textContent);
    let view = after(EMPTY, ...PARTS.slice(0, 2));
    panel.update(view);
    panel.mark([{ agent_id: "zero", start: A.length, end: A.length + 4 }]);
    expect(drawn()).toEqual([C.trim()]);
    view = after(view, ...PARTS.slice(2), message(4, "trace", { items: [said("two", 0, "Agreed.")] }));
    panel.update(view);
    expect(drawn()).toEqual([B.trim(), (A + C).trim(), "Agreed."]);
    expect(panel.element.querySelector("mark")?.textContent).toBe("Give");
  });

  test("may come again and changes nothing", () => {
    const once = after(EMPTY, ...PARTS);
    const twice = after(once, ...PARTS);
    expect({ ...twice, nextKey: 0, trace: words(twice) }).toEqual({ ...once, nextKey: 0, trace: words(once) });
    expect(twice.before).toBe(0);
    expect(after(once, ...PARTS.slice(1))).toEqual(once);
  });

  test("takes no card away from a page that had them, and what comes between stays", () => {
    const had = after(EMPTY, message(1, "update", update(1)), message(2, "update", update(2)), message(3, "trace", { items: [said("zero", 0, A)] }));
    const first = after(had, message(4, "snapshot", PARTS[0]?.type === "snapshot" ? PARTS[0].body : {}));
    expect(first.updates.map(({ number }) => number)).toEqual([1, 2, 3]);
    const between = after(first, message(5, "trace", { items: [said("zero", (A + C).length, "Now."), said("one", B.length, "Yes.")] }), message(6, "utterance", utterance("d", "spoken")));
    expect(words(between).join("")).toContain(A);
    const view = after(between, ...PARTS.slice(1));
    expect(words(view).sort()).toEqual([`one: ${B}Yes.`, `zero: ${A}${C}Now.`]);
    expect(view.utterances.get("d")?.phase).toBe("spoken");
    expect(view.updates[0]?.at_ms).toBeGreaterThan(0);
  });

  test("a page of a former agent, which sends all in one message, is replaced by it", () => {
    const view = after(after(EMPTY, ...PARTS), message(4, "snapshot", snapshot({ updates: [update(9)] })));
    expect(view.updates.map(({ number }) => number)).toEqual([9]);
  });

  test("what the agent has no more is said where the list ends", () => {
    const panel = new UpdatesPanel(() => undefined);
    const line = panel.element.querySelector<HTMLElement>("[data-testid=earlier-updates]");
    panel.update(after(EMPTY, message(1, "snapshot", snapshot({ updates: [update(41)], earlier: 40 }))));
    const words = "40 earlier updates are not on this page; the report has them.";
    expect([line?.hidden, line?.textContent]).toEqual([false, words]);
    panel.update(after(EMPTY, message(1, "snapshot", snapshot({ updates: [update(1), update(42)], earlier: 40 }))));
    expect([line?.hidden, line?.textContent]).toEqual([false, words]); // an alarm was spared
    panel.update(after(EMPTY, message(1, "snapshot", snapshot({ updates: [update(1), update(2)] }))));
    expect(line?.hidden).toBe(true);
  });

  test("takes no sentence away from a page that had it before the last part, and keeps the order", () => {
    const had = after(EMPTY, ...["gone", "a", "b"].map((id, at) => message(at + 1, "utterance", utterance(id, "spoken"))));
    const first = after(had, ...PARTS.slice(0, 1));
    expect(ids(first)).toEqual(["gone", "a", "b", "c", "d"]);
    const second = after(first, message(4, "utterance", utterance("e", "queued")), ...PARTS.slice(1, 2));
    expect(ids(second)).toEqual(["gone", "a", "b", "c", "d", "e"]);
    expect(second.utterances.get("b")).toMatchObject({ phase: "cut", at_ms: had.utterances.get("b")?.at_ms });
    expect(ids(after(second, ...PARTS.slice(2)))).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("what is told live is not taken back by the last part", () => {
    const had = after(EMPTY, message(1, "utterance", utterance("x", "queued")));
    const view = after(had, ...PARTS.slice(0, 1), message(4, "utterance", utterance("x", "speaking")), ...PARTS.slice(1));
    expect(view.utterances.get("x")?.phase).toBe("speaking");
  });
});
