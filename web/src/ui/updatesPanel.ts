/** All updates, newest first, with what became of each sentence that the voice was given. */
import type { Item } from "../protocol";
import { wantedOfItem } from "../state/evidence";
import { isCriticalItem, isCriticalUpdate, utteranceOf } from "../state/reading";
import type { UpdateView, UtteranceView, View } from "../state/view";
import { h, setData, setText } from "./dom";
import { icon } from "./icons";
import { keepingFocus, type Open, sentence } from "./sentence";
import { fieldList } from "./summaryPanel";
import { clockTime, kindWords, leftOutWords, LOADING, pathWords, phaseWords } from "./words";
import { writtenLine, writtenTag } from "./written";

/** State of one utterance: a word and an icon, for machines `data-phase`. */
export function stateChip(utterance: UtteranceView): HTMLElement {
  return h(
    "span",
    {
      class: "state",
      "data-testid": "utterance-state",
      "data-utterance-id": utterance.utterance_id,
      "data-phase": utterance.phase,
      title: utterance.reason || null,
    },
    icon(utterance.phase),
    phaseWords(utterance),
  );
}

const pageOnly = (): HTMLElement => h("span", { class: "state", "data-phase": "page" }, icon("page"), "On the page only");

/** What is open, in focus or selected in a card outlives a change of phase: only its sentences are made anew. */
interface Card {
  readonly element: HTMLElement;
  readonly items: HTMLElement;
  update: string;
  told: string;
}

export class UpdatesPanel {
  private readonly count = h("span", { class: "tag faint" });
  private readonly list = h("ol", { class: "updates", reversed: true });
  private readonly hint = h("p", { class: "hint" }, LOADING);
  private readonly earlier = h("p", { class: "hint", "data-testid": "earlier-updates", hidden: true });
  private readonly saidCount = h("summary");
  private readonly saidRows = h("ul", { class: "items" });
  private readonly said = h("details", { class: "announcements", hidden: true }, this.saidCount, this.saidRows);
  readonly element = h(
    "section",
    { class: "panel scroller updates", "aria-label": "Updates" },
    h("div", { class: "panel-head" }, h("h2", {}, "Updates"), this.count),
    h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "List of updates" }, this.hint, this.list, this.earlier, this.said),
  );
  private readonly cards = new Map<string, Card>();
  private saidKey = "";
  private drawn: Pick<View, "updates" | "utterances"> = { updates: [], utterances: new Map() };

  constructor(private readonly open: Open) {}

  update(view: View): void {
    setText(this.hint, view.known === "nothing" ? LOADING : "No updates yet.");
    if (view.updates === this.drawn.updates && view.utterances === this.drawn.utterances) return; // the agents' words come far more often
    this.drawn = view;
    setText(this.count, view.updates.length ? String(view.updates.length) : "");
    this.hint.hidden = view.updates.length > 0;
    this.earlier.hidden = view.earlier === 0;
    setText(this.earlier, this.earlier.hidden ? "" : earlierWords(view.earlier));
    const live = new Set(view.updates.map((update) => update.update_id));
    for (const [id, card] of this.cards) {
      if (live.has(id)) continue;
      card.element.remove();
      this.cards.delete(id);
    }
    view.updates.forEach((update, at) => this.place(update, view, view.updates.length - 1 - at));
    this.announcements(view);
  }

  private place(update: UpdateView, view: View, position: number): void {
    const told = update.items.map((item) => ({ item, utterance: utteranceOf(view, item) }));
    const card = this.cards.get(update.update_id) ?? newCard(update.update_id);
    this.cards.set(update.update_id, card);
    if (this.list.children[position] !== card.element) this.list.insertBefore(card.element, this.list.children[position] ?? null);
    const written = JSON.stringify(update);
    if (card.update !== written) {
      card.update = written;
      const [open, out] = ["details.whole", "details.left-out"].map((part) => card.element.querySelector<HTMLDetailsElement>(part)?.open === true);
      setData(card.element, "critical", isCriticalUpdate(update) ? "true" : "false");
      const parts = [whole(update, open === true, this.open), leftOut(update, out === true)].filter((part) => part !== null);
      keepingFocus(card.element, () => card.element.replaceChildren(head(update), card.items, ...parts));
    }
    const key = JSON.stringify(told.map(({ item, utterance }) => [item, utterance && [utterance.phase, utterance.cause, utterance.utterance_id]]));
    if (card.told === key) return;
    card.told = key;
    keepingFocus(card.items, () => card.items.replaceChildren(sentences(update, told, this.open)));
  }

  /** The greeting, notices and whatever else belongs to no update. */
  private announcements(view: View): void {
    const items = new Set(view.updates.flatMap((update) => update.items.map((item) => item.item_id)));
    const others = [...view.utterances.values()].filter((u) => !items.has(u.item_id ?? "") && !items.has(u.utterance_id));
    const key = JSON.stringify(others);
    if (key === this.saidKey) return;
    this.saidKey = key;
    this.said.hidden = others.length === 0;
    const rows = others.map((utterance) => h("li", { class: "item" }, h("p", { class: "item-text" }, utterance.text), stateChip(utterance)));
    setText(this.saidCount, `Announcements (${others.length})`);
    this.saidRows.replaceChildren(...rows);
  }
}

