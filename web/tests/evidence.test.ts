// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Session } from "../src/session";
import { piecesOf, quoted, rangesIn, wantedOfItem } from "../src/state/evidence";
import { micOf } from "../src/state/mic";
import { pointsIn, unitAt } from "../src/state/points";
import { BLOCK_CHARS, EMPTY, reduce, type View } from "../src/state/view";
import { Board } from "../src/ui/board";
import { message, snapshot, update } from "./messages";

beforeEach(() => {
  vi.stubGlobal("requestAnimationFrame", (draw: () => void) => draw());
  document.body.replaceChildren();
});

/** A board listens to the keyboard until its session has ended. */
const ends: (() => void)[] = [];
afterEach(() => ends.splice(0).forEach((end) => end()));

const SAID = "## View\nThe potassium is **6.9** mmol/L. Call the renal team.";
const words = (agent_id: string, text: string, start: number): [string, object] => ["trace", { items: [{ agent_id, name: `Doctor ${agent_id}`, turn: 1, text, start }] }];
const at = (part: string): [number, number] => [SAID.indexOf(part), SAID.indexOf(part) + part.length];
const found = (more: object = {}): [string, object] => [
  "update",
  update(1, [{ item_id: "u-1.1", text: "Potassium 6.9.", kind: "finding" }, { item_id: "u-1.2", text: "Nobody knows why." }], {
    summary: { key_findings: "Potassium 6.9 mmol/L. Something else." },
    evidence: {
      agents: ["zero", "gone"],
      spans: [[0, ...at("The potassium is **6.9** mmol/L.")], [1, 5, 9], [0, ...at("Call the renal team.")]],
      items: [[0, 1], []],
      fields: { key_findings: [[0, 21, [0, 2]]], unheard_of: [[0, 1, [0]]] },
      left_out: { question: 2, unread: 1, newer: 4 },
    },
    ...more,
  }),
];
const from = (view: View, ...bodies: [string, object][]): View =>
  bodies.map(([type, body], n) => message(n + 1, type, body)).reduce((before, envelope) => reduce(before, envelope, 0), view);

function boardOf(...bodies: [string, object][]): { board: Board; acts: unknown[] } {
  const acts: unknown[] = [];
  const status = { connection: "connected", listening: true, voice: true, sound: true, problem: "", elsewhere: false, lostAt_ms: null, silent: null, refused: "", after: null, version: null };
  const session = {
    view: from(EMPTY, ...bodies),
    status,
    title: "",
    mic: micOf("asking", false, null),
    act: (kind: string) => acts.push(kind),
  };
  const board = new Board(() => session as unknown as Session, () => undefined, () => undefined);
  document.body.append(board.element);
  ends.push(() => {
    status.connection = "ended";
    board.changed();
  });
  board.changed();
  return { board, acts };
}
const one = <E extends HTMLElement>(board: Board, testId: string): E => {
  const element = board.element.querySelector<E>(`[data-testid="${testId}"]`);
  if (!element) throw new Error(`there is no ${testId}`);
  return element;
};
const sentences = (board: Board): HTMLElement[] => [...board.element.querySelectorAll<HTMLElement>('[data-testid="sentence"]')];
const marked = (board: Board): string => [...board.element.querySelectorAll('[data-testid="evidence-mark"]')].map(({ textContent }) => textContent).join("");
const press = (element: HTMLElement, key: string): boolean => element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

describe("code points", () => {
  test("are counted, and found in JavaScript's units", () => {
    const text = "a🩺b🩺🩺c";
    expect(pointsIn(text)).toBe(6);
    expect([0, 1, 2, 3, 4, 5, 6, 9].map((point) => unitAt(text, point))).toEqual([0, 1, 3, 4, 6, 8, 9, 9]);
    expect([...text].map((_, point) => text.slice(unitAt(text, point), unitAt(text, point + 1)))).toEqual([...text]);
  });
});

