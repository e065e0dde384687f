/** The first page: which case, and the ways back into sessions that were not returned to by themselves. */
import {
  ApiError,
  type CaseEntry,
  endSession,
  freshToken,
  listCases,
  type NewSession,
  openSession,
  reopenSession,
  reportOf,
  standingOf,
  type Ticket,
} from "../net/api";
import { forget, isOpen, recallOpen, type Remembered, ways } from "../net/memory";
import { type After, afterOf, NOTHING_KNOWN, unheardWords } from "../state/after";
import { button, h, setText } from "./dom";
import { OwnCase } from "./ownCase";
import { saveReport } from "./saveReport";
import { CAUTION, duration, plain } from "./words";

export type Entered = (self: Remembered, ticket: Ticket) => void;

export class Chooser {
  readonly element: HTMLElement;
  private readonly list = h("div", { class: "cases" });
  private readonly back = h("div", { class: "ways" });
  private readonly error = h("p", { class: "error", role: "alert", "data-testid": "error", hidden: true });
  private readonly own = new OwnCase((session, title) => this.enter(session, title));
  private readonly start: HTMLButtonElement;
  private cases: readonly CaseEntry[] = [];
  private chosen: string | null = null;

  /** `told`: what the reader is to know first; empty: nothing. */
  constructor(
    private readonly entered: Entered,
    private readonly told = "",
  ) {
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
      this.own.element,
      h("p", { class: "caution" }, CAUTION),
    );
  }

  async load(): Promise<void> {
    this.offerReturns();
    this.list.replaceChildren(h("p", { class: "hint" }, "Looking for cases…"));
    try {
      this.cases = await listCases();
    } catch (error) {
      const keyless = error instanceof ApiError && error.keyless;
      this.own.element.hidden = keyless;
      this.list.replaceChildren(...(keyless ? this.keyless() : [button("Look again", "quiet", () => void this.load())]));
      this.fail(keyless ? null : error);
      return;
    }
    this.fail(null);
    this.own.element.hidden = false;
    this.chosen = this.cases.find((entry) => !entry.problem)?.case_id ?? null;
    this.list.replaceChildren(...this.cases.map((entry) => this.choice(entry)));
    if (this.cases.length === 0) this.list.append(h("p", { class: "hint" }, "There are no cases in the case folder."));
    this.start.disabled = this.chosen === null;
  }

  /** Anybody on this machine can open the page, but only the link lets somebody hear cases. */
  private keyless(): HTMLElement[] {
    const why = this.told ? `${this.told.charAt(0).toUpperCase()}${this.told.slice(1)}.` : "This tab has no key yet.";
    return [
      h("p", { "data-testid": "no-key" }, h("strong", {}, why)),
      h("p", { class: "hint" }, "Open the link that “make run” (or “exaim up”) printed where EXAIM Voice was started. It is good once, for one tab; “exaim link” prints another."),
      h("p", { class: "hint" }, "An invitation to a session needs no key, nor does going back to one."),
    ];
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
      this.enter(await openSession(this.chosen ?? ""), title);
    });
  }

  private enter({ session_id, client_secret, token, livekit_url }: NewSession, title: string): void {
    this.entered({ session_id, client_secret, title, command_seq: 0, owner: "" }, { token, livekit_url });
  }

  /** Offer each way back whose session may still live, or can go on; the report of one that is over. */
  private offerReturns(): void {
    const offers = ways().map((self) => ({ self, place: h("div") }));
    this.back.replaceChildren(...offers.map(({ place }) => place));
    for (const { self, place } of offers) void this.offerReturn(self, place);
  }

  /** Only looks: a fresh token would wake a session that sleeps, and take a slot for it. */
  private async offerReturn(self: Remembered, place: HTMLElement): Promise<void> {
    try {
      const after = afterOf(await standingOf(self.session_id, self.client_secret));
      if (after) return this.offerAfter(self, after, place);
    } catch (error) {
      if (error instanceof ApiError && error.worthless) forget(self.session_id);
      if (error instanceof ApiError && error.gone) return;
    }
    const open = (await isOpen(self.session_id)) === true;
    const enter = button(open ? "Bring it here" : "Return to the session", "primary", () => void this.comeBack(self, enter), "return");
    const end = button("End it", "quiet", () => void this.askToEnd(self, place), "end-former");
    const told = open ? "A session is open in another window." : "You were listening to a session.";
    place.replaceChildren(
      h(
        "section",
        { class: "return", "aria-label": "Your session" },
        h("p", {}, h("strong", {}, told), self.title ? ` ${plain(self.title)}` : ""),
        h("div", { class: "go" }, enter, end),
      ),
    );
  }

  /** Ask before an end, which is for good, and say what is known of the session, which is not on view here. */
  private async askToEnd(self: Remembered, place: HTMLElement): Promise<void> {
    const open = (await isOpen(self.session_id)) === true;
    const keep = button("Keep it", "primary", () => void this.offerReturn(self, place), "end-keep");
    const end = button("End it for good", "quiet", () => void this.endIt(self, end, place), "end-for-good");
    place.replaceChildren(
      h(
        "section",
        { class: "return", role: "alertdialog", "aria-label": "End the session?", "data-testid": "end-asks" },
        h("p", {}, h("strong", {}, endAsks(open, recallOpen(self.session_id))), self.title ? ` ${plain(self.title)}` : ""),
        h("p", { class: "hint" }, "Nothing more is read aloud, in any window. The report says what was not heard."),
        h("div", { class: "go" }, keep, end),
      ),
    );
    keep.focus();
  }

  private offerAfter(self: Remembered, after: After, place: HTMLElement): void {
    const closed = after.goesOn ? "Your session was closed after a long absence." : "Your last session is over.";
    const enter = button("Go on where you were", "primary", () => void this.reopen(self, enter), "go-on-again");
    const report = saveReport({ id: self.session_id, report: () => reportOf(self.session_id, self.client_secret) });
    const away = button("Leave it at that", "quiet", () => this.dismiss(self, place), "dismiss-former");
    place.replaceChildren(
      h(
        "section",
        { class: "return", "aria-label": "Your session", "data-testid": "former" },
        h("p", {}, h("strong", {}, closed), ` ${[plain(self.title), unheardWords(after)].filter((each) => each !== "").join(". ")}`),
        h("div", { class: "go" }, ...(after.goesOn ? [enter] : []), report, away),
      ),
    );
  }

  private dismiss(self: Remembered, place: HTMLElement): void {
    forget(self.session_id);
    place.replaceChildren();
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

  private async endIt(self: Remembered, pressed: HTMLButtonElement, place: HTMLElement): Promise<void> {
    await this.busy(pressed, "Ending…", async () => {
      await endSession(self.session_id, self.client_secret);
      this.offerAfter(self, NOTHING_KNOWN, place);
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

/** `unheeded`: critical findings that nobody noted when this browser last saw the session; null: it has not. */
function endAsks(open: boolean, unheeded: number | null): string {
  const where = open ? "The session is open in another window" : "The session is not over";
  if (unheeded === 0) return `${where}. End it for good?`;
  if (unheeded === null) return `${where}, and may have critical findings that nobody noted. End it for good?`;
  const found = unheeded === 1 ? "a critical finding has not been noted" : `${unheeded} critical findings have not been noted`;
  return `${where}, and ${found}. End it for good?`;
}
