// JSON with very many names. To go through such a value takes several times as long as to search its text, since its names are
// put in order for everybody who asks; a value with few names is gone through at once, however long its texts are.

const SHORTEST = 64 * 1024;
const MANY = 5_000;

/** Whether a text of JSON has very many names. It is looked through for these alone, and not beyond so many. */
export function isWide(json: string): boolean {
  if (json.length < SHORTEST) return false;
  let names = 0;
  for (let at = json.indexOf('":'); at !== -1 && names < MANY; at = json.indexOf('":', at + 2)) names++;
  return names === MANY;
}
