/** The HTTP half of docs/protocol.md. Every failure is an ApiError whose message can be shown. */

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
    return [401, 403, 404, 409, 410].includes(this.status);
  }
}

/** What can be shown of any failure. */
export const messageOf = (error: unknown): string => (error instanceof ApiError ? error.message : "");

export async function listCases(): Promise<readonly CaseEntry[]> {
  const body = (await call("GET", "/cases")) as { cases?: CaseEntry[] };
  return Array.isArray(body.cases) ? body.cases : [];
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

/** How a session stands; `unheard`: how many items were still to be said when it ended, if it is over and that is known. */
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

interface Extra {
  readonly body?: object;
  readonly secret?: string;
}

async function call(method: string, path: string, extra: Extra = {}): Promise<unknown> {
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
  if (extra.body) headers["Content-Type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers,
      body: extra.body ? JSON.stringify(extra.body) : null,
      signal: AbortSignal.timeout(DEADLINE_MS),
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
