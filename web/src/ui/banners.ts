/**
 * What the page has to say at its top. A banner is one element for as long as it is said, so that none loses the focus
 * when another comes; all stand in one live region, which is there before them.
 */
import { type Child, h } from "./dom";
import { icon } from "./icons";

export interface Banner {
  /** What it is, over all its words. */
  readonly key: string;
  readonly kind: "warn" | "notice" | "ended";
  readonly text: string | readonly Child[];
  readonly code?: string;
  /** What can be done about it: made once. */
  readonly action?: () => HTMLElement;
}

interface Shown {
  readonly element: HTMLElement;
  readonly words: HTMLElement;
  said: string;
}

export class Banners {
  readonly element = h("div", { class: "banners", role: "status", "aria-atomic": "false", tabindex: "-1" });
  private readonly shown = new Map<string, Shown>();

  /** Show these, in this order, and no others. */
  show(wanted: readonly Banner[]): void {
    const within = this.element.contains(document.activeElement);
    const keys = new Set(wanted.map(({ key }) => key));
    for (const [key, { element }] of this.shown) {
      if (keys.has(key)) continue;
      element.remove();
      this.shown.delete(key);
    }
    for (const [at, banner] of wanted.entries()) {
      const { element } = this.drawn(banner);
      const there = this.element.children[at] ?? null;
      if (there !== element) this.element.insertBefore(element, there);
    }
    // Whoever dismissed one by a key goes on from here, not from the top of the page.
    if (within && !this.element.contains(document.activeElement)) this.element.focus();
  }

  private drawn(banner: Banner): Shown {
    const shown = this.shown.get(banner.key) ?? made(banner);
    this.shown.set(banner.key, shown);
    const parts = typeof banner.text === "string" ? [banner.text] : banner.text;
    const said = parts.filter((part) => typeof part === "string").join("");
    if (said !== shown.said) shown.words.replaceChildren(...parts.filter((part) => part !== null));
    shown.said = said;
    return shown;
  }
}

function made({ kind, code, action }: Banner): Shown {
  const words = h("p", {});
  const element = h("div", { class: "banner", "data-kind": kind, "data-testid": `banner-${kind}`, "data-code": code }, icon("notice"), words, action?.() ?? null);
  return { element, words, said: "" };
}
