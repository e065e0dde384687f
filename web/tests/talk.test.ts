import { describe, expect, test } from "vitest";
import type { Answer, Envelope } from "../src/protocol";
import { exchanges, liveTurn, MAX_ANSWERS, MAX_TURNS, rows } from "../src/state/talk";
import { EMPTY, reduce, type View } from "../src/state/view";
import { message, snapshot, turn } from "./messages";

const after = (...envelopes: Envelope[]): View => envelopes.reduce((view, envelope) => reduce(view, envelope, envelope.seq * 1_000), EMPTY);

const answer = (turn_id: string, more: object = {}): Answer =>
  ({ turn_id, utterance_id: `${turn_id}.answer`, question: "Any allergies?", found: true, topic: "allergies", sentences: [{ text: "Penicillin.", source: "case paper: allergies" }], model: "", on_page: [], outcome: "", ...more }) as Answer;

describe("turns", () => {
  test("a voice is there from its first sound, and its words when it was judged", () => {
    const view = after(message(1, "turn", turn("t1", "listening")), message(2, "turn", turn("t1", "deciding")));
    expect(liveTurn(view.turns, 2_500)?.phase).toBe("deciding");
    expect(exchanges(view.turns, view.answers)).toEqual([]);
    const judged = reduce(view, message(3, "turn", turn("t1", "decided", { text: "mm-hm", effect: "go_on", why: "ack_words" })), 3_000);
    expect(liveTurn(judged.turns, 3_000)).toBeNull();
    expect(exchanges(judged.turns, [])).toMatchObject([{ turn: { text: "mm-hm", effect: "go_on" }, answer: null }]);
  });

  test("one that goes on after it was judged at a pause keeps its words until it is judged anew", () => {
    const view = after(
      message(1, "turn", turn("t1", "decided", { text: "stop", effect: "quiet", why: "stop_words" })),
      message(2, "turn", turn("t1", "listening")),
    );
    expect(view.turns).toMatchObject([{ phase: "listening", text: "stop", effect: "quiet" }]);
    const anew = reduce(view, message(3, "turn", turn("t1", "decided", { text: "stop the heparin", effect: "not_acted_on" })), 0);
    expect(anew.turns).toMatchObject([{ phase: "decided", text: "stop the heparin", effect: "not_acted_on" }]);
  });

  test("words that were not meant for the voice go when the agent says so, and their verdict stays", () => {
    const judged = after(message(1, "turn", turn("t1", "decided", { text: "bed nine", effect: "go_on", why: "side_talk" })));
    const gone = reduce(judged, message(2, "turn", turn("t1", "forgotten")), 0);
    expect(gone.turns).toMatchObject([{ phase: "decided", text: "", effect: "go_on", why: "side_talk" }]);
    expect(reduce(gone, message(3, "turn", turn("t9", "forgotten")), 0).turns.length).toBe(1);
  });

  test("sounds in a row are one row, which stays the same as more come; words and answers stand alone", () => {
    const sound = (id: string, more: object = {}): object => turn(id, "decided", { effect: "go_on", why: "no_words", ...more });
    const told = [sound("t1"), sound("t2"), sound("t3", { text: "stop", effect: "quiet" }), sound("t4"), sound("t5", { why: "noisy" }), sound("t6", { why: "noisy", via: "button" })];
    const listed = (view: View): [string, number][] => rows(exchanges(view.turns, view.answers)).map(({ id, times }) => [id, times]);
    const view = after(...told.map((body, at) => message(at + 1, "turn", body)));
    expect(listed(view)).toEqual([["t6", 1], ["t5", 1], ["t4", 1], ["t3", 1], ["t1", 2]]);
    expect(listed(after(...["a", "b", "c"].map((id, at) => message(at + 1, "turn", sound(id)))))).toEqual([["a", 3]]);
  });

  test("a voice that nobody judges does not stay for ever", () => {
    const view = after(message(1, "turn", turn("t1", "deciding")));
    expect(liveTurn(view.turns, 8_900)).not.toBeNull();
    expect(liveTurn(view.turns, 9_000)).toBeNull();
  });

  test("a new worker hears no voice that the old one was hearing", () => {
    const view = after(message(1, "turn", turn("t1", "listening")), message(2, "turn", turn("t0", "decided", { effect: "go_on" })));
    expect(reduce(view, message(1, "hello", {}, 2), 0).turns.map(({ turn_id }) => turn_id)).toEqual(["t0"]);
  });

  test("a snapshot brings what was decided and leaves the voice that is heard", () => {
    const before = after(message(1, "turn", turn("old", "decided")), message(2, "turn", turn("now", "listening")));
    const told = snapshot({ turns: [turn("t1", "decided", { effect: "quiet" })], answers: [answer("q1")], mode: { mode: "quiet", waiting: 4 }, ears: { state: "muted", text: "" } });
    const view = reduce(before, message(3, "snapshot", told), 0);
    expect(view.turns.map(({ turn_id }) => turn_id)).toEqual(["t1", "now"]);
    expect(view).toMatchObject({ mode: { mode: "quiet", waiting: 4 }, ears: { state: "muted" }, answers: [{ turn_id: "q1" }] });
  });

  test("turns and answers are bounded", () => {
    let view = EMPTY;
    for (let seq = 1; seq <= 100; seq += 1) {
      view = reduce(view, message(seq * 2, "turn", turn(`t${seq}`, "decided")), 0);
      view = reduce(view, message(seq * 2 + 1, "answer", answer(`t${seq}`)), 0);
    }
    expect([view.turns.length, view.answers.length]).toEqual([MAX_TURNS, MAX_ANSWERS]);
    expect(view.turns.at(-1)?.turn_id).toBe("t100");
  });
});

