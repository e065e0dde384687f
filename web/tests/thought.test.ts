// @vitest-environment happy-dom
import { beforeEach, describe, expect, test, vi } from "vitest";
import { quoted, rangesIn } from "../src/state/evidence";
import { EMPTY, reduce, type View } from "../src/state/view";
import { h } from "../src/ui/dom";
import { TracePanel } from "../src/ui/tracePanel";
import { message, snapshot } from "./messages";

const THOUGHT = "The potassium is 7.9 mmol/L. Start alteplase 50 mg.";

beforeEach(() => {
  vi.stubGlobal("ResizeObserver", class { observe(): void {} });
});

const item = (text: string, start = 0): object => ({ agent_id: "doctor0", name: "Doctor Zero", turn: 1, text, start });
const from = (...bodies: [string, object][]): View =>
  bodies.reduce((view, [type, body], at) => reduce(view, message(at + 1, type, body), 0), EMPTY);
const shown = (view: View): HTMLElement => {
  const panel = new TracePanel(h("div"));
  panel.update(view);
  return panel.element;
};

describe("what a model thinks", () => {
  const view = from(["trace", { thoughts: [item(THOUGHT)] }], ["trace", { items: [item("I agree.")] }], ["trace", { thoughts: [item(" Really?", THOUGHT.length)] }]);

  test("is folded and labelled, and stands in no words of the agent", () => {
    const element = shown(view);
    const thoughts = [...element.querySelectorAll<HTMLDetailsElement>('[data-testid="thought"]')];
    expect(thoughts.map((each) => [each.open, each.querySelector(".prose")?.textContent])).toEqual([[false, `${THOUGHT} Really?`]]);
    expect(thoughts[0]?.querySelector("summary")?.textContent).toContain("Nobody said this");
    thoughts.forEach((each) => each.remove());
    expect(element.textContent).toContain("I agree.");
    expect(element.textContent).not.toContain("7.9");
  });

  test("is no evidence, though its places are numbers like those of the words", () => {
    const place = { agent_id: "doctor0", start: 0, end: 7 };
    const [thought] = view.trace;
    expect(thought && rangesIn(thought, [place])).toEqual([]);
    expect(quoted(view.trace, place).words).toBe("I agree");
  });

  test("goes with a snapshot, which holds none, and the words are there once", () => {
    const after = reduce(view, message(4, "snapshot", snapshot({ trace: [item("I agree.")] })), 0);
    expect(after.trace.map((block) => [block.thinking, block.text])).toEqual([[false, "I agree."]]);
  });
});

describe("what the models cost", () => {
  const costs = { agents: [{ agent_id: "a", name: "A", calls: 2, input_tokens: 1200, output_tokens: 30, thinking_tokens: null }, { agent_id: "b", name: "B", calls: 1, input_tokens: null, output_tokens: 5, thinking_tokens: 4 }] };

  test.each([
    ["as it comes", from(["costs", costs])],
    ["with a snapshot", from(["snapshot", snapshot({ costs })])],
  ])("is told in sum and by agent, and nothing unknown as zero: %s", (_, view) => {
    const element = shown(view).querySelector<HTMLElement>('[data-testid="costs"]');
    expect(element?.hidden).toBe(false);
    expect(element?.querySelector("summary")?.textContent).toBe("Models: 3 calls, tokens: 1,200 in, 35 out, 4 of them thinking");
    expect([...(element?.querySelectorAll("li") ?? [])].map((each) => each.textContent)).toEqual([
      "A: 2 calls, tokens: 1,200 in, 30 out",
      "B: 1 call, tokens: 5 out, 4 of them thinking",
    ]);
  });

  test("is not there if nobody tells", () => {
    expect(shown(EMPTY).querySelector<HTMLElement>('[data-testid="costs"]')?.hidden).toBe(true);
  });
});
