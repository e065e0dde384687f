/** The page while listening: puts the panels together and tells each when something changed. */
import { Session, type Status } from "../session";
import { sampleAt, sampleByArrival } from "../sound/clock";
import { withoutSound } from "../state/reading";
import type { View } from "../state/view";
import { CaptionPanel } from "./captionPanel";
import { CriticalPanel } from "./criticalPanel";
import { button, h, setData, setText } from "./dom";
import { icon } from "./icons";
import { SummaryPanel } from "./summaryPanel";
import { TracePanel } from "./tracePanel";
import { UpdatesPanel } from "./updatesPanel";
import { CAUTION, CONNECTION_WORDS, endedWords, reasoningWords } from "./words";

export class Board {
  private readonly caption = new CaptionPanel();
  private readonly summary = new SummaryPanel();
  private readonly updates = new UpdatesPanel();
  private readonly critical = new CriticalPanel();
  private readonly trace = new TracePanel();
  private readonly title = h("h1", {});
  private readonly connection = h("span", { class: "pill", role: "status", "data-testid": "connection" });
  private readonly reasoning = h("span", { class: "pill", role: "status", "data-testid": "reasoning" });
  private readonly banners = h("div", { class: "banners" });
  private readonly leave: HTMLButtonElement;
  readonly element: HTMLElement;
  private bannersKey = "";
  private drawing = false;

  constructor(
    private readonly session: () => Session,
    private readonly another: () => void,
  ) {
    this.leave = button("Leave", "quiet leave", () => void this.goodbye(), "leave");
    this.leave.prepend(icon("leave"));
    const bar = h(
      "header",
      { class: "bar" },
      h("div", { class: "bar-title" }, h("p", { class: "brand" }, "EXAIM Voice"), this.title),
      h("div", { class: "bar-state" }, this.reasoning, this.connection),
      this.leave,
    );
    const reading = h("div", { class: "reading" }, this.caption.element, this.summary.element);
    const aside = h("div", { class: "aside" }, this.updates.element, this.trace.element);
    this.element = h(
      "div",
      { class: "board" },
      h("div", { class: "top" }, bar, this.critical.element, this.banners),
      this.critical.live,
      h("main", { class: "columns" }, reading, aside),
      h("footer", { class: "caution" }, CAUTION),
    );
  }

  private shown(): View {
    const { view, status } = this.session();
    if (status.connection === "ended") return withoutSound(view, "ended");
    return status.voice || view.utterances.size === 0 ? view : withoutSound(view, "lost");
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
    this.caption.update(view, status, byClock ?? sampleByArrival(view.segments, performance.now()));
  }

  private draw(): void {
    const { status, title } = this.session();
    const view = this.shown();
    setText(this.title, title || "Case");
    setText(this.connection, CONNECTION_WORDS[status.connection]);
    setData(this.connection, "state", status.connection);
    setText(this.reasoning, reasoningWords(view.reasoning.phase, status.connection));
    setData(this.reasoning, "state", view.reasoning.phase);
    this.reasoning.title = view.reasoning.detail;
    this.caption.element.hidden = status.connection === "ended";
    this.leave.hidden = status.connection === "ended";
    this.summary.update(view);
    this.updates.update(view);
    this.critical.update(view);
    this.trace.update(view);
    this.looked();
    this.drawBanners(status);
  }

  private drawBanners(status: Status): void {
    const { view } = this.session();
    const key = JSON.stringify([status, view.notices, view.ended]);
    if (key === this.bannersKey) return;
    this.bannersKey = key;
    const banners: HTMLElement[] = [];
    if (status.connection === "ended") {
      const again = button("Choose another case", "primary", this.another, "another");
      banners.push(banner("ended", `${endedWords(view.ended ?? "")} Everything found so far stays readable here.`, again));
    }
    if (!status.sound && status.connection === "connected") {
      banners.push(banner("warn", "Your browser is holding the sound back.", button("Turn sound on", "primary", () => void this.session().unlock(), "unlock")));
    }
    if (status.version !== null) {
      banners.push(banner("warn", `The voice speaks version ${status.version} of the page's language and this page only version 1: parts may be missing. Reload the page.`));
    }
    if (status.problem) {
      const retry = status.connection === "lost" ? button("Connect again", "primary", () => this.session().retry(), "retry") : null;
      banners.push(banner("warn", status.problem, retry));
    }
    for (const notice of view.notices) {
      const close = button("Dismiss", "quiet", () => this.session().dismiss(notice.key));
      banners.push(banner("notice", notice.text || notice.code, close, notice.code));
    }
    this.banners.replaceChildren(...banners);
  }

  private async goodbye(): Promise<void> {
    this.leave.disabled = true;
    await this.session().leave();
    this.leave.disabled = false;
  }
}

function banner(kind: "warn" | "notice" | "ended", text: string, action: HTMLElement | null = null, code?: string): HTMLElement {
  return h("div", { class: "banner", "data-kind": kind, "data-testid": `banner-${kind}`, "data-code": code, role: "status" }, icon("notice"), h("p", {}, text), action);
}
