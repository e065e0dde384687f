// @vitest-environment happy-dom
import { beforeEach, describe, expect, test, vi } from "vitest";
import { EMPTY, reduce, type View } from "../src/state/view";
import { Board } from "../src/ui/board";
import { ConversationPanel } from "../src/ui/conversationPanel";
import { CriticalPanel } from "../src/ui/criticalPanel";
import type { Session } from "../src/session";
import { micOf } from "../src/state/mic";
import { TalkPanel } from "../src/ui/talkPanel";
import { SummaryPanel } from "../src/ui/summaryPanel";
import { UpdatesPanel } from "../src/ui/updatesPanel";
import { LOADING, reasoningWords, toldWords } from "../src/ui/words";
import { message, snapshot, update, utterance } from "./messages";

beforeEach(() => {
  vi.stubGlobal("requestAnimationFrame", (draw: () => void) => draw());
});

const nothing = (): void => undefined;
const named = <E extends HTMLElement>(element: HTMLElement, testId: string): E[] => [...element.querySelectorAll<E>(`[data-testid="${testId}"]`)];
const texts = (elements: Iterable<Element>): (string | null)[] => [...elements].map(({ textContent }) => textContent);

const from = (view: View, ...bodies: [string, object][]): View =>
  bodies.map(([type, body], at) => message(at + 1, type, body)).reduce((before, envelope) => reduce(before, envelope, 0), view);
const critical = (id: string, number: number): [string, object] => ["update", update(number, [{ item_id: id, text: `Critical: ${id}`, urgency: "critical" }])];
const told = (id: string, phase: string, acknowledged = false): [string, object] =>
  ["utterance", utterance(id, phase, { item_id: id, kind: "critical", critical_key: `key-${id}`, acknowledged })];

describe("before a first snapshot", () => {
  test("the page says that it loads, and after it what there is", () => {
    const [updates, summary] = [new UpdatesPanel(nothing), new SummaryPanel(nothing)];
    const shown = (view: View): (string | null)[] => {
      updates.update(view);
      summary.update(view);
      return [updates.element.querySelector(".hint")?.textContent ?? null, summary.element.querySelector(".hint")?.textContent ?? null, reasoningWords(view, "connected")];
    };
    expect(shown(EMPTY)).toEqual([LOADING, LOADING, "Agents: loading…"]);
    expect(reasoningWords(EMPTY, "ended")).toBe("Agents: not known");
    const here = from(EMPTY, ["snapshot", snapshot({ reasoning: { phase: "waiting", detail: "" } })]);
    expect(shown(here)).toEqual(["No updates yet.", expect.stringContaining("As soon as") as string, "Agents waiting"]);
  });

  test.each([
    [1, [], "1 critical finding was open. Loading it…"],
    [3, ["a"], "3 critical findings were open. Loading them…"],
    [0, [], null],
    [2, ["a", "b"], "2 critical findings, none noted"],
    [1, ["a"], null],
  ])("of %i that were open and %j that came", (before, came, words) => {
    const panel = new CriticalPanel(nothing, nothing);
    panel.update(from(EMPTY, ...came.map((id, at) => critical(id, at + 1))), false, before);
    const [count] = named(panel.element, "critical-count");
    expect(count?.hidden ? null : count?.textContent).toBe(words);
    expect(panel.element.hidden).toBe(before === 0 && came.length === 0);
  });
});

test.each([
  ["the closing after the end", "end", "completed", 3],
  ["what was read last where there is no closing", "A", "completed", 1],
  ["what was read last before the end", "end", null, 1],
])("the summary shows %s", (_, path, ended, number) => {
  const panel = new SummaryPanel(nothing);
  const view = from(EMPTY, ["update", update(1)], ["utterance", utterance("a", "spoken", { update_id: "u-1" })], ["update", update(2)], ["update", update(3, [], { path })]);
  panel.update({ ...view, ended });
  expect(panel.element.dataset["updateId"]).toBe(`u-${number}`);
});

