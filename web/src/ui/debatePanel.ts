/** A team's debate, folded: who was recruited, who wrote to whom, what each held by round, and the decision. */
import type { Step } from "../protocol";
import { changesIn, type Debate, debateOf, type Held, messagesIn, participantsOf, type Recruited, type Seat } from "../state/debate";
import type { View } from "../state/view";
import { h, setText } from "./dom";

/** A debate in a line: what there is of it. */
export function debateWords(debate: Debate): string {
  const messages = messagesIn(debate);
  const changes = changesIn(debate);
  return [
    counted(participantsOf(debate).length, "participant"),
    messages > 0 ? counted(messages, "message") : "",
    changes > 0 ? counted(changes, "change of view", "changes of view") : "",
    debate.decision ? "decided" : "",
  ].filter(Boolean).join(", ");
}

const counted = (count: number, one: string, more = `${one}s`): string => `${count} ${count === 1 ? one : more}`;

export class DebatePanel {
  private readonly words = h("p", { class: "hint", "data-testid": "debate-words" });
  private readonly recruited = h("div", {});
  private readonly wrote = wide("Who wrote to whom");
  private readonly held = wide("What each held");
  private readonly decision = h("p", { "data-testid": "debate-decision" });
  private readonly minority = h("p", { "data-testid": "debate-minority" });
  private readonly parts = h("div", { class: "debate" }, this.recruited, this.wrote, this.held, this.decision, this.minority);
  readonly element = h(
    "section",
    { class: "panel at-work", "aria-label": "The debate", "data-testid": "debate-panel", hidden: true },
    h("div", { class: "panel-head" }, h("h2", {}, "The debate"), h("span", { class: "tag faint" }, "as the team states it")),
    this.words,
    h("details", { class: "announcements" }, h("summary", {}, "Who wrote to whom, and what each held"), this.parts),
  );
  private drawn: readonly Step[] | null = null;

  update(view: View): void {
    if (view.steps === this.drawn) return;
    this.drawn = view.steps;
    const debate = debateOf(view);
    this.element.hidden = debate === null;
    setText(this.words, debate ? debateWords(debate) : "");
    if (debate) this.draw(debate);
  }

  /** The parts themselves stay, so that a table is not scrolled back and keeps the keyboard's focus. */
  private draw({ recruited, writers, wrote, rounds, holders, decision, minority }: Debate): void {
    fill(this.recruited, recruited.length > 0 ? [h("h3", {}, "Recruited"), ...recruited.map(recruitedPart)] : []);
    fill(this.wrote, writers.length > 0 ? [matrix(writers, wrote)] : []);
    fill(this.held, holders.length > 0 ? [views(rounds, holders)] : []);
    fill(this.decision, decision ? [h("strong", {}, `${decision.by} decides: `), decision.text] : []);
    fill(this.minority, minority ? [h("strong", {}, "Keeps another view: "), minority] : []);
  }
}

function fill(part: HTMLElement, content: readonly (Node | string)[]): void {
  part.hidden = content.length === 0;
  part.replaceChildren(...content);
}

function recruitedPart({ title, seats }: Recruited): HTMLElement {
  return h("div", { "data-testid": "debate-recruited" }, title ? h("h4", {}, head(title)) : null, seatList(seats));
}

function seatList(seats: readonly Seat[]): HTMLElement {
  return h("ul", {}, ...seats.map(({ name, below }) => h("li", {}, below.length > 0 ? `${name}, who leads` : name, below.length > 0 ? seatList(below) : null)));
}

/** A table that may be wider than the panel: then it is scrolled, by the keyboard too. */
function wide(label: string): HTMLElement {
  return h("div", { class: "wide", tabindex: 0, role: "region", "aria-label": label });
}

function matrix(writers: Debate["writers"], wrote: Debate["wrote"]): HTMLElement {
  const cell = (count: number, from: number, to: number): HTMLElement => {
    if (from === to) return h("td", { class: "self" }, "–");
    return h("td", { class: count > 0 ? "some" : "none" }, String(count));
  };
  return h(
    "table",
    { "data-testid": "debate-matrix" },
    h("caption", {}, "Messages, from the row to the column"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "From → to"), ...writers.map((name) => h("th", { scope: "col" }, h("span", {}, head(name)))))),
    h("tbody", {}, ...writers.map((name, from) => h("tr", {}, h("th", { scope: "row" }, head(name)), ...(wrote[from] ?? []).map((count, to) => cell(count, from, to))))),
  );
}

function views(rounds: Debate["rounds"], holders: Debate["holders"]): HTMLElement {
  const heads = rounds.map((round) => h("th", { scope: "col" }, round === 0 ? "At first" : `Round ${round}`));
  return h(
    "table",
    { "data-testid": "debate-views" },
    h("caption", {}, "What each held, by round"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Who"), ...heads)),
    h("tbody", {}, ...holders.map(({ name, views: held }) => h("tr", {}, h("th", { scope: "row" }, head(name)), ...held.map(viewCell)))),
  );
}

function viewCell(held: Held | null): HTMLElement {
  if (held === null) return h("td", { class: "none" }, "–");
  const mark = held.changed ? h("span", { class: "changed" }, held.after ? `changed, after ${inner(held.after)} wrote` : "changed") : null;
  return h("td", { "data-changed": held.changed ? "true" : null }, held.text, mark);
}

/** A spoken name, or a title, at the head of a row: "Cardiologist". */
const head = (name: string): string => {
  const bare = name.replace(/^The /, "");
  return bare.charAt(0).toUpperCase() + bare.slice(1);
};

/** A spoken name within a sentence: "the cardiologist", "Doctor Zero". */
const inner = (name: string): string => (name.startsWith("The ") ? `the ${name.slice(4)}` : name);