describe("evidence", () => {
  test("is read for items and for sentences of fields; what leads nowhere is passed over", () => {
    const [made] = from(EMPTY, found()).updates;
    if (!made) throw new Error("no update");
    expect(made.items.map((item) => wantedOfItem(made, item)?.places.map((place) => place.agent_id) ?? null)).toEqual([["zero", "gone"], null]);
    expect(piecesOf(made, "key_findings").map(({ start, end, wanted }) => [start, end, wanted?.places.length ?? 0])).toEqual([
      [0, 21, 2],
      [21, 37, 0],
    ]);
    expect(piecesOf(made, "status_action")).toEqual([]);
  });

  test.each([
    { spans: "none" },
    { agents: [7], spans: [[0, 1, 2]], items: [[0]] },
    { agents: ["a"], spans: [[0, 9, 2], [0, -4, "x"], null], items: [[0, 1, 2, 99, -1, "0"], 5], fields: { key_findings: [null, [0]] } },
    null,
    [],
  ])("that is broken is none", (evidence) => {
    const [made] = from(EMPTY, ["update", update(1, [{ item_id: "x", text: "y" }], { evidence })]).updates;
    expect(made && wantedOfItem(made, made.items[0]!)).toBeNull();
    expect(made && piecesOf(made, "key_findings").every(({ wanted }) => wanted === null)).toBe(true);
  });

  test("is found across blocks, whatever stands in between, and in astral text", () => {
    const long = `${"🩺 word ".repeat(2_000)}end`;
    const view = from(EMPTY, words("a", long.slice(0, 9_000), 0), words("b", "other", 0), words("a", long.slice(9_000), pointsIn(long.slice(0, 9_000))));
    expect(view.trace.length).toBeGreaterThan(2);
    const points = [...long];
    const place = { agent_id: "a", start: pointsIn(long.slice(0, 9_000)) - 7, end: pointsIn(long.slice(0, 9_000)) + 9 };
    expect(quoted(view.trace, place).words).toBe(points.slice(place.start, place.end).join(""));
    expect(view.trace.flatMap((block) => rangesIn(block, [place]).map((range) => block.text.slice(...range))).join("")).toBe(points.slice(place.start, place.end).join(""));
  });

  test("a full block ends at a line's end if one is near", () => {
    const view = from(EMPTY, words("a", "x".repeat(BLOCK_CHARS), 0), words("a", "rest\nnext", BLOCK_CHARS));
    expect(view.trace.map(({ text, start, opens }) => [text.slice(-4), start, opens])).toEqual([
      ["est\n", 0, true],
      ["next", BLOCK_CHARS + 5, false],
    ]);
  });

  test("a snapshot that holds the newest words leaves the older ones of this page, and their evidence", () => {
    const before = from(EMPTY, words("zero", SAID, 0), words("b", "Before. ", 0), found());
    const told = found({ evidence: { left_out: { question: 1 } } })[1];
    const view = from(before, ["snapshot", snapshot({ updates: [told], trace: [{ agent_id: "zero", name: "Doctor zero", turn: 1, text: SAID.slice(20), start: 20 }] })]);
    expect(view.trace.map(({ agent_id, text }) => [agent_id, text])).toEqual([
      ["zero", SAID],
      ["b", "Before. "],
    ]);
    expect(view.traceChars).toBe(SAID.length + 8);
    expect(view.updates[0]?.evidence.items[0]).toHaveLength(2);
    const [place] = view.updates[0]?.evidence.items[0] ?? [];
    expect(place && quoted(view.trace, place).words).toBe("The potassium is **6.9** mmol/L.");
  });

  test("an older agent gives no places, and its snapshot replaces all", () => {
    const old: [string, object] = ["trace", { items: [{ agent_id: "a", turn: 1, text: "One " }, { agent_id: "a", turn: 1, text: "two" }] }];
    const view = from(EMPTY, old);
    expect(view.trace.map(({ text, start }) => [text, start])).toEqual([["One two", null]]);
    expect(from(view, ["snapshot", snapshot()]).trace).toEqual([]);
  });
});

