/** How the voice stands, and everything that the reader can do about it by hand. */
import type { Session, Status } from "../session";
import { type CaseKind, type Dial, MAX_QUESTION_CHARS, type Verbosity } from "../protocol";
import { CHIPS, type Chip } from "../sound/microphone";
import { asksForTeam, caseStep, isStopped, voiceState } from "../state/voice";
import { recallKeys, rememberKeys } from "../net/memory";
import type { View } from "../state/view";
import { button, h, keyHint, setData, setText } from "./dom";
import { type Icon, icon } from "./icons";
import { caseWords, dialWords, toldWords, voiceWords } from "./words";

const CHIP_WORDS: Readonly<Record<Chip, string>> = { "mm-hm": "mm-hm", stop: "stop", why: "why?", "go-on": "go on" };
const DIAL_WORDS: Readonly<Partial<Record<Dial, string>>> = { slower: "Slower", faster: "Faster", softer: "Softer", louder: "Louder" };
/** How much is told, and what asks for it. */
const DETAIL: readonly (readonly [Verbosity, Dial, string])[] = [
  ["brief", "brief", "In short"],
  ["normal", "usual_detail", "As usual"],
  ["full", "full", "Everything"],
];

export class TalkPanel {
  private readonly head = h("strong", {});
  private readonly rest = h("span", {});
  private readonly dial = h("span", { class: "dial", "data-testid": "dial", hidden: true });
  private readonly mode = h("p", { class: "mode", "data-testid": "mode" }, h("span", { class: "mode-sign" }), this.head, " ", this.dial, " ", this.rest);
  /** Of the same, what a screen reader is told. */
  private readonly told = h("p", { class: "unseen", role: "status", "data-testid": "mode-told" });
  private readonly stop = this.act("Stop", "S", "stop", "stop", "btn-stop");
  private readonly goOn = this.act("Go on", "G", "go", "go_on", "btn-go-on");
  private readonly next = this.act("Next", "N", "next", "next", "btn-next");
  private readonly repeat = this.act("Repeat", "R", "repeat", "repeat", "btn-repeat");
  private readonly wrong = button("", "quiet", () => void this.session().act(this.step), "btn-case");
  private step: CaseKind = "wrong_case";
  /** The voice has read back, or shows, what is for the team: it goes only by a yes. */
  private readonly sendTeam = button("Send to the team", "primary to-team", () => void this.session().act("send_to_team"), "btn-send-team");
  private readonly keepTeam = button("Don’t send", "quiet", () => void this.session().act("keep_from_team"), "btn-keep-team");
  private readonly refused = h("p", { class: "refused", role: "alert", "data-testid": "refused", hidden: true });
  private readonly input = h("input", {
    type: "text",
    maxlength: MAX_QUESTION_CHARS,
    placeholder: "Ask the case",
    "aria-label": "Ask the case",
    "aria-keyshortcuts": "/",
    autocomplete: "off",
    enterkeyhint: "send",
    "data-testid": "ask-input",
  });
  private readonly send = h("button", { type: "submit", class: "quiet", "data-testid": "btn-ask" }, "Ask");
  private readonly chips: readonly HTMLButtonElement[];
  private readonly dials: readonly HTMLButtonElement[];
  private readonly detail: readonly HTMLButtonElement[];
  /** Turns off the keys that write a character (WCAG 2.1.4). */
  private readonly keys = button("Keys", "chip", () => this.turnKeys(!this.keysOn), "btn-keys");
  keysOn = recallKeys();
  readonly element: HTMLElement;

