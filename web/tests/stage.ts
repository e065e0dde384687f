/** A board without a room, for a real browser (tests/e2e/test_page_sizes.py): a debate of `experts`, its decision, and `alarms`. */
import "../src/styles/page.css";
import type { Session, Status } from "../src/session";
import { EMPTY, reduce, type View } from "../src/state/view";
import { Board } from "../src/ui/board";
import { message, segment, update, utterance } from "./messages";

const ROLES = ["cardiologist", "nephrologist", "pharmacist", "intensive care physician", "haematologist", "neurologist", "radiologist"];
const VIEWS = ["digoxin poisoning", "complete heart block of another cause, a pacemaker first", "digoxin poisoning by clarithromycin"];

const status: Status = {
  ...{ connection: "connected", listening: true, voice: true, sound: true, problem: "", elsewhere: false, lostAt_ms: null },
  ...{ silent: null, refused: "", after: null, version: null },
};

function* debate(experts: number): Generator<object> {
  const names = ROLES.slice(0, experts).map((role) => `The ${role}`);
  const step = (id: string, kind: string, agents: readonly string[], more: object = {}): object => ({ step_id: id, kind, text: "", detail: "", agents, round: null, share: null, ...more });
  yield step("0", "recruited", names, { text: `${names.join(", ")}.`, detail: names.join("; ") });
  for (const [at, name] of names.entries()) yield step(`o${at}`, "leading", [name], { detail: VIEWS[at % 3] });
  for (const round of [1, 2, 3]) {
    yield step(`r${round}`, "round", names, { round, text: `Round ${round}.` });
    for (const [at, name] of names.entries()) {
      yield step(`m${at}`, "message", [name, names[(at + 1) % experts] ?? name], { round, count: round, text: `${name} has written.` });
      yield step(`h${round}${at}`, "leading", [name], { round, detail: VIEWS[(at + round) % 3] });
    }
  }
  yield step("f", "final", ["The moderator"], { detail: "digoxin poisoning by clarithromycin" });
}

const FOUND = ["Gentamicin must not be given: it blocks the neuromuscular junction.", "Intravenous magnesium must not be given.", "Vital capacity is 0.9 litres, below 15 mL/kg: call intensive care now.", "Potassium is 6.9 mmol/L."];
const LONG = "The vital capacity has fallen from 1.9 litres at 23:00 to 0.9 litres at 02:00, and she is 61 kg, so that is below 15 mL/kg; call the intensive care team now for intubation, and use rocuronium, not suxamethonium.";

/** What is critical, and a long sentence that is being read. */
function* alarms(count: number): Generator<[string, object]> {
  for (const [at, text] of FOUND.slice(0, count).entries()) {
    yield ["update", update(7 + at, [{ item_id: `c${at}`, kind: "critical", urgency: "critical", text }], { path: "C" })];
    yield ["utterance", utterance(`c${at}`, "spoken", { item_id: `c${at}`, update_id: `u-${7 + at}`, kind: "critical", critical_key: `k${at}`, acknowledged: false, text })];
  }
  if (count === 0) return;
  yield ["utterance", utterance("long", "speaking", { update_id: "u-6", text: LONG })];
  yield ["segment", segment("long", 48_000, LONG)];
}

function view(experts: number, critical: number): View {
  const which_case = "Live, simulated case: man, 80. Scripted: Yellow rings and a pulse of 38.";
  const hello = { session_id: "s", case_id: "c", title: "Scripted: Yellow rings and a pulse of 38", which_case, agents: [], sample_rate_hz: 48_000, track_sid: "t", has_paper: true, grace_s: 300, reader: null, protocol: 1 };
  const bodies: [string, object][] = [["hello", hello], ["reasoning", { phase: "thinking", detail: "" }]];
  for (const number of [1, 2, 3, 4, 5, 6]) {
    bodies.push(["update", update(number)], ["utterance", utterance(`u-${number}.1`, "spoken", { update_id: `u-${number}` })]);
  }
  for (const step of debate(experts)) bodies.push(["step", step]);
  bodies.push(...alarms(critical));
  return bodies.reduce((seen: View, [type, body], at) => reduce(seen, message(at + 1, type, body), 0), EMPTY);
}

const asked = new URLSearchParams(location.hash.slice(1));
const experts = Number(asked.get("experts") ?? 3);
const seen = { ...view(experts, Number(asked.get("alarms") ?? 0)), known: "all" as const };
const session = { id: "s", title: "Scripted: Yellow rings and a pulse of 38", view: seen, status, mic: { state: "muted", words: "Microphone muted", mend: "", retry: false }, level: 0, position: null, graceLeft_ms: null, hears: true };
const board = new Board(() => session as unknown as Session, () => undefined, () => undefined);
document.body.replaceChildren(board.element);
board.changed();
