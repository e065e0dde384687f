/** What a sentence rests on: who said it and in which words. Each leads to its place among the agents' own words. */
import { quoted, type Wanted } from "../state/evidence";
import type { Place } from "../protocol";
import { plainOf } from "../state/markdown";
import type { TraceBlock } from "../state/view";
import { button, h, setText } from "./dom";

const QUOTE_CHARS = 180;

export interface Words {
  mark(places: readonly Place[]): void;
  go(place: Place): void;
}

export class EvidencePanel {
  private readonly said = h("p", { class: "evidence-said" });
  private readonly list = h("ol", { class: "evidence-words" });
  private readonly close: HTMLButtonElement;
  readonly element: HTMLElement;
  private wanted: Wanted | null = null;
  private opener: HTMLElement | null = null;

  /** `words` shows places; `find` gives the sentence of a key, as it is drawn now. */
  constructor(
    private readonly words: () => Words,
    private readonly find: (key: string) => HTMLElement | null,
  ) {
    this.close = button("Close", "quiet", () => this.shut(), "evidence-close");
    this.close.setAttribute("aria-keyshortcuts", "Escape");
    this.element = h(
      "section",
      { class: "evidence", tabindex: -1, role: "region", "aria-label": "What this rests on", "data-testid": "evidence", hidden: true },
      h("div", { class: "evidence-head" }, this.said, this.close),
      this.list,
    );
  }

  /** Show what a sentence rests on, and go to the first of it. Pressed again, the same sentence closes it. */
  open(wanted: Wanted, opener: HTMLElement, trace: readonly TraceBlock[]): void {
    if (this.wanted?.key === wanted.key) return this.shut();
    this.leave();
    [this.wanted, this.opener] = [wanted, opener];
    opener.setAttribute("aria-pressed", "true");
    const found = wanted.places.map((place) => quoted(trace, place));
    setText(this.said, `“${wanted.text}” rests on`);
    this.list.replaceChildren(
      ...found.map(({ place, name, words }) => {
        const who = h("strong", {}, name || place.agent_id);
        if (!words) return h("li", { "data-testid": "evidence-gone" }, who, ": these words are not on this page any more.");
        const to = h("button", { type: "button", class: "evidence-word", "data-testid": "evidence-word" }, who, ` “${short(plainOf(words))}”`);
        to.addEventListener("click", () => this.words().go(place));
        return h("li", {}, to);
      }),
    );
    this.element.hidden = false;
    document.addEventListener("keydown", this.escaped, true);
    this.words().mark(wanted.places);
    this.element.focus({ preventScroll: true });
    const first = found.find(({ words }) => words)?.place;
    if (first) this.words().go(first);
    else this.element.scrollIntoView({ block: "nearest" });
  }

  /** The page was drawn anew: the sentence is still the one that is pressed. */
  drawn(): void {
    if (this.wanted) this.find(this.wanted.key)?.setAttribute("aria-pressed", "true");
  }

  /** Nothing is shown any more; the focus goes back to the sentence, if it was here. */
  shut(): void {
    const { wanted, opener } = this;
    if (!wanted) return;
    const inside = this.element.contains(document.activeElement);
    this.leave();
    this.element.hidden = true;
    document.removeEventListener("keydown", this.escaped, true);
    this.words().mark([]);
    if (inside) (opener?.isConnected ? opener : this.find(wanted.key))?.focus();
  }

  private leave(): void {
    this.opener?.removeAttribute("aria-pressed");
    if (this.wanted) this.find(this.wanted.key)?.removeAttribute("aria-pressed");
    [this.wanted, this.opener] = [null, null];
  }

  /** Before the page's own keys see it: there Escape stops the voice. */
  private readonly escaped = (event: KeyboardEvent): void => {
    if (!this.element.isConnected) return document.removeEventListener("keydown", this.escaped, true); // another board is shown
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    this.shut();
  };
}

const short = (text: string): string => (text.length > QUOTE_CHARS ? `${text.slice(0, QUOTE_CHARS).trimEnd()}…` : text);
