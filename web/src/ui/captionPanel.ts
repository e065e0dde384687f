/** The large caption. Not a live region: the voice itself says these words. */
import type { Status } from "../session";
import { captionAt, type Caption } from "../state/caption";
import { liveTurn } from "../state/talk";
import type { View } from "../state/view";
import { h, setData, setText } from "./dom";
import { kindWords, phaseWords } from "./words";

export class CaptionPanel {
  private readonly label = h("p", { class: "caption-label" });
  /** At once when a voice is heard: that the reader is listened to, or what it was taken for is being made out. */
  private readonly hearing = h("p", { class: "hearing", "data-testid": "hearing", hidden: true });
  private readonly said = h("span", { class: "said" });
  private readonly clause = h("span", { class: "clause" });
  private readonly ahead = h("span", { class: "ahead" });
  private readonly text = h("p", { class: "caption-text" }, this.said, this.clause, this.ahead);
  readonly element = h(
    "section",
    { class: "caption", "aria-label": "Caption", "aria-live": "off", "data-testid": "caption" },
    h("div", { class: "caption-head" }, this.label, this.hearing),
    this.text,
  );
  private shown = "";
  private words: readonly HTMLElement[] = [];

  /** Called about 40 times a second: touches only what changed. */
  update(view: View, status: Status, sample: number | null): void {
    this.hear(view);
    const caption = captionAt(view, sample);
    if (!caption) return this.idle(view, status);
    if (caption.clause !== this.shown) this.write(caption);
    setText(this.said, caption.said ? `${caption.said} ` : "");
    setText(this.ahead, caption.ahead ? ` ${caption.ahead}` : "");
    this.words.forEach((word, at) => setData(word, "now", at === caption.now ? "true" : "false"));
    setText(this.label, label(view, caption));
    setData(this.element, "length", lengthOf(caption));
    setData(this.element, "state", caption.state);
    setData(this.element, "critical", caption.utterance?.kind === "critical" ? "true" : "false");
  }

  private hear(view: View): void {
    const phase = liveTurn(view.turns, performance.now())?.phase ?? "";
    if (this.hearing.dataset["phase"] === phase) return;
    setData(this.hearing, "phase", phase);
    this.hearing.hidden = phase === "";
    setText(this.hearing, phase === "listening" ? "Hearing you" : phase === "deciding" ? "One moment" : "");
  }

  private write(caption: Caption): void {
    this.shown = caption.clause;
    this.words = caption.words.map((word) => h("span", { class: "word" }, word.text));
    this.clause.replaceChildren(...this.words.flatMap((word, at) => (at ? [" ", word] : [word])));
  }

  private idle(view: View, status: Status): void {
    this.shown = "";
    this.words = [];
    setData(this.element, "state", "idle");
    setData(this.element, "length", "short");
    setData(this.element, "critical", "false");
    setText(this.label, "");
    setText(this.said, "");
    setText(this.ahead, "");
    setText(this.clause, idleWords(view, status));
  }
}

/** The longer, the smaller: a sentence of the voice stands on the page without scrolling. */
function lengthOf({ said, words, ahead }: Caption): "short" | "long" | "very_long" {
  const chars = said.length + ahead.length + words.reduce((sum, word) => sum + word.text.length + 1, 0);
  return chars > 260 ? "very_long" : chars > 120 ? "long" : "short";
}

function label(view: View, caption: Caption): string {
  const { utterance } = caption;
  if (!utterance) return "";
  const number = view.updates.find((update) => update.update_id === utterance.update_id)?.number;
  const state = caption.state === "paused" ? phaseWords(utterance) : caption.state === "over" ? "Last read" : "Reading";
  return [state, number ? `Update ${number}` : "", kindWords(utterance.kind)].filter(Boolean).join(" · ");
}

function idleWords(view: View, status: Status): string {
  if (status.connection === "ended") return "The session has ended.";
  if (status.connection === "lost") return "Nothing can be heard: the connection is lost.";
  if (status.connection !== "connected") return "Joining the audio room…";
  if (!status.sound) return "Your browser is holding the sound back.";
  if (!status.voice) return "Waiting for the voice to join…";
  if (!status.listening) return "The voice is here. One moment…";
  if (view.reasoning.phase === "finished") return "The reasoning has finished.";
  if (view.reasoning.phase === "failed") return "The reasoning has failed. What was found is on this page.";
  return "Listening. What should not wait will be read aloud.";
}
