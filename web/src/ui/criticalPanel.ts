/** Critical findings: always on top, in a style that nothing else has, told once to a screen reader. */
import { criticals } from "../state/reading";
import type { View } from "../state/view";
import { h } from "./dom";
import { icon } from "./icons";
import { stateChip } from "./updatesPanel";

export class CriticalPanel {
  private readonly list = h("ul", {});
  readonly element = h("section", { class: "critical", "aria-label": "Critical findings", "data-testid": "critical", hidden: true }, this.list);
  /** Polite: the voice says it too, and talking over it would lose both. */
  readonly live = h("div", { class: "unseen", "aria-live": "polite", "data-testid": "critical-live" });
  private readonly announced = new Set<string>();
  private key = "";

  update(view: View): void {
    const found = criticals(view);
    const key = JSON.stringify(found.map(({ item, utterance }) => [item, utterance?.phase, utterance?.cause]));
    if (key === this.key) return;
    this.key = key;
    this.element.hidden = found.length === 0;
    this.list.replaceChildren(
      ...found.map(({ item, update, utterance }) =>
        h(
          "li",
          { "data-testid": "critical-item", "data-update-id": update.update_id },
          icon("critical"),
          h("p", { class: "critical-text" }, h("strong", {}, "Critical"), " ", withoutPrefix(item.text)),
          h("p", { class: "critical-facts" }, `Update ${update.number}`, utterance ? stateChip(utterance) : null),
        ),
      ),
    );
    for (const { item } of [...found].reverse()) this.announce(item.item_id, item.text);
  }

  private announce(item_id: string, text: string): void {
    if (this.announced.has(item_id)) return;
    this.announced.add(item_id);
    this.live.replaceChildren(h("p", {}, `Critical: ${withoutPrefix(text)}`));
  }
}

/** The spoken form often begins with the word that stands before it here. */
const withoutPrefix = (text: string): string => {
  const rest = text.replace(/^critical(?: finding)?\s*[:.,–-]\s*/i, "");
  return rest.charAt(0).toUpperCase() + rest.slice(1);
};
