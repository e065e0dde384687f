/** The HTTP half of docs/protocol.md. Every failure is an ApiError whose message can be shown. */
import type { Draft } from "../ui/paperDraft";
import { keepKey, key } from "./key";

export interface CaseEntry {
  readonly case_id: string;
  readonly title: string;
  readonly words: number;
  readonly duration_s: number;
  readonly agents: readonly string[];
  readonly problem: string | null;
}
export interface Ticket {
  readonly token: string;
  readonly livekit_url: string;
}
export interface NewSession extends Ticket {
  readonly session_id: string;
  readonly client_secret: string;
}

const DEADLINE_MS = 15_000;
const DRAFT_DEADLINE_MS = 610_000; // the server gives a model 600 s for a paper

/** `status` 0: the server was not reached. `gone`: this session can't be entered any more. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly code: string,
  ) {
    super(message);
    this.name = "ApiError";
  }
  get gone(): boolean {
    return [401, 409, 410].includes(this.status);
  }
  /** The server wants a key to open sessions with, and this tab has none that is good. */
  get keyless(): boolean {
    return ["no_key", "wrong_key", "key_expired"].includes(this.code);
  }
  /** This browser's secret for the session is not valid: only this answer has the page forget it. */
  get worthless(): boolean {
    return this.code === "wrong_secret";
  }
}

/** What can be shown of any failure. */
export const messageOf = (error: unknown): string => (error instanceof ApiError ? error.message : "");

export async function listCases(): Promise<readonly CaseEntry[]> {
  const body = (await call("GET", "/cases")) as { cases?: CaseEntry[] };
  return Array.isArray(body.cases) ? body.cases : [];
}

/** Exchange a link's code, which is good once, for this tab's key. */
export async function openDoor(link: string): Promise<void> {
  const { key: given } = (await call("POST", "/key", { body: { link } })) as { key?: unknown };
  if (typeof given === "string") keepKey(given);
}

export const openSession = async (case_id: string): Promise<NewSession> =>
  (await call("POST", "/sessions", { body: { case_id } })) as NewSession;

export const freshToken = async (session_id: string, secret: string): Promise<Ticket> =>
  (await call("POST", `/sessions/${encodeURIComponent(session_id)}/token`, { secret })) as Ticket;

export const endSession = async (session_id: string, secret: string): Promise<void> => {
  await call("POST", `/sessions/${encodeURIComponent(session_id)}/end`, { secret });
};

/** Go on with a session that nobody came back to. */
export const reopenSession = async (session_id: string, secret: string): Promise<Ticket> =>
  (await call("POST", `/sessions/${encodeURIComponent(session_id)}/reopen`, { secret })) as Ticket;

/** What an invitation leads to. */
export interface Invitation {
  readonly session_id: string;
  readonly title: string;
  readonly agents: readonly string[];
  readonly created_at: string;
}

/** Ask what an invitation leads to; that changes nothing. */
export async function lookAt(session_id: string, code: string): Promise<Invitation> {
  const found = (await call("GET", `/sessions/${encodeURIComponent(session_id)}/invitation`, { secret: code })) as Partial<Invitation>;
  return { session_id, title: found.title ?? "", agents: Array.isArray(found.agents) ? found.agents : [], created_at: found.created_at ?? "" };
}

/** Make the session this browser's, by a secret of its own; again with the same secret is no error. */
export const redeem = async (session_id: string, code: string, client_secret: string): Promise<void> => {
  await call("POST", `/sessions/${encodeURIComponent(session_id)}/invitation`, { secret: code, body: { client_secret } });
};

/** A session's status; `unheard`: the items still to be said when it ended, if that is known. */
export interface Standing {
  readonly status: string;
  readonly unheard: number | null;
}

export async function standingOf(session_id: string, secret: string): Promise<Standing> {
  const found = (await call("GET", `/sessions/${encodeURIComponent(session_id)}`, { secret })) as Partial<Standing>;
  return { status: found.status ?? "", unheard: typeof found.unheard === "number" ? found.unheard : null };
}

/** docs/records.md: a report is made three seconds after the end, and tried again after thirty. */
const REPORT_RETRY_MS = 1_000;
const REPORT_TRIES = 40;

/** The report of a session that is over, as Markdown. Waits while it is being made. */
export async function reportOf(session_id: string, secret: string): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      return await (await send("GET", `/sessions/${encodeURIComponent(session_id)}/report?format=md`, { secret })).text();
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "report_not_ready") || tries >= REPORT_TRIES) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, REPORT_RETRY_MS));
  }
}

/** Have a model copy a case paper out of a text; or, without any, a script with a text of its own. */
export const draftPaper = async (asked: { readonly text: string; readonly model?: string; readonly stays_here?: boolean; readonly one_patient?: boolean } | { readonly scripted: string }): Promise<Draft> =>
  (await call("POST", "/papers/draft", { body: asked, deadlineMs: DRAFT_DEADLINE_MS })) as Draft;

interface Extra {
  readonly body?: object;
  readonly secret?: string;
  readonly deadlineMs?: number;
}

export async function call(method: string, path: string, extra: Extra = {}): Promise<unknown> {
  const response = await send(method, path, extra);
  const body: unknown = await response.json().catch(() => null);
  if (typeof body !== "object" || body === null) {
    throw new ApiError("The server's answer could not be read.", response.status, "bad_answer");
  }
  return body;
}

async function send(method: string, path: string, extra: Extra): Promise<Response> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (extra.secret) headers["Authorization"] = `Bearer ${extra.secret}`;
  if (key() !== "") headers["Exaim-Key"] = key();
  if (extra.body) headers["Content-Type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers,
      body: extra.body ? JSON.stringify(extra.body) : null,
      signal: AbortSignal.timeout(extra.deadlineMs ?? DEADLINE_MS),
      credentials: "omit",
      cache: "no-store",
    });
  } catch {
    throw new ApiError("The server can't be reached. Is EXAIM Voice still running?", 0, "unreachable");
  }
  if (!response.ok) throw refusal(response, (await response.json().catch(() => null)) as unknown);
  return response;
}

function refusal(response: Response, body: unknown): ApiError {
  const error = (body as { error?: { code?: unknown; message?: unknown } } | null)?.error;
  const message = typeof error?.message === "string" ? error.message : `The server refused (${response.status}).`;
  return new ApiError(message, response.status, typeof error?.code === "string" ? error.code : "refused");
}
