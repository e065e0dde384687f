/**
 * The one place where the agent's codes of effects and reasons (realtime/interruption/model.py) become plain words.
 * A code that this page has not is shown as it is.
 */
import type { Turn } from "../protocol";

export const EFFECT_WORDS: Readonly<Record<string, string>> = {
  go_on: "goes on",
  quiet: "stopped",
  wait: "waits for you",
  skip: "on to the next",
  resume: "goes on",
  repeat: "says it again",
  slower: "says it again, slower",
  faster: "speaks faster",
  louder: "says it again, louder",
  softer: "speaks more softly",
  usual_pace: "speaks at the usual pace",
  usual_volume: "speaks as loud as usual",
  previous: "says the one before",
  brief: "tells less from now on",
  full: "tells everything from now on",
  usual_detail: "tells as much as usual from now on",
  more: "tells more of this",
  here: "says that it hears you",
  how_long: "says what is left",
  spell: "spells it",
  wrong_case: "silent: asks whether this is the wrong case",
  confirm_wrong_case: "silent until this is the right case",
  right_case: "goes on with this case",
  answer: "answers",
  acknowledge: "acknowledged",
  ask: "asks “Stop, or go on?”",
  not_acted_on: "not acted on",
  approve: "asks you to confirm; nothing is ordered",
  ask_team: "asks whether to send it to the team",
  send_to_team: "sent to the team",
  keep_from_team: "nothing sent",
  refuse_order: "no order given, none passed on",
};

export const WHY_WORDS: Readonly<Record<string, string>> = {
  no_words: "no words were made out",
  echo: "these were the voice’s own words, heard back",
  noisy: "the room is noisy, and only stop, wait, next, repeat and go on count",
  side_talk: "nothing in it was for the voice",
  unsure: "too short to be sure of",
  unsure_twice: "a second short sound that could not be made out",
  ack_words: "only a sign of listening",
  critical_acknowledged: "the critical finding was noted",
  answer_yes: "yes, to its question",
  answer_no: "no, to its question",
  go_on_words: "you asked it to go on",
  stop_words: "you asked it to be quiet",
  wait_words: "you asked it to wait",
  skip_words: "you asked for the next",
  command_first: "it began with a command, and the rest was not made out",
  command_with_reason: "a command, with a reason that is not about the case",
  repeat_words: "you asked to hear it again",
  dial_words: "you asked for another pace or loudness",
  previous_words: "you asked for the one before",
  detail_words: "you asked to be told less, or more",
  more_words: "you asked for more of this",
  here_words: "you asked whether it hears you",
  how_long_words: "you asked how much is left",
  spell_words: "you asked for a word to be spelled",
  not_wanted: "you asked it not to do something that it was not doing",
  to_people: "said to somebody in the room",
  wrong_case: "this may be the wrong case",
  confirmed: "you confirmed that it is the wrong case",
  right_case: "it is the right case after all",
  case_in_doubt: "the case was called the wrong one, and nothing else counts",
  bare_question: "a short question about what was just said",
  question: "a question",
  topic: "something of the case was named: taken as a question about it",
  objection: "an objection: answered with where it comes from",
  addressed: "said to the voice",
  name_alone: "called by name and nothing more",
  order_to_people: "an order to people, passed on to nobody",
  order_to_us: "an order to the voice, which gives none",
  one_word_order: "one word orders or approves nothing",
  approval_named: "something that the team recommends was approved",
  for_team: "it was for the team",
  remark: "a remark on the case, not a question",
};

const BUTTONS: Readonly<Record<string, string>> = {
  quiet: "Stop",
  wait: "Wait",
  resume: "Go on",
  skip: "Next",
  repeat: "Repeat",
  slower: "Slower",
  faster: "Faster",
  louder: "Louder",
  softer: "Softer",
  usual_pace: "Usual pace",
  usual_volume: "Usual volume",
  acknowledge: "Got it",
  previous: "Previous",
  brief: "Brief",
  full: "Everything",
  usual_detail: "Usual detail",
  wrong_case: "Wrong patient",
  confirm_wrong_case: "Confirm: wrong patient",
  right_case: "Right patient",
  send_to_team: "Send to the team",
  keep_from_team: "Don’t send",
};

export interface Told {
  /** What was heard, in quotation marks, or what was pressed. */
  readonly heard: string;
  /** What the voice does about it; empty: nothing to add. */
  readonly effect: string;
  readonly why: string;
  /** How it is to be shown: what changed the speech stands out, what did not stays faint. */
  readonly weight: "faint" | "plain" | "warn";
}

const FAINT = new Set(["go_on"]);
const WARN = new Set(["not_acted_on", "refuse_order", "ask"]);

export function toldOf(turn: Turn): Told {
  if (turn.phase !== "decided") {
    return { heard: turn.phase === "listening" ? "Hearing you…" : "One moment…", effect: "", why: "", weight: "faint" };
  }
  const weight = WARN.has(turn.effect) ? "warn" : FAINT.has(turn.effect) ? "faint" : "plain";
  const effect = turn.reply ? `says: “${turn.reply}”` : (EFFECT_WORDS[turn.effect] ?? turn.effect);
  const why = WHY_WORDS[turn.why] ?? turn.why;
  if (turn.via === "button") return { heard: `${BUTTONS[turn.effect] ?? "Button"} pressed`, effect: "", why: "", weight };
  const wordless = turn.why === "" || turn.why === "no_words" ? "A sound" : "Something was said";
  return { heard: turn.text ? `“${turn.text}”` : wordless, effect, why: turn.via === "text" ? "" : why, weight };
}

/** The same in one line: “mm-hm” — goes on: only a sign of listening. */
export function lineOf(turn: Turn): string {
  const { heard, effect, why } = toldOf(turn);
  const rest = [effect, why].filter(Boolean).join(": ");
  return rest ? `${heard} — ${rest}` : heard;
}
