/** The page while listening: puts the panels together and tells each when something changed. */
import type { Ticket } from "../net/api";
import { recallOpen, recallPlace, type Remembered, rememberOpen, rememberPlace } from "../net/memory";
import type { Connection, Session, Status } from "../session";
import { sampleAt, sampleByArrival } from "../sound/clock";
import { type After, unheardWords } from "../state/after";
import { Follower } from "../state/follow";
import { unheeded, withoutSound } from "../state/reading";
import { noticesNow, type View } from "../state/view";
import { heldAsAsked, heldForWhat, notAway } from "../state/voice";
import { type Banner, Banners } from "./banners";
import { CaptionPanel } from "./captionPanel";
import { CriticalPanel } from "./criticalPanel";
import { ConversationPanel } from "./conversationPanel";
import { button, h, isFocusLost, isWaiting, setData, setText, setWaiting } from "./dom";
import { DebatePanel } from "./debatePanel";
import { EvidencePanel } from "./evidencePanel";
import { Farewell } from "./farewell";
import { icon } from "./icons";
import { Keys } from "./keys";
import { MicPanel } from "./micPanel";
import { saveReport } from "./saveReport";
import { type Open, sentenceOf } from "./sentence";
import { SummaryPanel } from "./summaryPanel";
import { TalkPanel } from "./talkPanel";
import { TracePanel } from "./tracePanel";
import { StepsPanel } from "./stepsPanel";
import { UpdatesPanel } from "./updatesPanel";
import { CAUTION, CONNECTION_WORDS, countdown, endedBy, paperWords, readerWords, reasoningWords, silentWords, whoseWords } from "./words";

export class Board {
  private readonly caption = new CaptionPanel();
  private readonly open: Open = (wanted, opener) => this.evidence.open(wanted, opener, this.session().view.trace);
  private readonly summary = new SummaryPanel(this.open);
  private readonly updates = new UpdatesPanel(this.open);
  private readonly steps = new StepsPanel(() => this.session().endTeam());
  private readonly debate = new DebatePanel();
  private readonly conversation = new ConversationPanel();
  private readonly critical = new CriticalPanel((critical_key) => void this.session().act("acknowledge", { critical_key }), this.open);
  private readonly mic = new MicPanel(() => this.session());
  private readonly talk = new TalkPanel(() => this.session(), this.mic.element);
  private readonly keys = new Keys(() => this.session(), this.talk);
  private readonly follower = new Follower();
  private readonly grace = h("strong", { class: "grace", role: "timer", "aria-live": "off", "data-testid": "grace" });
  private readonly evidence: EvidencePanel = new EvidencePanel(() => this.trace, (key) => sentenceOf(this.element, key));
  private readonly trace: TracePanel = new TracePanel(this.evidence.element);
  private readonly title = h("h1", { tabindex: "-1" });
  private readonly whose = h("p", { class: "whose", "data-testid": "whose" });
  private readonly reader = h("p", { class: "whose", role: "note", "data-testid": "reader" });
  private readonly paper = h("p", { class: "no-paper", role: "note", "data-testid": "no-paper" });
  private readonly connection = h("span", { class: "pill", role: "status", "data-testid": "connection" });
  private readonly reasoning = h("span", { class: "pill", role: "status", "data-testid": "reasoning" });
  private readonly banners = new Banners();
  private readonly retry = button("Connect again", "primary", () => this.session().retry(), "retry");
  private readonly again = button("Go on where you were", "primary", () => void this.goOn(), "go-on-again");
  private readonly other = button("Choose another case", "primary", () => this.elsewhere(), "another");
  /** What the reader must do before anything can be heard: one big button, over the board. */
  private readonly gate = h("div", { class: "gate", hidden: true });
  private readonly leave: HTMLButtonElement;
  private readonly farewell = new Farewell(() => this.goAway(), () => void this.goodbye());
  readonly element: HTMLElement;
  private drawing = false;
  /** Nothing was drawn yet: the view before, and what had the focus in it, is gone. */
  private arriving = true;
  private ended = false;
  private place: number | null = null;
  private unheeded: number | null = null;

