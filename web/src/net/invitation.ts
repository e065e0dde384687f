/** What a link holds behind its `#`, which no server ever sees: an invitation to a live team's session. */

export interface Link {
  readonly session_id: string;
  /** Good once. Empty: the link is of a version of EXAIM Voice that put a secret there. */
  readonly code: string;
}

export function linked(hash: string): Link | null {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const session_id = given.get("session");
  if (!session_id) return null;
  return { session_id, code: given.get("invitation") ?? "" };
}

/** A secret that nobody else has ever known: 32 random bytes, as base64url. */
export function newSecret(): string {
  const bytes = String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32)));
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
