/** A sentence that opens the agents' words that it rests on: by a click, Enter or the space bar. */
import type { Wanted } from "../state/evidence";
import { type Child, h } from "./dom";

/** Called with the sentence that was pressed. */
export type Open = (wanted: Wanted, opener: HTMLElement) => void;

/** The sentence as a button that breaks over lines as text does; as text where nothing is known of what it rests on. */
export function sentence(wanted: Wanted | null, open: Open, ...children: readonly Child[]): HTMLElement {
  if (!wanted) return h("span", {}, ...children);
  const element = h(
    "span",
    { class: "sentence", role: "button", tabindex: 0, title: "Show the agents’ words", "data-testid": "sentence", "data-key": wanted.key },
    ...children,
  );
  element.addEventListener("click", () => {
    if (getSelection()?.isCollapsed !== false) open(wanted, element);
  });
  element.addEventListener("keydown", (event) => {
    if ((event.key !== "Enter" && event.key !== " ") || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    open(wanted, element);
  });
  return element;
}

/** The sentence of that key, wherever it is drawn now. */
export const sentenceOf = (within: ParentNode, key: string): HTMLElement | null =>
  [...within.querySelectorAll<HTMLElement>("[data-key]")].find((element) => element.dataset["key"] === key) ?? null;

/** Draw `within` anew; the sentence that had the focus has it again. */
export function keepingFocus(within: HTMLElement, draw: () => void): void {
  const focused = document.activeElement;
  const key = focused instanceof HTMLElement && within.contains(focused) ? focused.dataset["key"] : undefined;
  draw();
  if (key !== undefined) sentenceOf(within, key)?.focus({ preventScroll: true });
}