  constructor(
    private readonly session: () => Session,
    mic: HTMLElement,
  ) {
    this.chips = CHIPS.map((chip) => button(CHIP_WORDS[chip], "chip", () => void this.session().say(chip), `chip-${chip}`));
    this.dials = Object.entries(DIAL_WORDS).map(([kind, word]) => button(word, "chip", () => void this.session().act(kind as Dial), `dial-${kind}`));
    this.detail = DETAIL.map(([, kind, word]) => button(word, "chip", () => void this.session().act(kind), `detail-${kind}`));
    const form = h("form", { class: "ask" }, this.input, keyHint("/"), this.send);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.ask();
    });
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.input.blur();
    });
    this.drawKeys();
    this.element = h(
      "section",
      { class: "panel talk", "aria-label": "Talk to the voice", "data-testid": "talk" },
      h("div", { class: "talk-head" }, this.mode, mic),
      this.told,
      h("div", { class: "acts" }, this.stop, this.goOn, this.next, this.repeat, this.wrong, this.sendTeam, this.keepTeam),
      this.refused,
      h("div", { class: "say" }, form, h("div", { class: "chips", role: "group", "aria-label": "Say it for me" }, h("span", { class: "chips-label" }, "Say"), ...this.chips)),
      h(
        "div",
        { class: "dials" },
        h("div", { class: "chips", role: "group", "aria-label": "How the voice speaks" }, h("span", { class: "chips-label" }, "Speak"), ...this.dials),
        h("div", { class: "chips", role: "group", "aria-label": "How much is told" }, h("span", { class: "chips-label" }, "Tell"), ...this.detail),
        h("div", { class: "chips" }, this.keys),
      ),
    );
  }

  private turnKeys(on: boolean): void {
    this.keysOn = on;
    rememberKeys(on);
    this.drawKeys();
  }

  private drawKeys(): void {
    this.keys.setAttribute("aria-pressed", String(this.keysOn));
    this.keys.title = `Single keys such as S and A are ${this.keysOn ? "on" : "off"}. Escape stops the voice either way; in a field, the evidence or a question it leaves that first.`;
    document.documentElement.toggleAttribute("data-keys-off", !this.keysOn);
  }

  update(view: View, status: Status): void {
    const state = voiceState(view, performance.now());
    const live = status.connection === "connected" && status.listening;
    const { head, rest } = live ? voiceWords(state, view.mode) : { head: OFFLINE[status.connection] ?? "Not connected", rest: "" };
    setData(this.mode, "mode", view.mode.mode);
    setData(this.mode, "state", live ? state : "offline");
    setData(this.element, "state", live ? state : "offline");
    setText(this.head, head);
    setText(this.rest, rest);
    setText(this.dial, dialWords(view.mode));
    setText(this.told, live ? toldWords(state, view.mode) : "");
    this.dial.hidden = !live || dialWords(view.mode) === "";
    const stopped = isStopped(view);
    this.step = caseStep(view.mode);
    const doubted = this.step === "right_case";
    for (const pressed of [this.stop, this.goOn, this.next, this.repeat, this.send, ...this.chips, ...this.dials, ...this.detail]) pressed.disabled = !live || doubted;
    DETAIL.forEach(([verbosity], at) => this.detail[at]?.setAttribute("aria-pressed", String(view.mode.verbosity === verbosity)));
    this.wrong.disabled = !live;
    setText(this.sendTeam, view.mode.asks === "approval" ? "Confirm: tell the team" : "Send to the team");
    this.sendTeam.hidden = this.keepTeam.hidden = !live || !asksForTeam(view.mode);
    setText(this.wrong, caseWords(this.step));
    setData(this.wrong, "step", this.step);
    setClass(this.wrong, this.step === "wrong_case" ? "quiet" : "primary");
    setClass(this.goOn, stopped ? "primary" : "quiet");
    setClass(this.stop, state === "asking" || !stopped ? "primary" : "quiet");
    this.refused.hidden = status.refused === "";
    setText(this.refused, status.refused);
  }

  focusAsk(): void {
    this.input.focus();
  }

  private async ask(): Promise<void> {
    const text = this.input.value.trim();
    if (!text || this.send.disabled) return;
    this.input.value = "";
    // What was not taken is not lost either, unless the reader has begun anew.
    if (!(await this.session().act("ask", { text })) && this.input.value === "") this.input.value = text;
  }

  private act(label: string, key: string, sign: Icon, kind: "stop" | "go_on" | "next" | "repeat", testId: string): HTMLButtonElement {
    const made = button("", "quiet", () => void this.session().act(kind), testId);
    made.append(icon(sign), label, keyHint(key));
    made.setAttribute("aria-keyshortcuts", key);
    return made;
  }
}

const OFFLINE: Readonly<Record<string, string>> = {
  connecting: "Joining…",
  connected: "One moment…",
  reconnecting: "Reconnecting…",
  lost: "Not connected",
  ended: "",
};

function setClass(element: HTMLElement, name: string): void {
  if (element.className !== name) element.className = name;
}
