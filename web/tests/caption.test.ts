import { describe, expect, test } from "vitest";
import type { Envelope } from "../src/protocol";
import { sampleByArrival } from "../src/sound/clock";
import { captionAt } from "../src/state/caption";
import { Follower } from "../src/state/follow";
import { EMPTY, reduce, type View } from "../src/state/view";
import { message, segment, snapshot, utterance } from "./messages";

const TEXT = "Potassium 6.9. I repeat: potassium 6.9 now.";
const WORD = 4_800;

const after = (...bodies: [string, object][]): View => more(EMPTY, ...bodies);
const more = (view: View, ...bodies: [string, object][]): View =>
  bodies.map(([type, body], at): Envelope => message(at + 1, type, body)).reduce((v, envelope) => reduce(v, envelope, 1_000), view);

describe("what stands around a clause", () => {
  test("a clause that goes on after a hold shows what was said of it before", () => {
    const view = after(
      ["utterance", utterance("a", "speaking", { text: TEXT })],
      ["segment", segment("a", 0, "Potassium 6.9.", 0)],
      ["segment", segment("a", 10_000, "I repeat: potassium 6.9 now.", 1)],
      ["segment", segment("a", 90_000, "potassium 6.9 now.", 1)],
    );
    expect(captionAt(view, 90_000)).toMatchObject({ said: "Potassium 6.9. I repeat:", ahead: "", now: 0 });
  });

  test("words that stand twice in the sentence are found at their own place", () => {
    const twice = "Give calcium now. Give calcium again.";
    const view = after(
      ["utterance", utterance("a", "speaking", { text: twice })],
      ["segment", segment("a", 0, "Give calcium now.", 0)],
      ["segment", segment("a", 20_000, "Give calcium again.", 1)],
    );
    expect(captionAt(view, 20_000)).toMatchObject({ said: "Give calcium now.", ahead: "" });
    expect(captionAt(view, 0)).toMatchObject({ said: "", ahead: "Give calcium again." });
  });

  test("after a reload the clauses before it may be missing, and its sentence is whole all the same", () => {
    const view = after(["snapshot", snapshot({ utterances: [utterance("a", "held", { text: TEXT })], segments: [segment("a", 50_000, "I repeat:", 1)] })]);
    expect(captionAt(view, 50_000 + WORD)).toMatchObject({ said: "Potassium 6.9.", ahead: "potassium 6.9 now.", now: 1, state: "paused" });
  });

  test("words that are not the text's are shown without a guess at the rest", () => {
    const view = after(["utterance", utterance("a", "speaking", { text: "Six point nine." })], ["segment", segment("a", 0, "6.9.", 0)]);
    expect(captionAt(view, 0)).toMatchObject({ said: "", ahead: "" });
  });

  test("what was dropped is over at once, even inside a word", () => {
    const view = after(["utterance", utterance("a", "cancelled", { text: TEXT })], ["segment", segment("a", 0, "Potassium 6.9.", 0)]);
    expect(captionAt(view, WORD)).toMatchObject({ state: "over", now: null });
  });
});

