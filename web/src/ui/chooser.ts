/** The first page: which case, and the way back into a session that could not be returned to by itself. */
import {
  ApiError,
  type CaseEntry,
  endSession,
  freshToken,
  listCases,
  openSession,
  reopenSession,
  reportOf,
  standingOf,
  type Ticket,
} from "../net/api";
import { forget, recall, type Remembered } from "../net/memory";
import { afterOf, unheardWords } from "../state/after";
import { button, h, setText } from "./dom";
import { saveReport } from "./saveReport";
import { CAUTION, duration } from "./words";

export type Entered = (self: Remembered, ticket: Ticket) => void;

export class Chooser {
  readonly element: HTMLElement;
  private readonly list = h("div", { class: "cases" });
  private readonly back = h("div");
  private readonly error = h("p", { class: "error", role: "alert", "data-testid": "error", hidden: true });
  private readonly start: HTMLButtonElement;
  private cases: readonly CaseEntry[] = [];
  private chosen: string | null = null;

  constructor(private readonly entered: Entered) {
    this.start = button("Start listening", "primary", () => void this.open(), "start");
    this.start.disabled = true;
    const fieldset = h("fieldset", {}, h("legend", {}, "Choose a case"), this.list);
    this.element = h(
      "main",
      { class: "chooser" },
      h(
        "header",
        { class: "welcome" },
        h("p", { class: "brand" }, "EXAIM Voice"),
        h("h1", {}, "Hear what the agents are thinking, while they think it"),
        h("p", { class: "lead" }, "A team of reasoning agents works through a case. What should not wait is read aloud; everything is on the page."),
      ),
      this.back,
      fieldset,
      this.error,
      h("div", { class: "go" }, this.start, h("p", { class: "hint" }, "Sound is needed. Your browser will ask for the microphone, so that you can interrupt; without it the buttons do the same.")),
      h("p", { class: "caution" }, CAUTION),
    );
  }

  async load(): Promise<void> {
    void this.offerReturn();
    this.list.replaceChildren(h("p", { class: "hint" }, "Looking for cases…"));
    try {
      this.cases = await listCases();
    } catch (error) {
      this.list.replaceChildren(button("Look again", "quiet", () => void this.load()));
      this.fail(error);
      return;
    }
    this.fail(null);
    this.chosen = this.cases.find((entry) => !entry.problem)?.case_id ?? null;
    this.list.replaceChildren(...this.cases.map((entry) => this.choice(entry)));
    if (this.cases.length === 0) this.list.append(h("p", { class: "hint" }, "There are no cases in the case folder."));
    this.start.disabled = this.chosen === null;
  }

  private choice(entry: CaseEntry): HTMLElement {
    const input = h("input", {
      type: "radio",
      name: "case",
      value: entry.case_id,
      disabled: entry.problem !== null && entry.problem !== "",
      checked: entry.case_id === this.chosen,
    });
    input.addEventListener("change", () => (this.chosen = entry.case_id));
    const facts = [
      `${entry.words.toLocaleString("en")} words`,
      duration(entry.duration_s),
      `${entry.agents.length} ${entry.agents.length === 1 ? "agent" : "agents"}`,
    ].join(" · ");
    return h(
      "label",
      { class: "case", "data-testid": "case-item", "data-case-id": entry.case_id, "data-broken": entry.problem ? "true" : null },
      input,
      h(
        "span",
        { class: "case-body" },
        h("span", { class: "case-title" }, entry.title || entry.case_id),
        entry.problem
          ? h("span", { class: "case-problem" }, `Can't be played: ${entry.problem}`)
          : h("span", { class: "case-facts" }, facts),
      ),
    );
  }

  private async open(): Promise<void> {
    if (this.chosen === null) return;
    const title = this.cases.find((entry) => entry.case_id === this.chosen)?.title ?? "";
    await this.busy(this.start, "Opening the session…", async () => {
      const { session_id, client_secret, token, livekit_url } = await openSession(this.chosen ?? "");
      this.entered({ session_id, client_secret, title, command_seq: 0, owner: "" }, { token, livekit_url });
    });
  }

  /** Offer the way back if the session may still live, or can go on; its report if it is over. */
  private async offerReturn(): Promise<void> {
    this.back.replaceChildren();
    const self = recall();
    if (!self) return;
    try {
      await freshToken(self.session_id, self.client_secret);
    } catch (error) {
      if (error instanceof ApiError && error.gone) return this.offerAfter(self);
    }
    const enter = button("Return to the session", "primary", () => void this.comeBack(self, enter), "return");
    const end = button("End it", "quiet", () => void this.endIt(self, end), "end-former");
    this.back.replaceChildren(
      h(
        "section",
        { class: "return", "aria-label": "Your session" },
        h("p", {}, h("strong", {}, "You were listening to a session."), self.title ? ` ${self.title}` : ""),
        h("div", { class: "go" }, enter, end),
      ),
    );
  }

  private async offerAfter(self: Remembered): Promise<void> {
    let after;
    try {
      after = afterOf(await standingOf(self.session_id, self.client_secret));
    } catch (error) {
      if (error instanceof ApiError && error.gone) forget(self.session_id);
    }
    if (!after) return;
    const closed = after.goesOn ? "Your session was closed after a long absence." : "Your last session is over.";
    const enter = button("Go on where you were", "primary", () => void this.reopen(self, enter), "go-on-again");
    const report = saveReport({ id: self.session_id, report: () => reportOf(self.session_id, self.client_secret) });
    const away = button("Leave it at that", "quiet", () => this.dismiss(self), "dismiss-former");
    this.back.replaceChildren(
      h(
        "section",
        { class: "return", "aria-label": "Your session", "data-testid": "former" },
        h("p", {}, h("strong", {}, closed), ` ${[self.title, unheardWords(after)].filter((each) => each !== "").join(". ")}`),
        h("div", { class: "go" }, ...(after.goesOn ? [enter] : []), report, away),
      ),
    );
  }

  private dismiss(self: Remembered): void {
    forget(self.session_id);
    this.back.replaceChildren();
  }

  private async reopen(self: Remembered, pressed: HTMLButtonElement): Promise<void> {
    await this.busy(pressed, "Opening it again…", async () => {
      this.entered(self, await reopenSession(self.session_id, self.client_secret));
    });
  }

  private async comeBack(self: Remembered, pressed: HTMLButtonElement): Promise<void> {
    await this.busy(pressed, "Returning…", async () => {
      this.entered(self, await freshToken(self.session_id, self.client_secret));
    });
  }

  private async endIt(self: Remembered, pressed: HTMLButtonElement): Promise<void> {
    await this.busy(pressed, "Ending…", async () => {
      await endSession(self.session_id, self.client_secret);
      forget(self.session_id);
      this.back.replaceChildren();
    });
  }

  private async busy(pressed: HTMLButtonElement, label: string, work: () => Promise<void>): Promise<void> {
    const before = pressed.textContent ?? "";
    pressed.disabled = true;
    setText(pressed, label);
    try {
      await work();
      this.fail(null);
    } catch (error) {
      this.fail(error);
    } finally {
      pressed.disabled = false;
      setText(pressed, before);
    }
  }

  private fail(error: unknown): void {
    this.error.hidden = error === null;
    setText(this.error, error === null ? "" : error instanceof ApiError ? error.message : "Something went wrong here. Try again.");
  }
}