describe("critical findings", () => {
  test("more than one are counted, and those that nobody noted", () => {
    const panel = new CriticalPanel(nothing, nothing);
    const counted = (...bodies: [string, object][]): string | null => {
      panel.update(from(EMPTY, critical("a", 1), critical("b", 2), critical("c", 3), ...bodies), true);
      return named(panel.element, "critical-count")[0]?.textContent ?? null;
    };
    expect(counted()).toBe("3 critical findings, none noted");
    expect(counted(told("a", "spoken", true))).toBe("3 critical findings, 2 not noted");
    expect(counted(told("a", "spoken", true), told("b", "spoken", true), told("c", "spoken", true))).toBe("3 critical findings, all noted");
  });

  test("the button stays the same one while the finding is read, so that no press is lost", () => {
    const pressed: string[] = [];
    const panel = new CriticalPanel((key) => pressed.push(key), nothing);
    const queued = from(EMPTY, critical("potassium", 1), told("potassium", "queued"));
    panel.update(queued, true);
    const [button] = named<HTMLButtonElement>(panel.element, "btn-got-it");
    panel.update(from(queued, told("potassium", "speaking"), critical("troponin", 2), told("troponin", "queued")), true);
    expect(named(panel.element, "btn-got-it")).toContain(button);
    button?.click();
    expect(pressed).toEqual(["key-potassium"]);
    panel.update(from(queued, told("potassium", "spoken", true)), true);
    expect([button?.hidden, named(panel.element, "noted")[0]?.hidden]).toEqual([true, false]);
  });

  test("several that come at once are all told, each once, and none that was noted", () => {
    const panel = new CriticalPanel(() => undefined, nothing);
    const both = from(EMPTY, critical("old", 1), told("old", "spoken", true), critical("potassium", 2), critical("troponin", 3));
    panel.update(both, true);
    expect(texts(panel.live.children)).toEqual(["Critical: Troponin", "Critical: Potassium"]);
    const live = [...panel.live.children];
    panel.update(from(both, told("potassium", "speaking")), true);
    expect([...panel.live.children].every((line, at) => line === live[at])).toBe(true);
    expect(panel.live.children).toHaveLength(live.length);
    panel.update(from(both, critical("glucose", 4)), true);
    expect(panel.live.textContent).toBe("Critical: Glucose");
  });

  test("one that the agents took back stands behind the open ones, asks for nothing, and is called that", () => {
    const panel = new CriticalPanel(nothing, nothing);
    const takenBack: [string, object] = ["utterance", utterance("new", "cancelled", { kind: "critical", critical_key: "key-new", reason: "withdrawn" })];
    panel.update(from(EMPTY, critical("old", 1), told("old", "spoken"), critical("new", 2), takenBack), true);
    expect(named(panel.element, "critical-count")[0]?.textContent).toBe("2 critical findings, 1 not noted");
    expect(named(panel.element, "critical-item").map((row) => row.querySelector(".critical-text")?.textContent)).toEqual(["Critical Old", "Critical New"]);
    expect(named<HTMLButtonElement>(panel.element, "btn-got-it").map(({ hidden }) => hidden)).toEqual([false, true]);
    const [, settled] = named(panel.element, "noted");
    expect([settled?.hidden, settled?.textContent]).toEqual([false, "Withdrawn"]);
    expect(panel.live.textContent).toBe("Critical: Old");
  });

  test("its key is no part of the button's name", () => {
    const panel = new CriticalPanel(() => undefined, nothing);
    panel.update(from(EMPTY, critical("potassium", 1), told("potassium", "queued")), true);
    const [button] = named(panel.element, "btn-got-it");
    expect(button?.getAttribute("aria-keyshortcuts")).toBe("A");
    expect([...(button?.querySelectorAll("kbd") ?? [])].map((key) => key.getAttribute("aria-hidden"))).toEqual(["true"]);
  });
});

