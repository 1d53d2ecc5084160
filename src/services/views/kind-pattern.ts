// A kind, or a pattern of kinds with `*`, as a filter gives it. Each part is searched for once, from where the last one
// was found: matching takes linear time, which a regular expression would not guarantee.

/** @example kindPattern("external.*.timeout")("external.http.timeout") // true */
export function kindPattern(pattern: string): (kind: string) => boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return (kind) => kind === pattern;
  return (kind) => {
    const end = kind.length - last.length;
    if (!kind.startsWith(first) || !kind.endsWith(last)) return false;
    let place = first.length;
    for (const part of rest) {
      const found = kind.indexOf(part, place);
      if (found < 0) return false;
      place = found + part.length;
    }
    return place <= end;
  };
}
