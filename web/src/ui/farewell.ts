/** The question before leaving a session with unacknowledged critical findings. */
import type { Critical } from "../state/reading";
import { withoutPrefix } from "./criticalPanel";
import { button, h } from "./dom";

export class Farewell {
  readonly element = h("dialog", { class: "gate-box farewell", role: "alertdialog", "aria-labelledby": "farewell-asks", "data-testid": "farewell" });

  /** `away`: to come back later; `end`: for good. Staying needs nobody. */
  constructor(
    private readonly away: () => void,
    private readonly end: () => void,
  ) {}

  /** Ask, if there is anything to ask about. */
  ask(found: readonly Critical[]): boolean {
    if (found.length === 0) return false;
    const stay = button("Stay", "primary", () => this.close(), "farewell-stay");
    this.element.replaceChildren(
      h("h2", { id: "farewell-asks" }, asks(found.length)),
      h("ul", {}, ...found.map(({ item, utterance }) => h("li", { "data-testid": "farewell-item" }, h("strong", {}, withoutPrefix(item.text)), h("p", {}, heard(utterance?.phase))))),
      stay,
      button("Go away, and come back later", "quiet", () => this.leaveBy(this.away), "farewell-away"),
      h("p", {}, "The session waits for a few minutes, and can be opened again after that. What was not heard is read then."),
      button("End the session for good", "quiet", () => this.leaveBy(this.end), "farewell-end"),
      h("p", {}, "Nothing more is read aloud. The report says what was not heard."),
    );
    if (!this.element.open) this.element.showModal();
    stay.focus();
    return true;
  }

  close(): void {
    if (this.element.open) this.element.close();
  }

  private leaveBy(way: () => void): void {
    this.close();
    way();
  }
}

const asks = (found: number): string =>
  found === 1 ? "A critical finding has not been noted. Leave?" : `${found} critical findings have not been noted. Leave?`;

const heard = (phase: string | undefined): string =>
  phase === "spoken" ? "Read aloud; nobody took note of it." : "Not read aloud to its end yet.";
