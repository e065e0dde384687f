import { describe, expect, test } from "vitest";
import { AGAIN_MS, BACK_AFTER_MS, type Clip, type Facts, look, QUIET, THINKING_AFTER_MS } from "../src/state/silence";

const HERE: Omit<Facts, "now" | "cameAt" | "lineAt"> = {
  connected: true,
  voice: true,
  speaking: false,
  asked: false,
  reasoning: "thinking",
  waiting: 0,
  microphone: true,
};

/** What is played while time passes in looks of 500 ms: each stretch lasts so long and has these facts. */
function played(...stretches: readonly (readonly [number, Partial<Facts>])[]): readonly (readonly [Clip, number])[] {
  const clips: [Clip, number][] = [];
  let [now, cameAt, silence] = [10_000, 10_000, QUIET];
  for (const [lasts, facts] of stretches) {
    for (const end = now + lasts; now < end; now += 500) {
      const flows = facts.connected !== false && facts.voice !== false && facts.cameAt === undefined;
      if (flows) cameAt = now;
      const [next, clip] = look(silence, { ...HERE, now, lineAt: cameAt, ...facts, cameAt: facts.cameAt ?? cameAt });
      silence = next;
      if (clip) clips.push([clip, now - 10_000]);
    }
  }
  return clips;
}

describe("the page speaks itself", () => {
  test("while all is well it says nothing", () => {
    expect(played([20_000, {}], [30_000, { speaking: true }], [20_000, {}])).toEqual([]);
  });

  test("before anything was heard it says nothing", () => {
    expect(played([60_000, { cameAt: 0 }])).toEqual([]);
  });

  test("sound that stops for two seconds is told, once a minute, and its end if the voice does not tell it", () => {
    const lost: Partial<Facts> = { connected: false };
    expect(played([5_000, {}], [1_500, lost], [5_000, {}])).toEqual([]);
    expect(played([5_000, {}], [20_000, lost], [10_000, { speaking: true }])).toEqual([["line-lost", 6_500]]);
    expect(played([5_000, {}], [AGAIN_MS + 5_000, lost], [5_000, {}])).toEqual([
      ["line-lost", 6_500],
      ["line-lost", 6_500 + AGAIN_MS],
      ["back", 5_000 + AGAIN_MS + 5_000 + BACK_AFTER_MS],
    ]);
  });

  test("sound that stands still in a room that is there is a lost line too", () => {
    expect(played([5_000, {}], [5_000, { cameAt: 14_500 }]).map(([clip]) => clip)).toEqual(["line-lost"]);
  });

  test("a voice that stands still on a line that answers is restarting", () => {
    const stopped = { cameAt: 14_500 };
    const answered = (at: number): readonly [number, Partial<Facts>] => [1_000, { ...stopped, lineAt: at }];
    const clips = played([5_000, {}], answered(15_000), answered(16_000), answered(17_000), answered(18_000));
    expect(clips.map(([clip]) => clip)).toEqual(["voice-restarting"]);
    const once = played([5_000, {}], [5_000, { ...stopped, lineAt: 15_000 }]);
    expect(once.map(([clip]) => clip)).toEqual(["line-lost"]);
  });

  test("a voice that is gone from the room is restarting; the voice itself tells that it is back", () => {
    const gone: Partial<Facts> = { voice: false };
    expect(played([5_000, {}], [8_000, gone], [1_000, {}], [5_000, { speaking: true }])).toEqual([["voice-restarting", 6_500]]);
  });

  test("a line that is lost and then found without its voice is not told twice", () => {
    const clips = played([5_000, {}], [8_000, { connected: false }], [8_000, { voice: false }]);
    expect(clips.map(([clip]) => clip)).toEqual(["line-lost"]);
  });

  test("who comes back to a session that is all said hears that", () => {
    const over: Partial<Facts> = { reasoning: "finished" };
    const clips = played([5_000, over], [8_000, { ...over, connected: false }], [90_000, over]);
    expect(clips.map(([clip]) => clip)).toEqual(["line-lost", "finished"]);
  });

  test("a long silence of the agents is told, not one that was asked for", () => {
    expect(played([THINKING_AFTER_MS + 2_000, {}]).map(([clip]) => clip)).toEqual(["still-thinking"]);
    expect(played([3 * THINKING_AFTER_MS, { asked: true }])).toEqual([]);
    expect(played([THINKING_AFTER_MS - 5_000, {}], [1_000, { speaking: true }], [THINKING_AFTER_MS - 5_000, {}])).toEqual([]);
  });

  test("a microphone that goes by itself is told, but not over the voice, and not late", () => {
    const off: Partial<Facts> = { microphone: false };
    expect(played([5_000, {}], [5_000, off])).toEqual([["microphone-off", 5_000]]);
    expect(played([5_000, {}], [2_000, { ...off, speaking: true }], [5_000, off])).toEqual([["microphone-off", 7_000]]);
    expect(played([5_000, {}], [9_000, { ...off, speaking: true }], [5_000, off])).toEqual([]);
    expect(played([20_000, off])).toEqual([]);
  });
});
