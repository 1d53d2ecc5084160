// Which workflow files a project offers: `workflows: [flows/**/*.yaml]`.
import { relative, sep } from "node:path";

/** `**` is any number of folders, `*` any part of a name, `?` one letter. */
export function offers(patterns: readonly string[], dir: string): (file: string) => boolean {
  const all = patterns.map((pattern) => partsOf(pattern.replace(/^\.\//, "")));
  return (file) => {
    const way = relative(dir, file).split(sep).join("/");
    return all.some((parts) => fits(parts, way));
  };
}

const partsOf = (pattern: string): readonly string[] => pattern.match(/\*\*\/|\*\*|./gsu) ?? [];

// In the middle of a folder's name that `**/` takes: it is not over before the slash.
const INSIDE = 0.5;

/** All places in the pattern at once, a letter at a time: each letter is looked at once, whatever the pattern. */
function fits(parts: readonly string[], way: string): boolean {
  let places = reachable(parts, [0]);
  for (const letter of way)
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
