// @vitest-environment happy-dom
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Session } from "../src/session";
import { micOf } from "../src/state/mic";
import { unheeded } from "../src/state/reading";
import { EMPTY, reduce, type View } from "../src/state/view";
import { Board } from "../src/ui/board";
import { message, update, utterance } from "./messages";

beforeEach(() => {
  vi.stubGlobal("requestAnimationFrame", (draw: () => void) => draw());
});

const from = (...bodies: [string, object][]): View =>
  bodies.map(([type, body], at) => message(at + 1, type, body)).reduce((before, envelope) => reduce(before, envelope, 0), EMPTY);
const critical = (id: string, number: number): [string, object] => ["update", update(number, [{ item_id: id, text: `Critical: ${id} is 7.1.`, urgency: "critical" }])];
const told = (id: string, phase: string, acknowledged = false, critical_key = `key-${id}`, reason = ""): [string, object] =>
  ["utterance", utterance(id, phase, { item_id: id, kind: "critical", critical_key, acknowledged, reason })];

/** A board over a view; what is asked of its session, and of the page, in order. */
function boardOf(view: View): { element: HTMLElement; asked: string[]; click: (testId: string) => void; open: () => boolean } {
  const asked: string[] = [];
  const status = { connection: "connected", listening: true, voice: true, sound: true, problem: "", elsewhere: false, lostAt_ms: null, silent: null, refused: "", after: null, version: null };
  const session = {
    id: "s", view, status, title: "A case", position: null, graceLeft_ms: null, mic: micOf("on", false, null), level: 0, hears: true, returned: false,
    leave: () => Promise.resolve(asked.push("end") > 0),
    away: () => asked.push("away"),
    toggleMute: () => undefined,
  };
  const board = new Board(() => session as unknown as Session, () => asked.push("chooser"), () => undefined);
  document.body.replaceChildren(board.element);
  board.changed();
  const found = (testId: string): HTMLElement | null => board.element.querySelector(`[data-testid="${testId}"]`);
  return { element: board.element, asked, click: (testId) => found(testId)?.click(), open: () => (found("farewell") as HTMLDialogElement).open };
}

describe("Leave", () => {
  test.each([
    ["nothing was critical", from(["update", update(1, [{ item_id: "a", text: "A." }])])],
    ["all was noted", from(critical("potassium", 1), told("potassium", "spoken", true))],
    ["it was read, and can't be noted by hand", from(critical("potassium", 1), told("potassium", "spoken", false, ""))],
    ["it was taken back before it was read", from(critical("potassium", 1), told("potassium", "cancelled", false, undefined, "withdrawn"))],
  ])("ends at once if %s", (_, view) => {
    const { asked, click, open } = boardOf(view);
    click("leave");
    expect([asked, open()]).toEqual([["end"], false]);
  });

  test.each([
    ["was not offered yet", from(critical("potassium", 1)), "Not read aloud"],
    ["waits", from(critical("potassium", 1), told("potassium", "queued")), "Not read aloud"],
    ["is being read", from(critical("potassium", 1), told("potassium", "speaking")), "Not read aloud"],
    ["was cut short, and can't be noted by hand", from(critical("potassium", 1), told("potassium", "held", false, "")), "Not read aloud"],
    ["was read, and nobody noted it", from(critical("potassium", 1), told("potassium", "spoken")), "nobody took note"],
  ])("asks if a critical finding %s, and says which", (_, view, words) => {
    const { element, asked, click, open } = boardOf(view);
    click("leave");
    expect([asked, open()]).toEqual([[], true]);
    const items = [...element.querySelectorAll('[data-testid="farewell-item"]')].map(({ textContent }) => textContent ?? "");
    expect(items).toHaveLength(1);
    expect(items[0]).toMatch(new RegExp(`^Potassium is 7\\.1\\..*${words}`));
  });

  test("what was not noted is counted, and what was is left out", () => {
    const view = from(critical("potassium", 1), told("potassium", "spoken", true), critical("troponin", 2), critical("glucose", 3));
    const { element, click } = boardOf(view);
    click("leave");
    expect(element.querySelector("#farewell-asks")?.textContent).toBe("2 critical findings have not been noted. Leave?");
    expect(unheeded(view).map(({ item }) => item.item_id)).toEqual(["glucose", "troponin"]);
  });

  test.each([
    ["farewell-stay", []],
    ["farewell-away", ["away", "chooser"]],
    ["farewell-end", ["end"]],
  ])("%s does what it says, and the question is gone", (choice, does) => {
    const { asked, click, open } = boardOf(from(critical("potassium", 1)));
    click("leave");
    click(choice);
    expect([asked, open()]).toEqual([does, false]);
  });

  test("while it asks, keys are the question's own: Escape stays, and stops no voice", () => {
    const { click } = boardOf(from(critical("potassium", 1)));
    const pressed = (): boolean => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "m", bubbles: true, cancelable: true }));
    expect(pressed()).toBe(false);
    click("leave");
    expect(pressed()).toBe(true);
    click("farewell-stay");
    expect(pressed()).toBe(false);
  });

  test("staying is what a hasty press of Enter does", () => {
    const { element, click } = boardOf(from(critical("potassium", 1)));
    click("leave");
    expect(document.activeElement).toBe(element.querySelector('[data-testid="farewell-stay"]'));
  });
});
