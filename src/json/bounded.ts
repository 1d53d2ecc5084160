// JSON from outside, at every door where it comes in. Parsing takes any depth; whatever walks the value afterwards, to write,
// compare or redact it, would overflow the stack, in this run and in every resume of it.

/** Deeper than data is, far below what the stack holds. */
const MOST_LEVELS = 500;

/** What is nested too deeply to be used. */
export class NestedTooDeeply extends Error {
  override readonly name = "NestedTooDeeply";
  constructor() {
    super(`it is nested more than ${MOST_LEVELS} levels deep`);
  }
}

/** The value of a JSON text; throws `SyntaxError`, or `NestedTooDeeply`. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Two characters for each level: most texts need no further look.
  if (text.length >= MOST_LEVELS * 2 && isTooDeep(value)) throw new NestedTooDeeply();
  return value;
}

/** Level by level, without recursion: that is what would overflow. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MOST_LEVELS) return true;
    const below: unknown[] = [];
    for (const one of level)
      if (typeof one === "object" && one !== null)
        for (const inner of Object.values(one)) if (typeof inner === "object" && inner !== null) below.push(inner);
    level = below;
  }
  return false;
}
