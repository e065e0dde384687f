/** Which key does what. Pure: the page asks with what it knows of the event. */

export type Act = "stop" | "go_on" | "next" | "repeat" | "acknowledge" | "mute" | "focus_ask";

export interface Press {
  readonly key: string;
  /** Ctrl, Alt or Meta is down: the browser's own. */
  readonly modified: boolean;
  /** Held down: came again. */
  readonly repeated: boolean;
  /** The target takes text. */
  readonly typing: boolean;
  /** The target does something on Enter itself: a button, a link, a summary. */
  readonly onControl: boolean;
  /** The voice was stopped and waits for "go on". */
  readonly stopped: boolean;
  /** Keys that write a character do something: else only Escape and Enter do. */
  readonly characters: boolean;
}

const KEYS: Readonly<Record<string, Act>> = {
  s: "stop",
  escape: "stop",
  g: "go_on",
  n: "next",
  r: "repeat",
  a: "acknowledge",
  m: "mute",
  "/": "focus_ask",
};

export function actOf(press: Press): Act | null {
  if (press.typing || press.modified || press.repeated) return null;
  if (press.key === "Enter") return press.stopped && !press.onControl ? "go_on" : null;
  if (press.key.length === 1 && !press.characters) return null;
  return KEYS[press.key.toLowerCase()] ?? null;
}
