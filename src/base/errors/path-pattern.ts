// Whether a text fits a pattern that a user wrote. In paths, which are written with `/` on every system, `**` is any number
// of folders, `*` any part of a name, `?` one letter. No pattern takes longer than its length times that of the text.

export function pathPattern(pattern: string): (path: string) => boolean {
  const parts = partsOf(pattern);
  return (path) => fits(parts, path);
}

/** Whether a text fits a pattern in which `*` is any text and everything else is itself. */
export function fitsStars(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length && text.endsWith(last);
}

/** Whether a path may fit both patterns. Two patterns with `**` may be said to meet although no path fits both. */
export function patternsMeet(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)];
  const known = new Map<number, boolean>();
  const meets = (i: number, j: number): boolean => {
    const place = i * (b.length + 1) + j;
    const before = known.get(place);
    if (before !== undefined) return before;
    // A way that comes back to this place finds nothing that is not found here.
    known.set(place, false);
    const [x, y] = [a[i], b[j]];
    const answer =
      (x === undefined && y === undefined) ||
      (isStar(x) && (meets(i + 1, j) || (y !== undefined && takes(x, y) && meets(i, j + 1)))) ||
      (isStar(y) && (meets(i, j + 1) || (x !== undefined && takes(y, x) && meets(i + 1, j)))) ||
      (x !== undefined && y !== undefined && !isStar(x) && !isStar(y) && isSameLetter(x, y) && meets(i + 1, j + 1));
    known.set(place, answer);
    return answer;
  };
  return meets(0, 0);
}

const partsOf = (pattern: string): readonly string[] => pattern.match(/\*\*\/|\*\*|./gsu) ?? [];

const isStar = (part: string | undefined): part is string => part?.startsWith("*") === true;

/** `**` takes whole folders as well; what `*` takes is no slash. */
const takes = (star: string, part: string): boolean => star !== "*" || (part !== "/" && part !== "**/");

const isSameLetter = (x: string, y: string): boolean => x === y || (x === "?" && y !== "/") || (y === "?" && x !== "/");

// In the middle of a folder's name that `**/` takes: it is not over before the slash.
const INSIDE = 0.5;

/** All places in the pattern at once, a letter at a time: each letter is looked at once, whatever the pattern. */
function fits(parts: readonly string[], path: string): boolean {
  let places = reachable(parts, [0]);
  for (const letter of path)
    places = reachable(
      parts,
      places.flatMap((place) => after(parts, place, letter)),
    );
  return places.includes(parts.length);
}

function after(parts: readonly string[], place: number, letter: string): readonly number[] {
  const isInName = letter !== "/";
  if (!Number.isInteger(place)) return [isInName ? place : place - INSIDE];
  const part = parts[place];
  if (part === "**/") return isInName ? [place + INSIDE] : [];
  if (part === "**" || part === "*") return part === "**" || isInName ? [place] : [];
  return part === letter || (part === "?" && isInName) ? [place + 1] : [];
}

/** Also the places behind parts that may be nothing. */
function reachable(parts: readonly string[], places: readonly number[]): readonly number[] {
  const found = new Set(places);
  for (const place of found) if (parts[place]?.startsWith("*")) found.add(place + 1);
  return [...found];
}
