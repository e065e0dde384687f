/** What a reload needs to come back: kept for this tab only, gone when the session is left. */

export interface Remembered {
  readonly session_id: string;
  readonly client_secret: string;
  readonly title: string;
  /** Commands are counted over reloads: the agent answers a repeated `seq` without doing it again. */
  readonly command_seq: number;
}

const KEY = "exaim.session";

export function recall(): Remembered | null {
  try {
    const value = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Partial<Remembered> | null;
    if (typeof value?.session_id !== "string" || typeof value.client_secret !== "string") return null;
    return {
      session_id: value.session_id,
      client_secret: value.client_secret,
      title: typeof value.title === "string" ? value.title : "",
      command_seq: Number.isInteger(value.command_seq) ? (value.command_seq as number) : 0,
    };
  } catch {
    return null;
  }
}

/** Storage may be forbidden or full; the session then works but can't be returned to. */
export function remember(session: Remembered): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(session));
  } catch {
    return;
  }
}

export function forget(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    return;
  }
}
