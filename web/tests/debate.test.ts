// @vitest-environment happy-dom
import { describe, expect, test } from "vitest";
import { changesIn, type Debate, debateOf, MAX_NAMES, messagesIn } from "../src/state/debate";
import { EMPTY, MAX_STEPS, reduce, type View } from "../src/state/view";
import { DebatePanel, debateWords } from "../src/ui/debatePanel";
import { message, snapshot } from "./messages";

const C = "The cardiologist";
const N = "The nephrologist";
const P = "The pharmacist";

let last = 0;
const step = (kind: string, agents: readonly string[], more: object = {}): object => ({ step_id: `s${(last += 1)}`, kind, text: "", detail: "", agents, round: null, share: null, ...more });
const wrote = (from: string, to: string, count: number): object => step("message", [from, to], { step_id: `${from}>${to}`, count, round: 1 });
const holds = (name: string, detail: string, round: number | null): object => step("leading", [name], { detail, round });
const round = (number: number): object => step("round", [C, N, P], { round: number });
const after = (...bodies: object[]): View => bodies.reduce((view: View, body, at) => reduce(view, message(at + 1, "step", body), 0), EMPTY);
const debate = (...bodies: object[]): Debate => {
  const found = debateOf(after(...bodies));
  if (found === null) throw new Error("no debate");
  return found;
};

const WHOLE = [
  step("recruited", [C, N, P], { detail: `${C}; ${N} > ${P}` }),
  holds(C, "pericarditis", null),
  holds(N, "uraemia", null),
  holds(P, "uraemia", null),
  round(1),
  wrote(N, C, 1),
  wrote(N, C, 2),
  wrote(C, P, 1),
  holds(C, "Uraemia", 1),
  holds(N, "uraemia ", 1),
  step("changed", [C, N], { round: 1 }),
  step("final", ["The moderator"], { detail: "uraemia" }),
];

describe("a debate is read from a team's steps", () => {
  test("messages are counted from the row to the column, in the order of the recruited", () => {
    const found = debate(...WHOLE);
    expect(found.writers).toEqual([C, N, P]);
    expect(found.wrote).toEqual([[0, 0, 1], [2, 0, 0], [0, 0, 0]]);
    expect(messagesIn(found)).toBe(3);
  });

  test("views stand by round, and a change is marked with after whom", () => {
    const found = debate(...WHOLE);
    expect(found.rounds).toEqual([0, 1]);
    expect(found.holders).toEqual([
      { name: C, views: [{ text: "pericarditis", changed: false, after: "" }, { text: "Uraemia", changed: true, after: N }] },
      { name: N, views: [{ text: "uraemia", changed: false, after: "" }, { text: "uraemia ", changed: false, after: "" }] },
      { name: P, views: [{ text: "uraemia", changed: false, after: "" }, null] },
    ]);
    expect(changesIn(found)).toBe(1);
    expect(found.decision).toEqual({ by: "The moderator", text: "uraemia" });
  });

  test("a change that no step tells of is seen, over a round of silence too", () => {
    const found = debate(holds(C, "a", null), holds(N, "b", null), round(1), holds(N, "b", 1), round(2), holds(C, "c", null));
    expect(found.rounds).toEqual([0, 1, 2]);
    expect(found.holders[0]?.views).toEqual([{ text: "a", changed: false, after: "" }, null, { text: "c", changed: true, after: "" }]);
  });

  test("a change without a view is shown as a change", () => {
    const found = debate(step("changed", [C, N], { round: 2 }), wrote(N, C, 1));
    expect(found.holders).toEqual([{ name: C, views: [{ text: "", changed: true, after: N }] }]);
  });

  test("the hierarchy is a tree; a team's title stands before it", () => {
    const found = debate(step("recruited", [C, N, P], { detail: `Review Team: ${C} > ${N} > ${P}` }), step("recruited", [N, C, P], { detail: `${N} > ${C}; ${N} > ${P}` }));
    expect(found.recruited).toEqual([
      { title: "Review Team", seats: [{ name: C, below: [{ name: N, below: [{ name: P, below: [] }] }] }] },
      { title: "", seats: [{ name: N, below: [{ name: C, below: [] }, { name: P, below: [] }] }] },
    ]);
  });

  test.each(["The team: a cardiologist and a nephrologist.", `${C} > somebody else`, `${C}; ${N} > `, "", `${C}`])("what is no hierarchy of the recruited is none: %s", (detail) => {
    expect(debate(step("recruited", [C, N], { detail })).recruited).toEqual([{ title: "", seats: [{ name: C, below: [] }, { name: N, below: [] }] }]);
  });

  test("one agent that leads with something is no debate, nor are stages", () => {
    expect(debateOf(EMPTY)).toBeNull();
    expect(debateOf(after(step("recruiting", []), holds(C, "a", null), holds(C, "b", null), step("final", [C], { detail: "b" })))).toBeNull();
    expect(debateOf(after(step("message", [C]), round(1)))).toBeNull();
    expect(debateOf(after(round(1), holds(C, "a", 1), holds("The radiologist", "b", 1), step("final", [C], { detail: "b" })))).toBeNull();
  });

  test("a team of very many is no table any more", () => {
    const many = Array.from({ length: 60 }, (_, at) => wrote(`Doctor ${at}`, C, 1));
    expect(debate(...many).writers).toHaveLength(MAX_NAMES);
  });

  test("who comes late reads the same debate", () => {
    const view = after(...WHOLE);
    const late = reduce(EMPTY, message(1, "snapshot", snapshot({ steps: view.steps })), 0);
    expect(debateOf(late)).toEqual(debateOf(view));
  });

  test("who was recruited is still there after more steps than are kept", () => {
    const rest = Array.from({ length: MAX_STEPS + 40 }, () => step("waiting", [C]));
    const view = after(step("recruited", [C, N]), ...rest);
    expect(view.steps).toHaveLength(MAX_STEPS);
    expect(debateOf(view)?.recruited).toHaveLength(1);
  });
});

