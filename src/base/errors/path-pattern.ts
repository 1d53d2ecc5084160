// Whether a path fits a pattern: `**` is any number of folders, `*` any part of a name, `?` one letter. Paths are written
// with `/` on every system.

export function pathPattern(pattern: string): (path: string) => boolean {
  const parts = pattern.match(/\*\*\/|\*\*|./gsu) ?? [];
  return (path) => fits(parts, path);
}

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
