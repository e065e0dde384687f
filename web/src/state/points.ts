/** Code points and JavaScript's own units: the protocol counts the former, strings are indexed by the latter. */

const PAIRS = /[\uD800-\uDBFF][\uDC00-\uDFFF]/g;

/** How many code points `text` has. */
export const pointsIn = (text: string): number => text.length - (text.match(PAIRS)?.length ?? 0);

/** Where in `text` the code point number `point` begins; its end if it has fewer. */
export function unitAt(text: string, point: number): number {
  if (point <= 0) return 0;
  let [points, unit] = [0, 0];
  for (const pair of text.matchAll(PAIRS)) {
    if (points + pair.index - unit >= point) break;
    points += pair.index - unit + 1;
    unit = pair.index + 2;
  }
  return Math.min(text.length, unit + Math.max(0, point - points));
}