/** How many, and not which: an alarm among them may have been spared. */
const earlierWords = (count: number): string =>
  count === 1 ? "1 earlier update is not on this page; the report has it." : `${count} earlier updates are not on this page; the report has them.`;

interface Told {
  readonly item: Item;
  readonly utterance: UtteranceView | null;
}

function newCard(update_id: string): Card {
  const element = h("li", { class: "update", "data-testid": "update-card", "data-update-id": update_id });
  return { element, items: h("div"), update: "", told: "" };
}

const head = (update: UpdateView): HTMLElement =>
  h(
    "div",
    { class: "update-head" },
    h("h3", {}, `Update ${update.number}`),
    h("span", { class: "tag faint" }, pathWords(update.path)),
    h("span", { class: "tag faint", "data-testid": "written-tag" }, writtenTag(update)),
    h("time", { class: "when" }, clockTime(update.at_ms)),
  );

const whole = (update: UpdateView, open: boolean, opened: Open): HTMLElement =>
  h("details", { class: "whole", open }, h("summary", {}, "Whole summary"), fieldList(update, null, opened), writtenLine(update));

/** What was read and is neither in the fields nor said, by why; null: nothing is known of any. */
function leftOut({ evidence }: UpdateView, open: boolean): HTMLElement | null {
  const all = evidence.left_out.reduce((sum, { count }) => sum + count, 0);
  if (all === 0) return null;
  const rows = evidence.left_out.map(({ reason, count }) => h("li", { "data-reason": reason }, h("span", { class: "count" }, String(count)), " ", leftOutWords(reason)));
  return h(
    "details",
    { class: "left-out", open, "data-testid": "left-out" },
    h("summary", {}, `Left out: ${all} ${all === 1 ? "sentence" : "sentences"}`),
    h("ul", {}, ...rows),
  );
}

function sentences(update: UpdateView, told: readonly Told[], open: Open): HTMLElement {
  if (told.length === 0) return h("p", { class: "item" }, pageOnly());
  const rows = told.map(({ item, utterance }) =>
    h(
      "li",
      { class: "item", "data-critical": isCriticalItem(item) ? "true" : "false" },
      h("p", { class: "item-text" }, h("span", { class: "item-kind" }, kindWords(item.kind)), " ", sentence(wantedOfItem(update, item), open, item.text)),
      utterance ? stateChip(utterance) : pageOnly(),
    ),
  );
  return h("ul", { class: "items" }, ...rows);
}
