/** What a session that is over still offers: to go on, and its report. Pure. */
import type { Standing } from "../net/api";

export interface After {
  /** Nobody came back in time, and the case can go on: the room ended, not the session. */
  readonly goesOn: boolean;
  /** How many items were still to be said; null: not known. */
  readonly unheard: number | null;
  /** Why it did not go on; empty: it was not tried, or is being tried. */
  readonly problem: string;
}

export const NOTHING_KNOWN: After = { goesOn: false, unheard: null, problem: "" };

/** What `standing` leaves to do; null: the session is not over, or its end is not noted yet. */
export function afterOf({ status, unheard }: Standing): After | null {
  if (status === "ABANDONED") return { goesOn: true, unheard, problem: "" };
  return status === "COMPLETED" ? { goesOn: false, unheard, problem: "" } : null;
}

/** What is left after a refusal: nothing if the session has ended for good or is gone, else another try. */
export function afterRefusal(after: After, code: string, message: string): After {
  const over = ["session_completed", "session_ended", "wrong_secret", "secret_expired"].includes(code);
  return { ...after, goesOn: after.goesOn && !over, problem: message };
}

/** What was not heard, in a sentence; empty: that is not known. */
export function unheardWords({ goesOn, unheard }: After): string {
  if (unheard === null) return "";
  if (unheard === 0) return goesOn ? "All that was ready had been read." : "";
  const things = unheard === 1 ? "One thing was not read aloud." : `${unheard} things were not read aloud.`;
  if (goesOn) return `${things} Nothing is lost.`;
  return `${things} The report has ${unheard === 1 ? "it" : "them"}.`;
}
