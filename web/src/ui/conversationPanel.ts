/** What the reader said, what it was taken for and why, and what was answered, newest first. Not told by a screen reader: the voice answers. */
import type { AnswerSentence } from "../protocol";
import { exchanges, type Exchange, type Row, rows } from "../state/talk";
import type { View } from "../state/view";
import { toldOf } from "../state/verdict";
import { h, setText } from "./dom";
import { icon } from "./icons";

export class ConversationPanel {
  private readonly count = h("span", { class: "tag faint" });
  private readonly list = h("ol", { class: "turns", reversed: true });
  readonly element = h(
    "section",
    { class: "panel scroller conversation", "aria-label": "You and the voice", hidden: true },
    h("div", { class: "panel-head" }, h("h2", {}, "You and the voice"), this.count),
    h("div", { class: "scroll", tabindex: 0, role: "log", "aria-live": "off", "aria-label": "What was heard and answered" }, this.list),
  );
  private readonly rows = new Map<string, { readonly element: HTMLElement; key: string }>();

  update(view: View): void {
    const all = exchanges(view.turns, view.answers);
    this.element.hidden = all.length === 0;
    setText(this.count, all.length ? String(all.length) : "");
    const listed = rows(all);
    const live = new Set(listed.map(({ id }) => id));
    for (const [id, row] of this.rows) {
      if (live.has(id)) continue;
      row.element.remove();
      this.rows.delete(id);
    }
    listed.forEach((row, at) => this.place(row, at));
  }

  private place(exchange: Row, at: number): void {
    const { turn, answer, id, times } = exchange;
    let row = this.rows.get(id);
    if (!row) {
      row = { element: h("li", { class: "turn", "data-testid": "turn", "data-turn-id": id }), key: "" };
      this.rows.set(id, row);
    }
    if (this.list.children[at] !== row.element) this.list.insertBefore(row.element, this.list.children[at] ?? null);
    const key = JSON.stringify([turn.phase, turn.text, turn.effect, turn.why, answer, times]);
    if (row.key === key) return;
    row.key = key;
    const { heard, effect, why, weight } = toldOf(turn);
    Object.assign(row.element.dataset, { phase: turn.phase, effect: turn.effect, why: turn.why, via: turn.via, weight });
    const verdict = [effect, why].filter(Boolean).join(": ");
    row.element.replaceChildren(
      h("p", { class: "turn-line" }, h("span", { class: "heard" }, times > 1 ? `${heard}, ${times} times` : heard), verdict ? ` — ${verdict}` : ""),
      ...(answer ? [answerBox(exchange)] : []),
    );
  }
}

/** What stands in the place of an answer that is none. */
const NO_ANSWER: Readonly<Record<string, string>> = { not_in_time: "Not answered in time", gone_on: "Not answered: you went on before" };

function answerBox({ answer }: Exchange): HTMLElement {
  const counted = answer?.on_page ?? [];
  return h(
    "div",
    { class: "answer", "data-testid": "answer", "data-found": answer?.found ? "true" : "false" },
    answer?.found ? null : h("p", { class: "nothing" }, NO_ANSWER[answer?.outcome ?? ""] ?? "Nothing found"),
    sentenceList(answer?.sentences ?? []),
    counted.length ? h("div", { "data-testid": "answer-on-page" }, h("p", { class: "source" }, `Not said, ${counted.length}:`), sentenceList(counted)) : null,
    answer?.model ? h("p", { class: "source", "data-testid": "answer-model" }, `Chosen by ${answer.model}; the words are the case's own.`) : null,
  );
}

function sentenceList(sentences: readonly AnswerSentence[]): HTMLElement {
  return h("ul", {}, ...sentences.map(({ text, source }) => h("li", {}, h("p", {}, text), source ? h("p", { class: "source" }, icon("page"), source) : null)));
}
