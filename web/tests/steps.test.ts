// @vitest-environment happy-dom
import { describe, expect, test, vi } from "vitest";
import { EMPTY, MAX_STEPS, reduce, type View } from "../src/state/view";
import { ASKS_MS, stageWords, stepWords, StepsPanel } from "../src/ui/stepsPanel";
import { message } from "./messages";

const step = (step_id: string, kind: string, more: object = {}): object => ({ step_id, kind, text: "", detail: "", agents: [], round: null, share: null, ...more });
const after = (...bodies: object[]): View => bodies.reduce((view: View, body, at) => reduce(view, message(at + 1, "step", body), 0), EMPTY);

describe("what a team is at", () => {
  test("its stage is the newest step that is no decision, with its round", () => {
    const view = after(
      step("1", "round", { text: "Round two.", round: 2 }),
      step("2", "waiting", { text: "Still waiting for the cardiologist." }),
      step("3", "leading", { agents: ["The cardiologist"], detail: "pericarditis" }),
    );
    expect(stageWords(view.steps)).toBe("Round 2. Still waiting for the cardiologist.");
    expect(stepWords(view.steps[2]!)).toBe("The cardiologist leads with: pericarditis");
  });

  test("one that comes again replaces itself, and the oldest beyond the bound go", () => {
    const view = after(...Array.from({ length: 200 }, (_, at) => step(String(at), "round", { text: `${at}` })), step("199", "round", { text: "again" }));
    expect(view.steps).toHaveLength(MAX_STEPS);
    expect(view.steps.at(-1)?.text).toBe("again");
  });

  test("messages of one to another are one row, which says how many there are", () => {
    const panel = new StepsPanel(() => Promise.resolve(""));
    const wrote = (count: number): object => step("7", "message", { text: "The cardiologist has written to the nephrologist.", detail: `no. ${count}`, count });
    panel.update(after(wrote(1), wrote(2), wrote(3)));
    const rows = [...panel.element.querySelectorAll("li")].map((row) => row.textContent);
    expect(rows).toEqual(["The cardiologist has written to the nephrologist.3 timesno. 3"]);
  });

  test("the panel is hidden without steps, shows them newest first, and text is always text", () => {
    const panel = new StepsPanel(() => Promise.resolve(""));
    panel.update(EMPTY);
    expect(panel.element.hidden).toBe(true);
    panel.update(after(step("1", "recruiting", { text: "Recruiting.", detail: "<b>x</b>" }), step("2", "final", { agents: ["The moderator"], detail: "lupus" })));
    expect(panel.element.hidden).toBe(false);
    const rows = [...panel.element.querySelectorAll("li")].map((row) => row.textContent);
    expect(rows).toEqual(["The moderator decides: lupus", "Recruiting.<b>x</b>"]);
    expect(panel.element.querySelector("b")).toBeNull();
  });

  test("who does not want the team's end after all says so, or presses nothing more", () => {
    vi.useFakeTimers();
    try {
      let ended = 0;
      const panel = new StepsPanel(() => Promise.resolve(String(++ended)));
      const named = (name: string): HTMLButtonElement => panel.element.querySelector<HTMLButtonElement>(`[data-testid="${name}"]`)!;
      const [end, keep] = [named("end-team"), named("keep-team")];
      expect(keep.hidden).toBe(true);
      for (const letGo of [() => keep.click(), () => void vi.advanceTimersByTime(ASKS_MS)]) {
        end.click();
        expect([end.textContent, keep.hidden]).toEqual(["Yes, end it", false]);
        letGo();
        expect([end.textContent, keep.hidden, named("end-team-told").textContent]).toEqual(["End the team", true, ""]);
      }
      expect(ended).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test("a live team that reasons is ended by a second press, and a refusal is told", async () => {
    const answers = ["Too late. It has ended.", ""];
    const panel = new StepsPanel(() => Promise.resolve(answers.shift() ?? ""));
    const end = panel.element.querySelector<HTMLButtonElement>('[data-testid="end-team"]')!;
    const at = (which_case: string, phase: string): View =>
      [message(1, "hello", { which_case }), message(2, "reasoning", { phase, detail: "" }), message(3, "step", step("1", "round"))].reduce((view: View, each) => reduce(view, each, 0), EMPTY);
    for (const [which, phase, hidden] of [["Recorded case. A fit.", "thinking", true], ["Live case. A fit.", "finished", true], ["Live case. A fit.", "thinking", false]] as const) {
      panel.update(at(which, phase));
      expect(end.hidden).toBe(hidden);
    }
    const press = async (): Promise<void> => {
      end.click();
      await new Promise((resolve) => setTimeout(resolve));
    };
    await press();
    expect([answers.length, end.textContent]).toEqual([2, "Yes, end it"]);
    await press();
    expect(panel.element.textContent).toContain("Too late. It has ended.");
    expect(end.hidden).toBe(false);
    await press();
    await press();
    expect([answers.length, end.hidden]).toEqual([0, true]);
    expect(panel.element.textContent).toContain("told to stop");
  });
});