describe("the list of updates", () => {
  const view = from(EMPTY, ["update", update(1, [{ item_id: "a", text: "A." }])], ["utterance", utterance("a", "queued", { item_id: "a" })]);

  test("a summary that was opened stays the same one while its sentences are read", () => {
    const panel = new UpdatesPanel(nothing);
    panel.update(view);
    const opened = panel.element.querySelector("li details");
    panel.update(from(view, ["utterance", utterance("a", "speaking", { item_id: "a" })]));
    expect(opened).not.toBeNull();
    expect(panel.element.querySelector("li details")).toBe(opened);
    expect(named(panel.element, "utterance-state").map(({ dataset }) => dataset["phase"])).toEqual(["speaking"]);
  });

  test("the agents' own words cost it nothing", () => {
    const panel = new UpdatesPanel(nothing);
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
  const lost = (): HTMLElement => {
    const status = { connection: "lost", listening: false, voice: false, sound: true, problem: "", elsewhere: false, lostAt_ms: 1, silent: null, refused: "", after: null, version: null };
    const session = { view: EMPTY, status, title: "A case", position: null, graceLeft_ms: 245_000, mic: micOf("on", true, null), level: 0, hears: false, returned: false };
    const board = new Board(() => session as unknown as Session, () => undefined, () => undefined);
    board.changed();
    return board.element;
  };
  const role = (element: HTMLElement | undefined): string | null | undefined => element?.getAttribute("role");

  test("the seconds that are left are not told one by one, though the banner is told", () => {
    const board = lost();
    const [grace] = named(board, "grace");
    expect(grace?.textContent).toBe("4:05");
    expect([role(named(board, "banner-warn")[0]?.parentElement ?? undefined), role(grace), grace?.getAttribute("aria-live")]).toEqual(["status", "timer", "off"]);
  });

  test("how the voice stands is told from a line of its own, and no key is read as part of a name", () => {
    const board = lost();
    expect(role(named(board, "mode")[0])).toBeNull();
    expect(role(named(board, "mode-told")[0])).toBe("status");
    const keys = [...board.querySelectorAll("kbd")];
    expect(texts(keys)).toEqual(expect.arrayContaining(["S", "G", "N", "R", "/", "M"]));
    expect(keys.filter((key) => key.getAttribute("aria-hidden") !== "true")).toEqual([]);
  });

  test("a button that says Unmute is not also told as pressed", () => {
    const [mute] = named(lost(), "btn-mute");
    expect(mute?.textContent).toBe("UnmuteM");
    expect(mute?.hasAttribute("aria-pressed")).toBe(false);
  });

  test("how much is told is asked for by a button, and shown on it", () => {
    const board = lost();
    const pressed = (): (string | null)[] => ["brief", "usual_detail", "full"].map((kind) => named(board, `detail-${kind}`)[0]?.getAttribute("aria-pressed") ?? null);
    expect(pressed()).toEqual(["false", "true", "false"]);
  });

  test("what was said and answered is not: the voice answers", () => {
    expect(new ConversationPanel().element.querySelector('[role="log"]')?.getAttribute("aria-live")).toBe("off");
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

test("keys that write a character can be turned off, which this browser keeps", () => {
  const made = (): [TalkPanel, HTMLButtonElement | undefined] => {
    const panel = new TalkPanel(() => { throw new Error("no session is asked"); }, document.createElement("div"));
    return [panel, named<HTMLButtonElement>(panel.element, "btn-keys")[0]];
  };
  const [panel, keys] = made();
  expect([panel.keysOn, keys?.getAttribute("aria-pressed")]).toEqual([true, "true"]);
  keys?.click();
  expect([panel.keysOn, keys?.getAttribute("aria-pressed")]).toEqual([false, "false"]);
  const [again, back] = made();
  expect(again.keysOn).toBe(false);
  back?.click();
  expect(made()[0].keysOn).toBe(true);
});
