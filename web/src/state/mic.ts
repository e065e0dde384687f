/** What the page says about the microphone, from what the browser gave and what the agent hears of it. Pure. */
import type { Ears } from "../protocol";

/** What the browser gave: not asked yet, asking, a live track, refused, no device, or a device that went. */
export type Capture = "off" | "asking" | "on" | "denied" | "none" | "lost";

export type MicState = Capture | "muted" | "silent" | "failed";

export interface Mic {
  readonly state: MicState;
  readonly words: string;
  /** What the reader can do about it. */
  readonly mend: string;
  /** "Try again" has a sense. */
  readonly retry: boolean;
}

const WORDS: Readonly<Record<MicState, readonly [string, string]>> = {
  off: ["Microphone off", "Turn it on to speak to the voice; the buttons do the same."],
  asking: ["Asking for the microphone", "Your browser is asking. The voice does not wait for it."],
  on: ["Microphone on", ""],
  muted: ["Muted", "The voice does not hear you."],
  denied: ["Microphone not allowed", "Allow it in your browser, by the sign left of the address, then try again. The buttons do the same."],
  none: ["No microphone", "None was found. The buttons do the same."],
  lost: ["Microphone gone", "It was unplugged or taken away. The buttons do the same."],
  silent: ["Microphone silent", "It gives no sound at all. Is it the right one, and switched on?"],
  failed: ["Not understood", "Your words are not made out at the moment. The buttons work."],
};

export function micOf(capture: Capture, muted: boolean, ears: Ears | null): Mic {
  const state = stateOf(capture, muted, ears);
  const [words, mend] = WORDS[state];
  const retry = ["off", "denied", "none", "lost", "silent"].includes(state);
  return { state, words, mend, retry };
}

function stateOf(capture: Capture, muted: boolean, ears: Ears | null): MicState {
  if (capture !== "on") return capture;
  if (muted) return "muted";
  return ears?.state === "silent" || ears?.state === "failed" ? ears.state : "on";
}
