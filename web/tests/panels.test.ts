import { beforeEach, describe, expect, test, vi } from "vitest";
import { EMPTY, reduce, type View } from "../src/state/view";
import { Board } from "../src/ui/board";
import { ConversationPanel } from "../src/ui/conversationPanel";
import { CriticalPanel } from "../src/ui/criticalPanel";
import type { Session } from "../src/session";
import { micOf } from "../src/state/mic";
import { UpdatesPanel } from "../src/ui/updatesPanel";
import { toldWords } from "../src/ui/words";
import { type Fake, fakeDocument, faked } from "./dom";
import { message, update, utterance } from "./messages";

beforeEach(() => {
  vi.stubGlobal("document", { ...fakeDocument, addEventListener: () => undefined });
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("requestAnimationFrame", (draw: () => void) => draw());
  vi.stubGlobal("ResizeObserver", class { observe(): void {} });
});

const from = (view: View, ...bodies: [string, object][]): View =>
  bodies.map(([type, body], at) => message(at + 1, type, body)).reduce((before, envelope) => reduce(before, envelope, 0), view);
const critical = (id: string, number: number): [string, object] => ["update", update(number, [{ item_id: id, text: `Critical: ${id}`, urgency: "critical" }])];
const told = (id: string, phase: string, acknowledged = false): [string, object] =>
  ["utterance", utterance(id, phase, { item_id: id, kind: "critical", critical_key: `key-${id}`, acknowledged })];

describe("critical findings", () => {
  test("the button stays the same one while the finding is read, so that no press is lost", () => {
    const pressed: string[] = [];
    const panel = new CriticalPanel((key) => pressed.push(key));
    const queued = from(EMPTY, critical("potassium", 1), told("potassium", "queued"));
    panel.update(queued, true);
    const button = faked(panel.element).named("btn-got-it")[0];
    panel.update(from(queued, told("potassium", "speaking"), critical("troponin", 2), told("troponin", "queued")), true);
    expect(faked(panel.element).named("btn-got-it")).toContain(button);
    button?.click();
    expect(pressed).toEqual(["key-potassium"]);
    panel.update(from(queued, told("potassium", "spoken", true)), true);
    expect([button?.hidden, faked(panel.element).named("noted")[0]?.hidden]).toEqual([true, false]);
  });

  test("several that come at once are all told, each once, and none that was noted", () => {
    const panel = new CriticalPanel(() => undefined);
    const both = from(EMPTY, critical("old", 1), told("old", "spoken", true), critical("potassium", 2), critical("troponin", 3));
    panel.update(both, true);
    expect(faked(panel.live).children.map(({ textContent }) => textContent)).toEqual(["Critical: Troponin", "Critical: Potassium"]);
    const live = [...faked(panel.live).children];
    panel.update(from(both, told("potassium", "speaking")), true);
    expect(faked(panel.live).children).toEqual(live);
    panel.update(from(both, critical("glucose", 4)), true);
    expect(faked(panel.live).textContent).toBe("Critical: Glucose");
  });

  test("its key is no part of the button's name", () => {
    const panel = new CriticalPanel(() => undefined);
    panel.update(from(EMPTY, critical("potassium", 1), told("potassium", "queued")), true);
    const [button] = faked(panel.element).named("btn-got-it");
    expect(button?.attributes.get("aria-keyshortcuts")).toBe("A");
    expect(button?.all(({ tag }) => tag === "kbd").map(({ attributes }) => attributes.get("aria-hidden"))).toEqual(["true"]);
  });
});

describe("the list of updates", () => {
  const view = from(EMPTY, ["update", update(1, [{ item_id: "a", text: "A." }])], ["utterance", utterance("a", "queued", { item_id: "a" })]);

  test("a summary that was opened stays the same one while its sentences are read", () => {
    const panel = new UpdatesPanel();
    panel.update(view);
    const opened = faked(panel.element).querySelector("li")?.querySelector("details");
    panel.update(from(view, ["utterance", utterance("a", "speaking", { item_id: "a" })]));
    const card = faked(panel.element).querySelector("li");
    expect(card?.querySelector("details")).toBe(opened);
    expect(card?.named("utterance-state").map(({ attributes }) => attributes.get("data-phase"))).toEqual(["speaking"]);
  });

  test("the agents' own words cost it nothing", () => {
    const panel = new UpdatesPanel();
    panel.update(view);
    const looked = vi.spyOn(JSON, "stringify");
    const more = from(view, ["trace", { items: [{ agent_id: "x", name: "X", turn: 1, text: "Hm." }] }]);
    looked.mockClear();
    panel.update(more);
    expect(looked).not.toHaveBeenCalled();
    looked.mockRestore();
  });
});

describe("what a screen reader is told beside the voice", () => {
  /** The board of a session whose line is lost. */
  const lost = (): Fake => {
    const status = { connection: "lost", listening: false, voice: false, sound: true, problem: "", elsewhere: false, lostAt_ms: 1, silent: null, refused: "", after: null, version: null };
    const session = { view: EMPTY, status, title: "A case", position: null, graceLeft_ms: 245_000, mic: micOf("on", true, null), level: 0, hears: false, returned: false };
    const board = new Board(() => session as unknown as Session, () => undefined, () => undefined);
    board.changed();
    return faked(board.element);
  };
  const role = (element: Fake | undefined): string | undefined => element?.attributes.get("role");

  test("the seconds that are left are not told one by one, though the banner is told", () => {
    const board = lost();
    const [grace] = board.named("grace");
    expect(grace?.textContent).toBe("4:05");
    expect([role(board.named("banner-warn")[0]), role(grace), grace?.attributes.get("aria-live")]).toEqual(["status", "timer", "off"]);
  });

  test("how the voice stands is told from a line of its own, and no key is read as part of a name", () => {
    const board = lost();
    expect(role(board.named("mode")[0])).toBeUndefined();
    expect(role(board.named("mode-told")[0])).toBe("status");
    const keys = board.all(({ tag }) => tag === "kbd");
    expect(keys.map(({ textContent }) => textContent)).toEqual(expect.arrayContaining(["S", "G", "N", "R", "/", "M"]));
    expect(keys.filter(({ attributes }) => attributes.get("aria-hidden") !== "true")).toEqual([]);
  });

  test("a button that says Unmute is not also told as pressed", () => {
    const mute = lost().named("btn-mute")[0];
    expect(mute?.textContent).toBe("UnmuteM");
    expect(mute?.attributes.has("aria-pressed")).toBe(false);
  });

  test("what was said and answered is not: the voice answers", () => {
    expect(faked(new ConversationPanel().element).all(({ attributes }) => attributes.get("role") === "log")[0]?.attributes.get("aria-live")).toBe("off");
  });

  test.each([
    ["speaking", {}, ""],
    ["idle", {}, ""],
    ["paused", {}, ""],
    ["asking", { question: "Stop, or go on?" }, ""],
    ["quiet", { waiting: 4 }, "Stopped. Critical findings are still read."],
    ["speaking", { rate: 0.9 }, "Slower"],
    ["waiting", { volume_db: 3 }, "Waiting for you. Louder"],
  ] as const)("%s, %j: %j", (state, mode, words) => {
    expect(toldWords(state, { ...EMPTY.mode, ...mode })).toBe(words);
  });
});
