import { describe, expect, test } from "vitest";
import type { Envelope, Summary } from "../src/protocol";
import { captionAt } from "../src/state/caption";
import { criticals, current, findRead, shownUpdate, utteranceOf, withoutSound } from "../src/state/reading";
import { EMPTY, reduce, type View } from "../src/state/view";
import { message, segment, update, utterance } from "./messages";

const after = (...bodies: [string, object][]): View =>
  bodies.map(([type, body], at): Envelope => message(at + 1, type, body)).reduce((view, envelope) => reduce(view, envelope, 0), EMPTY);

const summary = (more: Partial<Summary>): Summary => ({
  status_action: "",
  key_findings: "",
  differential_rationale: "",
  uncertainty_confidence: "",
  recommendation_next_step: "",
  agent_contributions: "",
  ...more,
});

describe("what is being read", () => {
  test("a critical finding that speaks has the voice, not the item that it holds", () => {
    const view = after(["utterance", utterance("a", "held", { cause: "critical" })], ["utterance", utterance("c", "speaking", { kind: "critical" })]);
    expect(current(view)?.utterance_id).toBe("c");
  });

  test("the summary shown is the one being read, then the one last read, then the newest", () => {
    const both: [string, object][] = [["update", update(1)], ["update", update(2)]];
    expect(shownUpdate(EMPTY)).toBeNull();
    expect(shownUpdate(after(...both))).toMatchObject({ update: { number: 2 }, why: "newest" });
    const reading = after(...both, ["utterance", utterance("a", "speaking", { update_id: "u-1" })]);
    expect(shownUpdate(reading)).toMatchObject({ update: { number: 1 }, why: "reading" });
    const read = after(...both, ["utterance", utterance("a", "spoken", { update_id: "u-1" })]);
    expect(shownUpdate(read)).toMatchObject({ update: { number: 1 }, why: "last_read" });
  });

  test("a replay is the state of the item that it replays", () => {
    const view = after(
      ["update", update(1, [{ item_id: "i.1" }])],
      ["utterance", utterance("i.1", "cut", { item_id: "i.1" })],
      ["utterance", utterance("i.1.r1", "speaking", { item_id: "i.1" })],
    );
    const item = view.updates[0]?.items[0];
    expect(item && utteranceOf(view, item)?.utterance_id).toBe("i.1.r1");
  });

  test("critical findings stand newest first, the same words once", () => {
    const view = after(
      ["update", update(1, [{ item_id: "a", text: "Potassium 6.9.", urgency: "critical" }])],
      ["update", update(2, [{ item_id: "b", text: "Calm.", urgency: "routine" }, { item_id: "c", text: "QRS 152.", kind: "CRITICAL" }])],
      ["update", update(3, [{ item_id: "d", text: "Potassium 6.9.", urgency: "critical" }])],
    );
    expect(criticals(view).map(({ item }) => item.item_id)).toEqual(["d", "c"]);
  });
});

describe("the sentence that the voice is at", () => {
  const fields = summary({
    key_findings: "Creatinine 318. Potassium 6.9 mmol/L, not haemolysed; QRS 152 ms.",
    recommendation_next_step: "Calcium gluconate 10%, 30 mL over 10 minutes. Repeat the ECG.",
  });

  test("is found word for word, whatever its case and full stop", () => {
    const found = findRead(fields, "repeat the ECG");
    expect(found && fields[found.field].slice(found.start, found.end)).toBe("Repeat the ECG");
  });

  test("is found by its words when the spoken form is shorter", () => {
    const found = findRead(fields, "Potassium 6.9, not haemolysed.");
    expect(found && fields[found.field].slice(found.start, found.end)).toBe("Potassium 6.9 mmol/L, not haemolysed;");
  });

  test("is not guessed when too little agrees", () => {
    expect(findRead(fields, "Doctor One withdraws obstruction.")).toBeNull();
    expect(findRead(fields, "Potassium is low and falling quickly again.")).toBeNull();
    expect(findRead(fields, "ok")).toBeNull();
  });
});

describe("the caption", () => {
  const view = after(
    ["utterance", utterance("a", "speaking", { text: "Critical: potassium 6.9, not haemolysed." })],
    ["segment", segment("a", 48_000, "Critical:", 0)],
    ["segment", segment("a", 60_000, "potassium 6.9,", 1)],
  );

  test("follows the sound: the clause before, the word now, the rest to come", () => {
    const caption = captionAt(view, 60_000 + 4_800);
    expect(caption).toMatchObject({ said: "Critical:", now: 1, ahead: "not haemolysed.", state: "reading" });
    expect(caption?.words.map((word) => word.text)).toEqual(["potassium", "6.9,"]);
  });

  test("does not run ahead: a clause that was sent but not yet heard is not shown", () => {
    expect(captionAt(view, 47_999)).toBeNull();
    expect(captionAt(view, 59_999)).toMatchObject({ said: "", now: null });
    expect(captionAt(view, null)).toBeNull();
  });

  test("says that the utterance is paused or over", () => {
    const held = reduce(view, message(9, "utterance", utterance("a", "held", { cause: "user" })), 0);
    expect(captionAt(held, 61_000)?.state).toBe("paused");
    const spoken = reduce(view, message(9, "utterance", utterance("a", "spoken")), 0);
    expect(captionAt(spoken, 61_000)?.state).toBe("reading");
    expect(captionAt(spoken, 99_000)).toMatchObject({ state: "over", now: null });
  });
});

describe("when nothing can be heard", () => {
  const view = after(
    ["utterance", utterance("a", "speaking")],
    ["utterance", utterance("b", "queued")],
    ["utterance", utterance("c", "spoken")],
  );
  const phases = (shown: View): (string | null)[][] => [...shown.utterances.values()].map(({ phase, cause }) => [phase, cause]);

  test("a lost line pauses what was being read and leaves the rest waiting", () => {
    expect(phases(withoutSound(view, "lost"))).toEqual([["held", "listener"], ["queued", null], ["spoken", null]]);
  });

  test("a voice that is restarting pauses it too, and says so", () => {
    expect(phases(withoutSound(view, "restarting"))[0]).toEqual(["held", "takeover"]);
  });

  test("after the end nothing is being read or waiting", () => {
    expect(phases(withoutSound(view, "ended"))).toEqual([["cut", null], ["cancelled", null], ["spoken", null]]);
  });
});
