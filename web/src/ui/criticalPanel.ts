/** Critical findings: always on top, in a style that nothing else has, told once to a screen reader. */
import { type Critical, criticals, isWithdrawn } from "../state/reading";
import type { View } from "../state/view";
import { wantedOfItem } from "../state/evidence";
import { button, h, keyHint, setData, setText } from "./dom";
import { icon } from "./icons";
import { keepingFocus, type Open, sentence } from "./sentence";
import { stateChip } from "./updatesPanel";

export class CriticalPanel {
  private readonly list = h("ul", {});
  /** How many there are, where more than one is open: the box may be scrolled. */
  private readonly count = h("p", { class: "critical-count", "data-testid": "critical-count", hidden: true });
  readonly element = h(
    "section",
    { class: "critical", "aria-label": "Critical findings", "data-testid": "critical", hidden: true },
    this.count,
    h("div", { class: "critical-scroll" }, this.list),
  );
  /** Polite: the voice says it too, and talking over it would lose both. */
  readonly live = h("div", { class: "unseen", "aria-live": "polite", "data-testid": "critical-live" });
  private readonly announced = new Set<string>();
  private readonly rows = new Map<string, Row>();

  /** `gotIt` is called with the critical key of a finding that the reader took note of. */
  constructor(
    private readonly gotIt: (criticalKey: string) => void,
    private readonly open: Open,
  ) {}

  /**
   * Open findings, neither noted nor withdrawn, stand first. `live`: the voice takes commands; `before`: how many were open when this browser
   * last saw the session, until the snapshot is here.
   */
  update(view: View, live: boolean, before = 0): void {
    const all = criticals(view);
    const open = all.filter(isOpen);
    const found = [...open, ...all.filter((one) => !isOpen(one))];
    const loading = open.length < before;
    this.element.hidden = found.length === 0 && !loading;
    this.count.hidden = !loading && found.length < 2;
    setText(this.count, loading ? loadingWords(before) : countWords(found.length, open.length, all.some(isWithdrawn)));
    const kept = new Set(found.map(({ item }) => item.item_id));
    for (const [id, row] of this.rows) {
      if (kept.has(id)) continue;
      row.element.remove();
      this.rows.delete(id);
    }
    found.forEach((one, at) => this.place(one, at, live));
    this.announce(open.filter((one) => !this.announced.has(one.item.item_id)));
  }

  private place(one: Critical, at: number, live: boolean): void {
    const row = this.rows.get(one.item.item_id) ?? new Row(this.gotIt, this.open);
    this.rows.set(one.item.item_id, row);
    if (this.list.children[at] !== row.element) this.list.insertBefore(row.element, this.list.children[at] ?? null);
    row.update(one, live);
  }

  private announce(fresh: readonly Critical[]): void {
    if (fresh.length === 0) return;
    for (const { item } of fresh) this.announced.add(item.item_id);
    this.live.replaceChildren(...fresh.map(({ item }) => h("p", {}, `Critical: ${withoutPrefix(item.text)}`)));
  }
}

let made = 0;

/** One finding. Its button stays the same one, so that no change of phase takes a click or the focus from it. */
class Row {
  private readonly words = h("span");
  private readonly facts = h("p", { class: "critical-facts" });
  private readonly button: HTMLButtonElement;
  private readonly settledBy = h("span");
  private readonly noted = h("p", { class: "noted", "data-testid": "noted", hidden: true }, icon("spoken"), this.settledBy);
  readonly element: HTMLElement;
  private criticalKey = "";
  private key = "";

  constructor(
    gotIt: (criticalKey: string) => void,
    private readonly open: Open,
  ) {
    this.button = button("Got it", "got-it", () => gotIt(this.criticalKey), "btn-got-it");
    this.button.append(keyHint("A"));
    this.button.setAttribute("aria-keyshortcuts", "A");
    this.words.id = `critical-${++made}`;
    this.button.setAttribute("aria-describedby", this.words.id);
    this.element = h(
      "li",
      { "data-testid": "critical-item" },
      icon("critical"),
      h("p", { class: "critical-text" }, h("strong", {}, "Critical"), " ", this.words),
      this.facts,
      this.button,
      this.noted,
    );
  }

  update(one: Critical, live: boolean): void {
    const { item, update, utterance } = one;
    this.button.disabled = !live;
    const key = JSON.stringify([item.text, update.update_id, update.number, utterance]);
    if (key === this.key) return;
    this.key = key;
    this.criticalKey = utterance?.critical_key ?? "";
    keepingFocus(this.words, () => this.words.replaceChildren(sentence(wantedOfItem(update, item), this.open, withoutPrefix(item.text))));
    setData(this.element, "updateId", update.update_id);
    setData(this.element, "noted", isOpen(one) ? "false" : "true");
    this.facts.replaceChildren(`Update ${update.number}`, ...(utterance ? [stateChip(utterance)] : []));
    this.button.hidden = this.criticalKey === "" || !isOpen(one);
    this.noted.hidden = isOpen(one) || (this.criticalKey === "" && !isWithdrawn(one));
    setText(this.settledBy, isNoted(one) ? "Noted" : "Withdrawn");
  }
}

const loadingWords = (before: number): string =>
  before === 1 ? "1 critical finding was open. Loading it…" : `${before} critical findings were open. Loading them…`;

function countWords(all: number, open: number, withdrawn: boolean): string {
  if (open === all) return `${all} critical findings, none noted`;
  return `${all} critical findings, ${open > 0 ? `${open} not noted` : withdrawn ? "all noted or withdrawn" : "all noted"}`;
}

const isNoted = ({ utterance }: Critical): boolean => utterance?.acknowledged === true;
/** Whether nobody has taken note of it, and the agents have not taken it back. */
const isOpen = (one: Critical): boolean => !isNoted(one) && !isWithdrawn(one);

/** The spoken form often begins with the word that stands before it here. */
export const withoutPrefix = (text: string): string => {
  const rest = text.replace(/^critical(?: finding)?\s*[:.,–-]\s*/i, "");
  return rest.charAt(0).toUpperCase() + rest.slice(1);
};