describe("the panel of a debate", () => {
  const drawn = (...bodies: object[]): DebatePanel => {
    const panel = new DebatePanel();
    panel.update(after(...bodies));
    return panel;
  };
  const texts = (panel: DebatePanel, selector: string): (string | null)[] => [...panel.element.querySelectorAll(selector)].map((each) => each.textContent);

  test("it is hidden where there is no debate, and folded where there is one", () => {
    expect(drawn().element.hidden).toBe(true);
    const panel = drawn(...WHOLE);
    expect(panel.element.hidden).toBe(false);
    expect(panel.element.querySelector("details")?.open).toBe(false);
    expect(debateWords(debate(...WHOLE))).toBe("3 participants, 3 messages, 1 change of view, decided");
  });

  test("who keeps another view is named under the decision", () => {
    const panel = drawn(...WHOLE, step("minority", [P], { detail: "pharmacist: digoxin toxicity" }));
    expect(texts(panel, "[data-testid=debate-minority]")).toEqual(["Keeps another view: pharmacist: digoxin toxicity"]);
    expect(drawn(...WHOLE).element.querySelector<HTMLElement>("[data-testid=debate-minority]")?.hidden).toBe(true);
  });

  test("tables have a caption, and a header to each row and column", () => {
    const panel = drawn(...WHOLE);
    expect(texts(panel, "caption")).toEqual(["Messages, from the row to the column", "What each held, by round"]);
    expect(texts(panel, "[data-testid=debate-matrix] th[scope=col]")).toEqual(["From → to", "Cardiologist", "Nephrologist", "Pharmacist"]);
    expect(texts(panel, "[data-testid=debate-matrix] tbody th[scope=row]")).toEqual(["Cardiologist", "Nephrologist", "Pharmacist"]);
    expect(texts(panel, "[data-testid=debate-matrix] td")).toEqual(["–", "0", "1", "2", "–", "0", "0", "0", "–"]);
    expect(texts(panel, "[data-testid=debate-views] th[scope=col]")).toEqual(["Who", "At first", "Round 1"]);
    expect(texts(panel, "[data-changed=true]")).toEqual(["Uraemiachanged, after the nephrologist wrote"]);
    expect(texts(panel, "[data-testid=debate-decision]")).toEqual(["The moderator decides: uraemia"]);
    expect(panel.element.querySelectorAll(".wide[tabindex='0'][role=region][aria-label]")).toHaveLength(2);
  });

  test("a team has its title, and whoever only was recruited takes part too", () => {
    const bodies = [step("recruited", [C, N], { detail: `review team: ${C} > ${N}` }), holds(C, "a", 1)];
    expect(texts(drawn(...bodies), "h4")).toEqual(["Review team"]);
    expect(debateWords(debate(...bodies))).toBe("2 participants");
  });

  test("only what there is has a part, and text is always text", () => {
    const panel = drawn(step("recruited", [C, "<b>x</b>"]));
    expect(panel.element.querySelector("table")).toBeNull();
    expect(panel.element.querySelector("b")).toBeNull();
    expect(texts(panel, "[data-testid=debate-recruited] li")).toEqual([C, "<b>x</b>"]);
  });

  test("it stays open while the debate goes on, and keeps the focus", () => {
    const panel = drawn(...WHOLE.slice(0, 6));
    document.body.append(panel.element);
    const table = panel.element.querySelector<HTMLElement>(".wide");
    table!.focus();
    const fold = panel.element.querySelector("details");
    fold!.open = true;
    panel.update(after(...WHOLE));
    expect(panel.element.querySelector("details")).toBe(fold);
    expect(fold!.open).toBe(true);
    expect(document.activeElement).toBe(table);
  });
});