  constructor(
    private readonly session: () => Session,
    private readonly another: () => void,
    private readonly goesOn: (self: Remembered, ticket: Ticket) => void,
  ) {
    this.leave = button("Leave", "quiet leave", () => this.leaving(), "leave");
    this.leave.prepend(icon("leave"));
    const bar = h(
      "header",
      { class: "bar" },
      h("div", { class: "bar-title" }, h("p", { class: "brand" }, "EXAIM Voice"), this.title, this.whose, this.paper, this.reader),
      h("div", { class: "bar-state" }, this.reasoning, this.connection),
      this.leave,
    );
    const reading = h("div", { class: "reading" }, this.caption.element, this.talk.element, this.summary.element);
    const team = h("div", { class: "team" }, this.steps.element, this.debate.element);
    const aside = h("div", { class: "aside" }, this.conversation.element, team, this.updates.element, this.trace.element);
    this.element = h(
      "div",
      { class: "board" },
      h("div", { class: "top" }, bar, this.critical.element, this.banners.element),
      this.critical.live,
      h("main", { class: "columns" }, reading, aside),
      h("footer", { class: "caution" }, CAUTION),
      this.gate,
      this.farewell.element,
    );
    addEventListener("pagehide", this.hidden);
  }

  /** Begin the caption where this session's page before this one had come to. */
  restore(): void {
    const place = recallPlace(this.session().id);
    if (place) this.follower.restore(place);
  }

  private readonly hidden = (): void => {
    const { id, view, status } = this.session();
    if (this.place !== null && status.connection !== "ended") rememberPlace(id, { epoch: view.epoch, sample: Math.round(this.place) });
  };

  private shown(): View {
    const { status } = this.session();
    const view = notAway(this.session().view, status.listening);
    if (status.connection === "ended") return withoutSound(view, status.after?.goesOn ? "lost" : "ended");
    if (status.silent) return withoutSound(view, status.silent === "voice-restarting" ? "restarting" : "lost");
    const heard = status.voice && (status.connection !== "reconnecting" || this.session().hears);
    return heard || view.utterances.size === 0 ? heldForWhat(heldAsAsked(view)) : withoutSound(view, "lost");
  }

