/** What the team is at, and what it decided, newest first: its stage and round above, the rest folded. */
import type { Step } from "../protocol";
import type { View } from "../state/view";
import { button, h, setText } from "./dom";

const DECISIONS: Readonly<Record<string, string>> = {
  leading: "leads with",
  order: "asks for",
  prohibition: "warns of",
  final: "decides",
};

/** For so long a first press on "End the team" waits for the second. */
export const ASKS_MS = 20_000;

/** What a step says, in one line. What a team wrote itself is marked as such. */
export function stepWords(step: Step): string {
  const decides = DECISIONS[step.kind];
  if (decides) return `${step.agents[0] ?? "The team"} ${decides}: ${step.detail}`;
  return step.text || step.kind;
}

/** The newest step that is no decision, with its round. */
export function stageWords(steps: readonly Step[]): string {
  const newest = steps.findLast((step) => !(step.kind in DECISIONS));
  if (!newest) return "";
  const round = steps.findLast((step) => step.round !== null)?.round ?? null;
  return round === null || newest.kind === "round" ? stepWords(newest) : `Round ${round}. ${stepWords(newest)}`;
}

export class StepsPanel {
  private readonly stage = h("p", { class: "hint", role: "status", "data-testid": "team-stage" });
  private readonly count = h("summary");
  private readonly rows = h("ul", { class: "items", "data-testid": "team-steps" });
  private readonly list = h("details", { class: "announcements" }, this.count, this.rows);
  private hasEnded = false;
  private readonly end = button("End the team", "quiet", () => void this.pressed(), "end-team");
  private readonly keep = button("No, go on", "quiet", () => this.asked(false), "keep-team");
  private readonly told = h("p", { class: "hint", role: "status", "data-testid": "end-team-told" });
  readonly element = h(
    "section",
    { class: "panel at-work", "aria-label": "The team’s work", "data-testid": "steps-panel" },
    h("div", { class: "panel-head" }, h("h2", {}, "The team’s work"), h("span", { class: "tag faint" }, "as the team states it")),
    this.stage,
    h("div", { class: "go" }, this.end, this.keep, this.told),
    this.list,
  );
  private drawn: readonly Step[] | null = null;
  private asks = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `endTeam`: has the team stop; why that was not taken, or nothing. */
  constructor(private readonly endTeam: () => Promise<string>) {
    this.keep.hidden = true;
  }

  update(view: View): void {
    this.end.hidden = this.hasEnded || view.reasoning.phase !== "thinking" || !isLive(view);
    if (this.end.hidden && this.asks) this.asked(false);
    if (view.steps === this.drawn) return;
    this.drawn = view.steps;
    this.element.hidden = view.steps.length === 0;
    setText(this.stage, stageWords(view.steps));
    setText(this.count, view.steps.length === 1 ? "One step" : `${view.steps.length} steps`);
    this.rows.replaceChildren(...view.steps.toReversed().map(row));
  }

  /** The first press asks, the second one does it: a team's end is for good. */
  private async pressed(): Promise<void> {
    if (!this.asks) return this.asked(true);
    this.asked(false);
    this.end.disabled = true;
    const refused = await this.endTeam();
    this.end.disabled = false;
    this.hasEnded = this.end.hidden = refused === "";
    setText(this.told, refused === "" ? "The team was told to stop." : refused);
  }

  /** Ask for the second press, or no more. */
  private asked(asks: boolean): void {
    clearTimeout(this.timer);
    const focused = document.activeElement === this.keep;
    this.asks = asks;
    this.keep.hidden = !asks;
    setText(this.end, asks ? "Yes, end it" : "End the team");
    setText(this.told, asks ? "The team stops for good; what it has said stays." : "");
    if (asks) this.timer = setTimeout(() => this.asked(false), ASKS_MS);
    else if (focused) this.end.focus();
  }
}

/** A recording has nobody who could stop. */
const isLive = (view: View): boolean => view.hello?.which_case.startsWith("Live") ?? false;

function row(step: Step): HTMLElement {
  const own = step.detail && !(step.kind in DECISIONS) ? h("span", { class: "tag faint" }, step.detail) : null;
  const times = step.count > 1 ? h("span", { class: "tag faint" }, `${step.count} times`) : null;
  return h("li", { "data-kind": step.kind }, stepWords(step), times, own);
}
