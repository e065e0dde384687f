import { describe, expect, test } from "vitest";
import { afterOf, afterRefusal, unheardWords } from "../src/state/after";

const abandoned = afterOf({ status: "ABANDONED", unheard: 3 });

describe("a session that is over", () => {
  test("goes on if nobody came back in time, and not if it was ended for good", () => {
    expect(abandoned?.goesOn).toBe(true);
    expect(afterOf({ status: "COMPLETED", unheard: 3 })?.goesOn).toBe(false);
    expect(afterOf({ status: "IN_PROGRESS", unheard: null })).toBeNull();
  });

  test("says what was not heard, and never that something was lost that was not", () => {
    expect(unheardWords({ goesOn: true, unheard: 3, problem: "" })).toBe("3 things were not read aloud. Nothing is lost.");
    expect(unheardWords({ goesOn: false, unheard: 1, problem: "" })).toBe("One thing was not read aloud. The report has it.");
    expect(unheardWords({ goesOn: true, unheard: 0, problem: "" })).toBe("All that was ready had been read.");
    expect(unheardWords({ goesOn: true, unheard: null, problem: "" })).toBe("");
  });

  test("is offered again after a refusal that may pass, and not after one that does not", () => {
    if (!abandoned) throw new Error("abandoned");
    expect(afterRefusal(abandoned, "too_many_sessions", "4 are open")).toEqual({ ...abandoned, problem: "4 are open" });
    expect(afterRefusal(abandoned, "unreachable", "")).toHaveProperty("goesOn", true);
    expect(afterRefusal(abandoned, "session_completed", "ended")).toHaveProperty("goesOn", false);
    expect(afterRefusal(abandoned, "session_ended", "gone")).toHaveProperty("goesOn", false);
  });
});
