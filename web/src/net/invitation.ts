/** The way into a session that a live team has opened: `#session=…&secret=…`, which no server ever sees. */
import type { Remembered } from "./memory";

export function invited(hash: string): Remembered | null {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const session_id = given.get("session");
  const client_secret = given.get("secret");
  if (!session_id || !client_secret) return null;
  return { session_id, client_secret, title: "", command_seq: 0, owner: "" };
}

/** The session to enter: the link's, with what this browser remembers of it; without a link the remembered one. */
export function entered(invitation: Remembered | null, known: Remembered | null): Remembered | null {
  return invitation && known?.session_id !== invitation.session_id ? invitation : known;
}
