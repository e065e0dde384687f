/** The microphone: what it is doing, its level, and what can be done about it. */
import type { Session, Status } from "../session";
import { button, h, keyHint, setData, setText } from "./dom";
import { icon } from "./icons";

/** The meter has no more steps than the eye can tell apart. */
const STEPS = 20;
/** Longer advice has a line of its own. */
const SHORT = 36;

export class MicPanel {
  private readonly words = h("strong", {});
  private readonly mend = h("span", { class: "mic-mend" });
  private readonly bar = h("span", { class: "meter-bar" });
  private readonly meter = h("span", { class: "meter", "aria-hidden": "true" }, this.bar);
  private readonly mute: HTMLButtonElement;
  private readonly retry: HTMLButtonElement;
  private readonly sign = h("span", { class: "mic-sign" });
  readonly element: HTMLElement;
  private shown = "";
  private step = -1;

  constructor(private readonly session: () => Session) {
    this.mute = button("Mute", "quiet small", () => this.session().toggleMute(), "btn-mute");
    this.mute.setAttribute("aria-keyshortcuts", "M");
    this.retry = button("Try again", "quiet small", () => this.session().askForMicrophone(), "mic-retry");
    this.element = h(
      "div",
      { class: "mic", "data-testid": "mic", role: "group", "aria-label": "Microphone" },
      this.sign,
      h("p", { class: "mic-words", role: "status" }, this.words, " ", this.mend),
      this.meter,
      this.mute,
      this.retry,
    );
  }

  update(status: Status): void {
    const { state, words, mend, retry } = this.session().mic;
    this.mute.disabled = this.retry.disabled = status.connection !== "connected";
    const key = `${state}|${words}|${mend}`;
    if (key === this.shown) return;
    this.shown = key;
    setData(this.element, "state", state);
    setText(this.words, words);
    setText(this.mend, mend);
    setData(this.element, "wide", mend.length > SHORT ? "true" : "false");
    this.sign.replaceChildren(icon(state === "on" || state === "asking" ? "mic" : "micOff"));
    const live = ["on", "muted", "silent", "failed"].includes(state);
    this.meter.hidden = state !== "on" && state !== "silent";
    this.mute.hidden = !live;
    this.mute.replaceChildren(state === "muted" ? "Unmute" : "Mute", keyHint("M"));
    this.retry.hidden = !retry || state === "silent";
    setText(this.retry, state === "off" ? "Turn on" : "Try again");
  }

  /** Called about 40 times a second. */
  level(): void {
    if (this.meter.hidden) return;
    const step = Math.round(this.session().level * STEPS);
    if (step === this.step) return;
    this.step = step;
    this.bar.style.transform = `scaleX(${step / STEPS})`;
  }
}
