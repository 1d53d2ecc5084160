// Names the syntax has to know about.
/**
 * What a filter or test may be called is decided where they are defined; the parser is
 * handed the two lists, so that a wrong name is a syntax error with a place.
 */
export interface KnownNames {
  readonly filter: Named;
  readonly test: Named;
}

/** A map of things by name. */
interface Named {
  has(name: string): boolean;
  keys(): Iterable<string>;
}

/** Bound by the engine itself in some places; never suggested for a misspelled name. */
export const SPECIAL_NAMES: ReadonlySet<string> = new Set(["loop", "caller", "varargs", "kwargs", "super", "self"]);

/** What filters are called in other template languages and in programs, by how they are written in small letters. */
export const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["upcase", "upper"],
  ["uppercase", "upper"],
  ["to_upper", "upper"],
  ["toupper", "upper"],
  ["touppercase", "upper"],
  ["downcase", "lower"],
  ["lowercase", "lower"],
  ["to_lower", "lower"],
  ["tolower", "lower"],
  ["tolowercase", "lower"],
  ["size", "length"],
  ["len", "length"],
  ["strip", "trim"],
  ["chomp", "trim"],
  ["to_json", "tojson"],
  ["jsonify", "tojson"],
  ["str", "string"],
  ["to_string", "string"],
  ["tostring", "string"],
  ["number", "float"],
  ["to_number", "float"],
  ["to_int", "int"],
  ["to_i", "int"],
  ["to_f", "float"],
  ["uniq", "unique"],
  ["titlecase", "title"],
  ["url_encode", "urlencode"],
  ["escape_html", "escape"],
]);

/**
 * Which known name was misspelled. The template engine stands alone, so this is as small as it can be: one letter more,
 * less or other, or two that changed places. The known name that is one slip away from a word.
 */
export function oneSlipAway(word: string, names: Iterable<string>): string | undefined {
  for (const name of names) if (isOneSlip(word, name)) return name;
  return undefined;
}

function isOneSlip(word: string, name: string): boolean {
  if (word.length < 3 || Math.abs(word.length - name.length) > 1) return false;
  let start = 0;
  while (start < word.length && word[start] === name[start]) start++;
  const [left, right] = [word.slice(start), name.slice(start)];
  if (left.length !== right.length) return left.slice(1) === right || left === right.slice(1);
  const isOther = left.slice(1) === right.slice(1);
  const isSwap = left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2);
  return isOther || isSwap;
}
