/**
 * The key by which this tab opens sessions and lists cases: exchanged for a link that is good once, kept for this tab
 * alone, and sent as a header. No cookie: those go to every port of a machine, and along with what foreign pages ask for.
 */
const KEY = "exaim.key";
/** Where the browser keeps nothing, the key lasts as long as the page. */
let unkept = "";

/** The code of a link that opens this tab, from behind the `#`. */
export function opening(hash: string): string | null {
  return new URLSearchParams(hash.replace(/^#/, "")).get("open");
}

export function key(): string {
  try {
    return sessionStorage.getItem(KEY) ?? unkept;
  } catch {
    return unkept;
  }
}

export function keepKey(given: string): void {
  unkept = given;
  try {
    sessionStorage.setItem(KEY, given);
  } catch {
    return;
  }
}