describe("the caption while the sound goes on beneath it", () => {
  const speaking = after(
    ["utterance", utterance("a", "speaking", { text: TEXT })],
    ["segment", segment("a", 48_000, "Potassium 6.9. I repeat: potassium 6.9 now.", 0)],
  );
  const held = more(speaking, ["utterance", utterance("a", "held", { cause: "voice" })]);
  const HEARD_AT = 48_000 + WORD;
  const STOPPED_AT = HEARD_AT + 12_000; // 250 ms were on their way

  test("goes with the sound", () => {
    const follower = new Follower();
    expect(follower.at(speaking, null)).toBeNull();
    expect(follower.at(speaking, 60_000)).toBe(60_000);
    expect(follower.at(speaking, 70_000)).toBe(70_000);
  });

  test("stands still at the held word while the track carries silence", () => {
    const follower = new Follower();
    follower.at(speaking, HEARD_AT - 100);
    expect(follower.at(held, HEARD_AT)).toBe(HEARD_AT);
    expect(follower.at(held, 400_000)).toBe(STOPPED_AT);
    expect(follower.at(held, null)).toBe(STOPPED_AT);
  });

  test("goes on when the clause that goes on reaches the ear, not when the news of it comes", () => {
    const follower = new Follower();
    follower.at(held, HEARD_AT);
    const again = more(held, ["utterance", utterance("a", "speaking")], ["segment", segment("a", 500_000, "6.9. I repeat: potassium 6.9 now.", 0)]);
    expect(follower.at(again, 495_000)).toBe(STOPPED_AT);
    expect(follower.at(again, 501_000)).toBe(501_000);
  });

  test("comes back to the held word after a critical finding that went between", () => {
    const follower = new Follower();
    follower.at(held, HEARD_AT);
    const critical = more(held, ["utterance", utterance("c", "speaking", { kind: "critical" })], ["segment", segment("c", 200_000, "Critical: now.", 0)]);
    expect(follower.at(critical, 202_000)).toBe(202_000);
    const done = more(critical, ["utterance", utterance("c", "spoken")]);
    expect(follower.at(done, 260_000)).toBe(STOPPED_AT);
    const next = more(done, ["utterance", utterance("a", "speaking")], ["segment", segment("a", 300_000, "6.9. I repeat:", 0)]);
    expect(follower.at(next, 299_000)).toBe(STOPPED_AT);
    expect(follower.at(next, 300_000)).toBe(300_000);
  });

  const answer = utterance("q", "speaking", { kind: "answer", text: "On the allergies: penicillin." });
  const ANSWERED = segment("q", 200_000, "On the allergies: penicillin.", 0);

  test.each([
    ["its hold was not seen until an answer had been read", ["utterance", { ...answer, phase: "spoken" }]],
    ["an answer was held, and dropped", ["utterance", { ...answer, phase: "cancelled" }]],
  ] as [string, [string, object]][])("the held one keeps a place of its own where %s", (_, over) => {
    const follower = new Follower();
    follower.at(speaking, HEARD_AT);
    const both = more(held, ["utterance", answer], ["segment", ANSWERED]);
    follower.at(both, 205_000);
    const paused = more(both, ["utterance", { ...answer, phase: "held", cause: "voice" }]);
    if (over[1] && (over[1] as { phase: string }).phase === "cancelled") follower.at(paused, 206_000);
    const done = more(both, over);
    for (const [n, start] of [400_000, 900_000, 1_500_000].entries()) {
      const sounds = more(done, ["utterance", utterance(`n${n}`, "speaking")], ["segment", segment(`n${n}`, start, "New words here.", 0)]);
      expect(captionAt(sounds, follower.at(sounds, start + 100))?.utterance?.utterance_id).toBe(`n${n}`);
      const read = more(sounds, ["utterance", utterance(`n${n}`, "spoken")]);
      expect(captionAt(read, follower.at(read, start + 60_000))).toMatchObject({ utterance: { utterance_id: "a" }, state: "paused" });
    }
  });

  test.each(["reload", "never sounded"])("a held one of which no clause is known (%s) pulls the caption back to nothing older", (why) => {
    const follower = new Follower();
    const kept = why === "reload" ? ["snapshot", snapshot({ utterances: [utterance("a", "held"), { ...answer, phase: "spoken" }], segments: [ANSWERED] })] : null;
    const came = kept ? after(kept as [string, object]) : after(["utterance", utterance("a", "held")], ["utterance", { ...answer, phase: "spoken" }], ["segment", ANSWERED]);
    follower.at(came, 230_000);
    const next = more(came, ["utterance", utterance("n", "speaking")], ["segment", segment("n", 600_000, "New words here.", 0)]);
    follower.at(next, 601_000);
    const read = more(next, ["utterance", utterance("n", "spoken")]);
    expect(captionAt(read, follower.at(read, 700_000))).toMatchObject({ utterance: { utterance_id: "n" }, state: "over" });
  });

  test("begins where the former page had come to, until something new sounds", () => {
    const follower = new Follower();
    follower.restore({ epoch: 1, sample: HEARD_AT });
    expect(follower.at(EMPTY, null)).toBeNull();
    const restored = after(["snapshot", snapshot({ utterances: [utterance("a", "held")], segments: [segment("a", 48_000, "Potassium 6.9.", 0)] })]);
    expect(sampleByArrival(restored.segments, 2_000)).toBeNull();
    expect(follower.at(restored, null)).toBe(HEARD_AT);
    const welcome = more(restored, ["utterance", utterance("w", "speaking", { kind: "welcome" })], ["segment", segment("w", 700_000, "Welcome back.", 0)]);
    expect(follower.at(welcome, 699_000)).toBe(HEARD_AT);
    expect(follower.at(welcome, 700_000)).toBe(700_000);
  });

  test("forgets places of another worker's track", () => {
    const follower = new Follower();
    follower.restore({ epoch: 1, sample: HEARD_AT });
    const successor = reduce(EMPTY, message(1, "snapshot", snapshot(), 2), 0);
    expect(follower.at(successor, null)).toBeNull();
  });
});
