/** The six fields of the update that is being read, with the sentence that the voice is at. */
import { FIELDS, type Field, type Update } from "../protocol";
import { piecesOf } from "../state/evidence";
import { type Found, findRead, isCriticalUpdate, shownUpdate, type Shown } from "../state/reading";
import type { View } from "../state/view";
import { h, setData, setText } from "./dom";
import { keepingFocus, type Open, sentence } from "./sentence";
import { FIELD_NAMES, LOADING, pathWords } from "./words";
import { writtenLine, writtenTag } from "./written";

const WHY: Readonly<Record<Shown["why"], string>> = {
  reading: "Being read",
  paused: "Paused",
  last_read: "Last read",
  newest: "Newest",
  closing: "",
};

/**
 * The six fields as a description list; `found` is marked. Empty fields are left out, one that was cut says so. A sentence
 * whose words are known opens them.
 */
export function fieldList(update: Update, found: Found | null, open: Open): HTMLElement {
  const { summary, truncated } = update;
  const list = h("dl", { class: "fields" });
  for (const field of FIELDS) {
    if (!summary[field]) continue;
    const cut = truncated.includes(field) ? h("span", { class: "cut", "data-testid": "cut-short" }, " (cut short)") : null;
    list.append(h("div", { class: "field", "data-field": field }, h("dt", {}, FIELD_NAMES[field], cut), value(update, field, found, open)));
  }
  return list;
}

function value(update: Update, field: Field, found: Found | null, open: Open): HTMLElement {
  const text = update.summary[field];
  const [from, to] = found?.field === field ? [found.start, found.end] : [0, 0];
  const read = (start: number, end: number): (HTMLElement | string)[] => {
    const [first, last] = [Math.max(start, from), Math.min(end, to)];
    if (first >= last) return [text.slice(start, end)];
    const mark = h("mark", { "data-testid": "read-sentence" }, text.slice(first, last));
    return [text.slice(start, first), mark, text.slice(last, end)];
  };
  return h(
    "dd",
    {},
    ...piecesOf(update, field).flatMap(({ start, end, wanted }) => (wanted ? [sentence(wanted, open, ...read(start, end))] : read(start, end))),
  );
}

export class SummaryPanel {
  private readonly title = h("h2", {}, "Summary");
  private readonly why = h("span", { class: "tag" });
  private readonly path = h("span", { class: "tag faint" });
  private readonly writer = h("span", { class: "tag faint" });
  private readonly body = h("div", {});
  readonly element = h(
    "section",
    { class: "panel summary", "data-testid": "summary", "aria-label": "Summary being read" },
    h("div", { class: "panel-head" }, this.title, this.why, this.path, this.writer),
    this.body,
  );
  private shown = "";

  constructor(private readonly open: Open) {}

  update(view: View): void {
    const shown = shownUpdate(view);
    if (!shown) return this.empty(view.known === "nothing");
    const { update, utterance, why } = shown;
    setText(this.title, `Update ${update.number}`);
    setText(this.why, WHY[why]);
    setText(this.path, pathWords(update.path));
    setText(this.writer, writtenTag(update));
    setData(this.element, "state", why);
    setData(this.element, "updateId", update.update_id);
    setData(this.element, "critical", isCriticalUpdate(update) ? "true" : "false");
    const reading = why === "reading" || why === "paused" ? (utterance?.text ?? "") : "";
    const key = JSON.stringify([update, reading]);
    if (key === this.shown) return;
    this.shown = key;
    const found = reading ? findRead(update.summary, reading) : null;
    keepingFocus(this.body, () => this.body.replaceChildren(fieldList(update, found, this.open), writtenLine(update)));
  }

  private empty(loading: boolean): void {
    const words = loading ? LOADING : "As soon as the agents have something worth your attention, its six-part summary stands here.";
    if (this.shown === words) return;
    this.shown = words;
    setText(this.title, "Summary");
    this.body.replaceChildren(h("p", { class: "hint" }, words));
  }
}
