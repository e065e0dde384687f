/** Teams of ours over HTTP: what one can be started with, starting it, and wanting no more of it. */
import { call, type NewSession } from "./api";

export interface TeamModel {
  readonly name: string;
  /** Where the words go. */
  readonly host: string;
  readonly stays_here: boolean;
  readonly problem: string | null;
}
export interface Teams {
  readonly teams: readonly { readonly name: string; readonly about: string }[];
  readonly models: readonly TeamModel[];
  readonly scripted: readonly { readonly name: string; readonly title: string; readonly teams: readonly string[] }[];
  /** What else is not on this machine and gets words of a session. */
  readonly leaves: readonly string[];
}

/** Which team is to reason about what: a scripted case, or one of the reader's own with a model. */
export interface Wanted {
  readonly team: string;
  readonly scripted?: string;
  readonly case?: string | object;
  readonly model?: string;
  readonly stays_here: boolean;
  /** All of the text is about one patient: the reader said so after `two_patients`. */
  readonly one_patient?: boolean;
}

export async function listTeams(): Promise<Teams> {
  const found = (await call("GET", "/teams")) as Partial<Teams>;
  return { teams: listed(found.teams), models: listed(found.models), scripted: listed(found.scripted), leaves: listed(found.leaves) };
}

export const startTeam = async (wanted: Wanted): Promise<NewSession> => (await call("POST", "/teams", { body: wanted })) as NewSession;

/** The clinician wants no more of the team: it stops, and the session goes on with what was said. */
export const endTeam = async (session_id: string, secret: string): Promise<void> => {
  await call("POST", `/sessions/${encodeURIComponent(session_id)}/ask`, { secret, body: { kind: "cancelled" } });
};

const listed = <T>(found: readonly T[] | undefined): readonly T[] => (Array.isArray(found) ? found : []);
