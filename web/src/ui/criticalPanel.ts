/** Critical findings: always on top, in a style that nothing else has, told once to a screen reader. */
import { type Critical, criticals } from "../state/reading";
import type { View } from "../state/view";
import { button, h } from "./dom";
import { icon } from "./icons";
import { stateChip } from "./updatesPanel";

export class CriticalPanel {
  private readonly list = h("ul", {});
  readonly element = h("section", { class: "critical", "aria-label": "Critical findings", "data-testid": "critical", hidden: true }, this.list);
  /** Polite: the voice says it too, and talking over it would lose both. */
  readonly live = h("div", { class: "unseen", "aria-live": "polite", "data-testid": "critical-live" });
  private readonly announced = new Set<string>();
  private key = "";

  /** `gotIt` is called with the critical key of a finding that the reader took note of. */
  constructor(private readonly gotIt: (criticalKey: string) => void) {}

  /** What nobody took note of stands first. `live`: something can be asked of the voice. */
  update(view: View, live: boolean): void {
    const all = criticals(view);
    const found = [...all.filter((one) => !noted(one)), ...all.filter(noted)];
    const key = JSON.stringify([live, found.map(({ item, utterance }) => [item, utterance?.phase, utterance?.cause, utterance?.critical_key, utterance?.acknowledged])]);
    if (key === this.key) return;
    this.key = key;
    this.element.hidden = found.length === 0;
    this.list.replaceChildren(
      ...found.map((one) => {
        const { item, update, utterance } = one;
        return h(
          "li",
          { "data-testid": "critical-item", "data-update-id": update.update_id, "data-noted": noted(one) ? "true" : "false" },
          icon("critical"),
          h("p", { class: "critical-text" }, h("strong", {}, "Critical"), " ", withoutPrefix(item.text)),
          h("p", { class: "critical-facts" }, `Update ${update.number}`, utterance ? stateChip(utterance) : null),
          this.action(one, live),
        );
      }),
    );
    for (const { item } of [...found].reverse()) this.announce(item.item_id, item.text);
  }

  private action({ utterance }: Critical, live: boolean): HTMLElement | null {
    const criticalKey = utterance?.critical_key;
    if (!criticalKey) return null;
    if (utterance.acknowledged) return h("p", { class: "noted", "data-testid": "noted" }, icon("spoken"), "Noted");
    const pressed = button("Got it", "got-it", () => this.gotIt(criticalKey), "btn-got-it");
    pressed.append(h("kbd", {}, "A"));
    pressed.disabled = !live;
    return pressed;
  }

  private announce(item_id: string, text: string): void {
    if (this.announced.has(item_id)) return;
    this.announced.add(item_id);
    this.live.replaceChildren(h("p", {}, `Critical: ${withoutPrefix(text)}`));
  }
}

const noted = ({ utterance }: Critical): boolean => utterance?.acknowledged === true;

/** The spoken form often begins with the word that stands before it here. */
const withoutPrefix = (text: string): string => {
  const rest = text.replace(/^critical(?: finding)?\s*[:.,–-]\s*/i, "");
  return rest.charAt(0).toUpperCase() + rest.slice(1);
};