describe("on the board", () => {
  test("a sentence opens its words, highlighted in their place, with who said them", () => {
    const { board } = boardOf(words("zero", SAID, 0), found());
    const item = sentences(board).find(({ textContent }) => textContent === "Potassium 6.9.");
    expect(item?.getAttribute("role")).toBe("button");
    expect(item?.tabIndex).toBe(0);
    item?.click();
    expect(marked(board)).toBe("The potassium is 6.9 mmol/L.");
    expect(one(board, "evidence").hidden).toBe(false);
    expect(one(board, "evidence-word").textContent).toBe("Doctor zero “The potassium is 6.9 mmol/L.”");
    expect(one(board, "evidence-gone").textContent).toContain("not on this page any more");
    expect(item?.getAttribute("aria-pressed")).toBe("true");
  });

  test("a sentence of a field does so by Enter, and one without evidence is text", () => {
    const { board, acts } = boardOf(words("zero", SAID, 0), found());
    const [field] = sentences(board).filter(({ textContent }) => textContent === "Potassium 6.9 mmol/L.");
    if (!field) throw new Error("no sentence");
    field.focus();
    press(field, "Enter");
    expect(marked(board)).toBe("The potassium is 6.9 mmol/L.Call the renal team.");
    expect(document.activeElement).toBe(one(board, "evidence"));
    expect(sentences(board).some(({ textContent }) => textContent?.includes("Nobody"))).toBe(false);
    expect(acts).toEqual([]);
  });

  test("Escape closes it and stops no voice; the next Escape does", () => {
    const { board, acts } = boardOf(words("zero", SAID, 0), found());
    const [item] = sentences(board);
    item?.focus();
    item && press(item, "Enter");
    press(document.body, "Escape");
    expect([one(board, "evidence").hidden, marked(board), acts]).toEqual([true, "", []]);
    expect(document.activeElement).toBe(item);
    press(document.body, "Escape");
    expect(acts).toEqual(["stop"]);
  });

  test("pressed again, or closed by its button, it is gone; another sentence takes its place", () => {
    const { board } = boardOf(words("zero", SAID, 0), found());
    const [first, other] = [sentences(board).at(0), sentences(board).find(({ textContent }) => textContent === "Potassium 6.9.")];
    first?.click();
    other?.click();
    expect(first?.hasAttribute("aria-pressed")).toBe(false);
    expect(marked(board)).toBe("The potassium is 6.9 mmol/L.");
    other?.click();
    expect(one(board, "evidence").hidden).toBe(true);
    first?.click();
    one(board, "evidence-close").click();
    expect([one(board, "evidence").hidden, marked(board)]).toEqual([true, ""]);
  });

  test("what was left out is listed by reason, closed", () => {
    const { board } = boardOf(found());
    const out = one<HTMLDetailsElement>(board, "left-out");
    expect(out.open).toBe(false);
    expect(out.querySelector("summary")?.textContent).toBe("Left out: 7 sentences");
    expect([...out.querySelectorAll("li")].map(({ textContent }) => textContent)).toEqual(["2 a question", "1 not understood", "4 newer"]);
  });

  test("a sentence keeps the focus while its card is drawn anew", () => {
    const { board } = boardOf(words("zero", SAID, 0), found());
    const item = sentences(board).find(({ textContent }) => textContent === "Potassium 6.9.");
    item?.focus();
    const key = item?.dataset["key"];
    const session = (board as unknown as { session: () => { view: View } }).session();
    session.view = reduce(session.view, message(9, "utterance", { utterance_id: "u-1.1", item_id: "u-1.1", update_id: "u-1", kind: "finding", text: "x", phase: "spoken" }), 0);
    board.changed();
    expect(item?.isConnected).toBe(false);
    expect((document.activeElement as HTMLElement).dataset["key"]).toBe(key);
  });
});