  /** Something changed: draw it with the next frame. */
  changed(): void {
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => {
      this.drawing = false;
      this.draw();
    });
  }

  /** The ear has moved: only the caption follows. */
  looked(): void {
    const { status, position } = this.session();
    const view = this.shown();
    const byClock = position !== null && view.clock?.clock === "rtp" ? sampleAt(position, view.clock) : null;
    this.place = this.follower.at(view, byClock ?? sampleByArrival(view.segments, performance.now()));
    // After a reload, until something sounds: the last clause that left, of which all was on its way.
    this.caption.update(view, status, this.place ?? (view.segments.length > 0 ? Number.MAX_SAFE_INTEGER : null));
    this.mic.level();
    const left = this.session().graceLeft_ms;
    if (left !== null) setText(this.grace, countdown(left));
  }

  private draw(): void {
    const { status, title } = this.session();
    const view = this.shown();
    setText(this.title, title || "Case");
    if (this.arriving && isFocusLost()) this.title.focus({ preventScroll: true });
    this.arriving = false;
    setText(this.whose, whoseWords(view.hello));
    setText(this.paper, paperWords(view.hello));
    setText(this.reader, readerWords(view.hello));
    const line = status.connection === "connected" && status.silent === "line-lost" ? "reconnecting" : status.connection;
    setText(this.connection, status.elsewhere ? "In another window" : CONNECTION_WORDS[line]);
    setData(this.connection, "state", line);
    setText(this.reasoning, reasoningWords(view, line));
    setData(this.reasoning, "state", view.reasoning.phase);
    this.reasoning.title = view.reasoning.detail;
    this.caption.element.hidden = status.connection === "ended";
    this.leave.hidden = status.connection === "ended";
    this.talk.element.hidden = status.connection === "ended";
    if (status.connection === "ended") {
      this.keys.stop();
      this.farewell.close();
      removeEventListener("pagehide", this.hidden);
    }
    this.summary.update(view);
    this.steps.update(view);
    this.debate.update(view);
    this.updates.update(view);
    this.critical.update(view, status.listening, view.known === "all" || status.connection === "ended" ? 0 : (recallOpen(this.session().id) ?? 0));
    this.conversation.update(view);
    this.talk.update(view, status);
    this.mic.update(status);
    this.trace.update(view);
    this.evidence.drawn();
    this.looked();
    this.drawBanners(status);
    // Leave is gone: whoever pressed it goes on from what there is to do now.
    if (status.connection === "ended" && !this.ended && isFocusLost()) this.banners.element.focus();
    this.ended = status.connection === "ended";
    this.drawGate(status);
    this.countUnheeded();
  }

  /** What another window is told before it ends this session. */
  private countUnheeded(): void {
    const { id, view, status } = this.session();
    if (view.known !== "all" || status.connection === "ended") return;
    const count = unheeded(view).length;
    if (count !== this.unheeded) rememberOpen(id, count);
    this.unheeded = count;
  }

  private drawGate(status: Status): void {
    const locked = this.session().returned && !status.sound && status.connection === "connected";
    const kind = status.elsewhere ? "elsewhere" : locked ? "locked" : "";
    if (this.gate.dataset["kind"] === kind) return;
    this.gate.dataset["kind"] = kind;
    if (kind) this.farewell.close(); // an open dialog would be inert, and nothing behind it can be touched
    this.gate.hidden = kind === "";
    for (const part of this.element.children) if (part !== this.gate) part.toggleAttribute("inert", kind !== "");
    const pressed =
      kind === "elsewhere"
        ? button("Bring it back here", "primary", () => this.session().retry(), "bring-back")
        : button("Tap to hear it go on", "primary", () => void this.session().unlock(), "tap");
    if (kind === "locked") pressed.prepend(icon("sound"));
    const words =
      kind === "elsewhere"
        ? ["This session is open in another window", "It is silent here, and nothing here is up to date. Only one window has the voice."]
        : ["Your session is here", "Your browser lets no sound out until you touch the page. Nothing is lost: the voice waits."];
    this.gate.replaceChildren(
      ...(kind ? [h("section", { class: "gate-box", role: "alertdialog", "aria-label": words[0] ?? "" }, h("h2", {}, words[0] ?? ""), h("p", {}, words[1] ?? ""), pressed)] : []),
    );
    if (kind) pressed.focus();
  }

  private drawBanners(status: Status): void {
    const { view } = this.session();
    const { connection } = status;
    const banners: Banner[] = [];
    if (connection === "ended") {
      banners.push(this.endedBanner(endedBy(view.ended, status.after), status.after));
    }
    if (!status.sound && connection === "connected" && !this.session().returned) {
      banners.push({ key: "sound", kind: "warn", text: "Your browser is holding the sound back.", action: () => button("Turn sound on", "primary", () => void this.session().unlock(), "unlock") });
    }
    if (status.version !== null) {
      banners.push({ key: "version", kind: "warn", text: `The voice speaks version ${status.version} of the page's language and this page only version 1: parts may be missing. Reload the page.` });
    }
    const retry = (): HTMLElement => this.retry;
    if (status.lostAt_ms !== null && connection !== "ended") {
      const trying = connection === "reconnecting" ? "The line is lost; trying to get it back. " : "The line is lost. ";
      banners.push({ key: "line", kind: "warn", text: [trying, "The session is kept for another ", this.grace, "."], action: retry, code: "line_lost" });
    } else if (status.silent) {
      banners.push({ key: "silent", kind: "warn", text: silentWords(status.silent), code: "silent" });
    } else if (status.problem) {
      banners.push({ key: "problem", kind: "warn", text: status.problem, action: retry });
    }
    const silent = status.silent !== null || status.lostAt_ms !== null;
    for (const { key, code, text } of noticesNow(view, silent)) {
      banners.push({ key: `notice ${key}`, kind: "notice", text: text || code, code, action: () => button("Dismiss", "quiet", () => this.session().dismiss(key)) });
    }
    this.drawRetry(connection);
    this.banners.show(banners);
  }

  /** While it is tried the button stays, so that whoever pressed it is still there when it can be pressed again. */
  private drawRetry(connection: Connection): void {
    this.retry.hidden = connection !== "lost" && connection !== "reconnecting";
    setWaiting(this.retry, connection === "reconnecting");
    setText(this.retry, connection === "reconnecting" ? "Connecting…" : "Connect again");
  }

  private endedBanner(ended: string, after: After | null): Banner {
    const words = [ended, after ? unheardWords(after) : "", "Everything found so far stays readable here.", after?.problem ?? ""];
    this.again.hidden = !after?.goesOn;
    this.other.className = after?.goesOn ? "quiet" : "primary";
    const action = (): HTMLElement => h("div", { class: "banner-actions" }, this.again, saveReport(this.session()), this.other);
    return { key: "ended", kind: "ended", text: words.filter((each) => each !== "").join(" "), action };
  }

  private async goOn(): Promise<void> {
    const pressed = this.again;
    if (isWaiting(pressed)) return;
    setWaiting(pressed, true);
    setText(pressed, "Opening it again…");
    const found = await this.session().reopen();
    if (found) {
      this.evidence.shut();
      return this.goesOn(found.self, found.ticket);
    }
    setWaiting(pressed, false);
    setText(pressed, "Go on where you were");
  }

  /** Ask first if a critical finding is not acknowledged: an end is for good. */
  private leaving(): void {
    if (!this.farewell.ask(unheeded(this.session().view))) void this.goodbye();
  }

  private elsewhere(): void {
    this.evidence.shut();
    this.another();
  }

  private goAway(): void {
    this.hidden(); // the caption's place, to come back to
    this.session().away();
    this.another();
  }

  private async goodbye(): Promise<void> {
    this.leave.disabled = true;
    await this.session().leave();
    this.leave.disabled = false;
  }
}