describe("what was said and answered", () => {
  test("stands newest first, the answer with its question", () => {
    const view = after(
      message(1, "turn", turn("t1", "decided", { text: "Any allergies?", effect: "answer" })),
      message(2, "answer", answer("t1")),
      message(3, "turn", turn("t2", "decided", { via: "button", effect: "quiet" })),
    );
    expect(exchanges(view.turns, view.answers)).toMatchObject([
      { turn: { turn_id: "t2", via: "button" }, answer: null },
      { turn: { turn_id: "t1" }, answer: { found: true, sentences: [{ source: "case paper: allergies" }] } },
    ]);
  });

  test("an answer outlives its turn", () => {
    expect(exchanges([], [answer("gone")])).toMatchObject([{ turn: { turn_id: "gone", text: "Any allergies?", effect: "answer" }, answer: { turn_id: "gone" } }]);
  });

  test("an answer that comes again replaces itself", () => {
    const view = after(message(1, "answer", answer("t1")), message(2, "answer", answer("t1", { found: false })));
    expect(view.answers).toMatchObject([{ found: false }]);
  });
});

describe("what the agent says of itself", () => {
  test("a mode or an ear that this page has not misleads nobody", () => {
    expect(after(message(1, "mode", { mode: "dancing", waiting: -3 })).mode).toEqual({ mode: "free", waiting: 0, question: "", asks: "", rate: 1, volume_db: 0, verbosity: "normal" });
    expect(after(message(1, "ears", { state: "itching" })).ears).toEqual({ state: "none", text: "" });
    expect(after(message(1, "turn", { turn_id: "t" })).turns).toMatchObject([{ phase: "decided", via: "voice", confidence: 1 }]);
  });

  test("the store that is back, and ears that hear again, end the notices of their loss", () => {
    const codes = (view: View): string[] => view.notices.map(({ code }) => code);
    const gone = after(message(1, "notice", { code: "store_gone", text: "a" }), message(2, "notice", { code: "ears_failed", text: "b" }));
    expect(codes(gone)).toEqual(["store_gone", "ears_failed"]);
    const back = reduce(gone, message(3, "notice", { code: "store_back", text: "c" }), 0);
    expect(codes(back)).toEqual(["ears_failed", "store_back"]);
    expect(codes(reduce(back, message(4, "ears", { state: "failed" }), 0))).toContain("ears_failed");
    expect(codes(reduce(back, message(4, "ears", { state: "on" }), 0))).toEqual(["store_back"]);
    expect(codes(reduce(back, message(4, "snapshot", snapshot({ ears: { state: "failed" } })), 0))).toContain("ears_failed");
    expect(codes(reduce(back, message(4, "snapshot", snapshot({ ears: { state: "on" } })), 0))).toEqual(["store_back"]);
  });

  test("what was acknowledged and what is a replay is read from the utterance", () => {
    const body = { utterance_id: "a.r1", phase: "spoken", critical_key: "potassium", acknowledged: true, replays: "a" };
    expect(after(message(1, "utterance", body)).utterances.get("a.r1")).toMatchObject({ critical_key: "potassium", acknowledged: true, replays: "a" });
    expect(after(message(1, "utterance", { utterance_id: "b" })).utterances.get("b")).toMatchObject({ critical_key: null, acknowledged: false, replays: null });
  });
});
