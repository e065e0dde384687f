/**
 * Checks a link before it is used: the server says whose case it opens, and the reader is asked before anything is kept,
 * joined or heard. A link that opens nothing says so, and changes nothing.
 */
import { ApiError, type Invitation, lookAt, messageOf, redeem } from "../net/api";
import { type Link, newSecret } from "../net/invitation";
import { forget, recall, remember, type Remembered } from "../net/memory";
import { button, type Child, h, setText } from "./dom";
import { CAUTION, plain } from "./words";

const OLD = "This link is of an earlier version of EXAIM Voice, and opens nothing any more. Ask whoever sent it for a new one.";

export class Doorway {
  readonly element: HTMLElement;
  private readonly body = h("section", { class: "return", "aria-label": "An invitation", "aria-live": "polite", "data-testid": "doorway" });
  private readonly error = h("p", { class: "error", role: "alert", "data-testid": "error", hidden: true });
  /** Made once: an answer that was lost is asked for again by the same secret. */
  private readonly secret = newSecret();

  /** `entered`: the session is this browser's now. `elsewhere`: the reader stays out, or nothing is there. */
  constructor(
    private readonly link: Link,
    private readonly entered: (self: Remembered) => Promise<void>,
    private readonly elsewhere: () => void,
  ) {
    this.element = h("main", { class: "chooser" }, h("p", { class: "brand" }, "EXAIM Voice"), this.body, this.error, h("p", { class: "caution" }, CAUTION));
  }

  /** Ask the server what the link leads to; nothing else is done without a click. */
  async look(): Promise<void> {
    const { session_id, code } = this.link;
    this.show("Looking at the link…", []);
    const ours = recall(session_id);
    if (ours) return this.known(ours);
    if (code === "") return this.nothing(OLD);
    try {
      this.ask(await lookAt(session_id, code));
    } catch (error) {
      if (error instanceof ApiError && error.status === 0) return this.unreached(error.message);
      this.nothing(messageOf(error));
    }
  }

  /** The link was followed here before: it is good once, and this browser has the way back. */
  private known(self: Remembered): void {
    const enter = button("Return to the session", "primary", () => void this.enter(enter, self), "join");
    this.show("You are in this session already.", [plain(self.title)], enter, this.stay("Not now"));
  }

  private ask(found: Invitation): void {
    const join = button("Join as its clinician", "primary", () => void this.redeem(join, found), "join");
    const since = new Date(found.created_at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    const agents = found.agents.length > 0 ? `Agents: ${found.agents.map(plain).join(", ")}.` : "";
    this.show(
      `You are invited to listen to “${plain(found.title)}”.`,
      [
        `A team of reasoning agents has worked on this case since ${since}. ${agents}`,
        "Join only if you expected this link: its team hears what you say there, and it is in the report. You will be asked for the microphone.",
      ],
      join,
      this.stay("Don't join"),
    );
  }

  private async redeem(pressed: HTMLButtonElement, found: Invitation): Promise<void> {
    const self = { session_id: found.session_id, client_secret: this.secret, title: found.title, command_seq: 0, owner: "" };
    await this.busy(pressed, async () => {
      remember(self); // first: whoever closes the tab meanwhile has the way back, and the link is good once
      try {
        await redeem(this.link.session_id, this.link.code, this.secret);
      } catch (error) {
        if (error instanceof ApiError && error.gone) forget(self.session_id);
        throw error;
      }
      await this.entered(self);
    });
  }

  private async enter(pressed: HTMLButtonElement, self: Remembered): Promise<void> {
    await this.busy(pressed, () => this.entered(self));
  }

  private async busy(pressed: HTMLButtonElement, work: () => Promise<void>): Promise<void> {
    const before = pressed.textContent ?? "";
    pressed.disabled = true;
    setText(pressed, "Joining…");
    this.error.hidden = true;
    try {
      await work();
    } catch (error) {
      setText(this.error, messageOf(error) || "Something went wrong here. Try again.");
      this.error.hidden = false;
    } finally {
      pressed.disabled = false;
      setText(pressed, before);
    }
  }

  private unreached(why: string): void {
    this.show(why, ["The link is as good as before."], button("Look again", "primary", () => void this.look(), "look-again"), this.stay("Not now"));
  }

  private nothing(why: string): void {
    this.show("This link opens no session.", [why, "Nothing was changed: what you were listening to is where it was."], this.stay("Go on without it"));
  }

  private readonly stay = (label: string): HTMLButtonElement => button(label, "quiet", this.elsewhere, "stay-out");

  private show(title: string, said: readonly string[], ...actions: readonly Child[]): void {
    const lines = said.filter((each) => each !== "").map((each) => h("p", {}, each));
    this.body.replaceChildren(h("h1", {}, title), ...lines, h("div", { class: "go" }, ...actions));
  }
}
