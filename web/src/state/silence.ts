/**
 * Decides when the page itself says, by a short clip, why nothing is heard against its reader's will. Pure: from the
 * state now and what was said before to the clip to play. Times are this page's monotonic clock, in ms.
 */

export const CLIPS = ["line-lost", "back", "voice-restarting", "still-thinking", "finished", "microphone-off"] as const;
export type Clip = (typeof CLIPS)[number];

/** Sound, or its silence, comes all the time: after so long without any, something is broken. */
export const STOPPED_MS = 2_000;
/** Bytes come at least once a second while the line is there: after so long without any it is not. */
export const LINE_MS = 1_250;
/** A loss that lasts is told again. */
export const AGAIN_MS = 60_000;
/** After a loss the voice begins by itself; if it has nothing to say, the page does. */
export const BACK_AFTER_MS = 1_500;
/** While the agents think and nothing is said: longer than the pauses that the voice keeps on purpose. */
export const THINKING_AFTER_MS = 45_000;
/** News that could not be told in time is dropped. */
const STALE_MS = 5_000;

export interface Facts {
  readonly now: number;
  /** The room: in it, or on the way back to it. */
  readonly connected: boolean;
  /** The voice's track is there. */
  readonly voice: boolean;
  /** When sound, or its silence, came last; 0: never. */
  readonly cameAt: number;
  /** When anything came over the line last, sound or not; 0: never. */
  readonly lineAt: number;
  /** The voice speaks now. */
  readonly speaking: boolean;
  /** The reader asked for silence, or we wait for an answer. */
  readonly asked: boolean;
  readonly reasoning: "waiting" | "thinking" | "finished" | "failed";
  /** How many utterances wait. */
  readonly waiting: number;
  /** The microphone gives sound, or could: false when it went by itself. */
  readonly microphone: boolean;
}

export interface Silence {
  /** The loss that was told of last, and when; null: none, or it is over. */
  readonly lost: { readonly clip: Clip; readonly at: number } | null;
  /** Since when sound comes again after a loss that was told of; null: nothing to tell. */
  readonly backAt: number | null;
  readonly spokeAt: number;
  readonly microphone: boolean;
  /** When the microphone went, if that is not told yet. */
  readonly micLostAt: number | null;
}

export const QUIET: Silence = { lost: null, backAt: null, spokeAt: 0, microphone: false, micLostAt: null };

/** What is so after a look, and the clip to play now, if any. */
export function look(before: Silence, facts: Facts): readonly [Silence, Clip | null] {
  if (facts.cameAt === 0) return [{ ...before, spokeAt: facts.now }, null]; // nothing was heard yet: the page says so in words
  if (!facts.connected || facts.now - facts.cameAt >= STOPPED_MS) return stopped(before, facts);
  return flowing(heard(before, facts), facts);
}

function stopped(before: Silence, facts: Facts): readonly [Silence, Clip | null] {
  if (facts.now - facts.cameAt < STOPPED_MS) return [before, null];
  const answers = facts.connected && (!facts.voice || facts.now - facts.lineAt < LINE_MS);
  const clip: Clip = answers ? "voice-restarting" : "line-lost";
  const { lost } = before;
  const told = lost !== null && (lost.clip === clip || lost.clip === "line-lost") && facts.now - lost.at < AGAIN_MS;
  if (told) return [{ ...before, backAt: null }, null];
  return [{ ...before, lost: { clip, at: facts.now }, backAt: null }, clip];
}

/** What is noted while sound comes, whatever is told. */
function heard(before: Silence, facts: Facts): Silence {
  const { now } = facts;
  const went = before.microphone && !facts.microphone;
  return {
    lost: null,
    backAt: facts.speaking ? null : (before.backAt ?? (before.lost ? now : null)),
    spokeAt: facts.speaking || facts.asked || before.lost || before.spokeAt === 0 ? now : before.spokeAt,
    microphone: facts.microphone,
    micLostAt: facts.microphone ? null : went ? now : before.micLostAt,
  };
}

function flowing(silence: Silence, facts: Facts): readonly [Silence, Clip | null] {
  const { now } = facts;
  const micLostAt = silence.micLostAt !== null && now - silence.micLostAt < STALE_MS ? silence.micLostAt : null;
  const noted: Silence = { ...silence, micLostAt };
  if (facts.speaking) return [noted, null];
  if (micLostAt !== null) return [{ ...noted, micLostAt: null, spokeAt: now }, "microphone-off"];
  if (noted.backAt !== null && now - noted.backAt >= BACK_AFTER_MS) {
    const over = facts.reasoning === "finished" && facts.waiting === 0;
    return [{ ...noted, backAt: null, spokeAt: now }, over ? "finished" : "back"];
  }
  const long = facts.reasoning === "thinking" && !facts.asked && now - noted.spokeAt >= THINKING_AFTER_MS;
  return long ? [{ ...noted, spokeAt: now }, "still-thinking"] : [noted, null];
}
