// Where secrets stand in a text, and texts as a reader sees them: escape sequences, controls and marks without width vanish
// on a terminal, and base64 goes on over the end of a line. A secret with such things in it is found in what is left.
/** A text of which parts were left out. */
export interface SeenThrough {
  readonly text: string;
  /** Where a place in it is in the original. */
  at(index: number): number;
}

/** Controls but tab and line feed; marks of direction, joiners, selectors and tags: what Unicode lets a font leave out. */
const UNSEEN =
  "(?:[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufff8]|\\udb40[\\udc00-\\udfff]|\\ud82f[\\udca0-\\udca3]|\\ud834[\\udd73-\\udd7a])";
/** CSI, then strings (OSC, DCS …), then two characters; none is longer than anybody writes. */
const SEQUENCE =
  "(?:\\u001b\\[|\\u009b)[0-?]{0,64}[ -/]{0,16}[@-~]|(?:\\u001b[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])[^\\u0007\\u001b\\u009c]{0,4000}(?:\\u0007|\\u001b\\\\|\\u009c)|\\u001b[ -/]{0,16}[0-~]";

const ANY_UNSEEN = new RegExp(UNSEEN);
/** At one place. */
const UNSEEN_PART = new RegExp(`${SEQUENCE}|${UNSEEN}`, "y");
/** The same at the end of a piece of a stream: a sequence may go on in the next. */
const UNSEEN_SO_FAR = new RegExp(
  `\\u001b(?:\\[[0-?]{0,64}[ -/]{0,16}|[\\]PX^_][^\\u0007\\u001b\\u009c]{0,4000}\\u001b?)?$|${SEQUENCE}|${UNSEEN}`,
  "y",
);

/** Whether a text has what a terminal does not show. */
export const hasUnseen = (text: string): boolean => ANY_UNSEEN.test(text);

export const seeThrough = (text: string, isSoFar = false): SeenThrough =>
  without(text, unseenParts(text, isSoFar ? UNSEEN_SO_FAR : UNSEEN_PART));

const SEEN = 0;
/** Left out, whatever comes next. */
const ALONE = 1;
/** What comes next decides: the beginning of a sequence, or the first half of a mark. */
const BEGINS = 2;
const BEGINNINGS = /[\u001b\u0090\u0098\u009b\u009d-\u009f\ud82f\ud834\udb40]/;

/** By code unit. Made when the first text has something to leave out. */
let kinds: Uint8Array | undefined;
const kindsOfUnits = (): Uint8Array =>
  (kinds ??= Uint8Array.from({ length: 65_536 }, (_, unit) => {
    const character = String.fromCharCode(unit);
    return BEGINNINGS.test(character) ? BEGINS : ANY_UNSEEN.test(character) ? ALONE : SEEN;
  }));

/** A program may print millions of them, so a regular expression is asked only where it takes one to know. */
function* unseenParts(text: string, part: RegExp): Iterable<readonly [start: number, end: number]> {
  const kindOf = kindsOfUnits();
  for (let at = 0; at < text.length; at++) {
    const start = at;
    for (; at < text.length; at++) {
      const kind = kindOf[text.charCodeAt(at)];
      if (kind === SEEN) break;
      if (kind === ALONE) continue;
      part.lastIndex = at;
      if (!part.test(text)) break;
      at = part.lastIndex - 1;
    }
    if (at > start) yield [start, at];
  }
}

function* partsOf(text: string, search: RegExp): Iterable<readonly [start: number, end: number]> {
  for (const hit of text.matchAll(search)) yield [hit.index, hit.index + hit[0].length];
}

/** The end of a line, also as JSON writes it. */
const LINE_END = /\r?\n|(?:\\r)?\\n/g;
/** So long is a line of base64 at least before it is wrapped. */
const SHORTEST_LINE = 32;
const IN_BASE64 = /^[A-Za-z0-9+/_-]+$/;

/** So much of a line of base64 before a place that its end can be recognized. */
export function lineOfBase64Before(text: string, place: number): number {
  let from = place;
  while (from > 0 && place - from < SHORTEST_LINE && IN_BASE64.test(text.charAt(from - 1))) from--;
  return from;
}

/** The text with lines of base64 put together; nothing when there are none. `isSoFar`: the next line may still come. */
export function joinBase64(text: string, isSoFar = false): SeenThrough | undefined {
  const joints = [...partsOf(text, LINE_END)].filter(([start, end]) => {
    const next = text.charAt(end);
    if (next === "" ? !isSoFar : !IN_BASE64.test(next)) return false;
    // The first line of a piece may have begun in the piece before.
    return IN_BASE64.test(text.slice(Math.max(0, start - SHORTEST_LINE), start));
  });
  return joints.length === 0 ? undefined : without(text, joints);
}

function without(text: string, parts: Iterable<readonly [start: number, end: number]>): SeenThrough {
  /** Places in the text that is left, and how much was left out up to there. */
  const places: number[] = [];
  const omitted: number[] = [];
  const kept: string[] = [];
  let from = 0;
  let total = 0;
  for (const [start, end] of parts) {
    if (start > from) kept.push(text.slice(from, start));
    total += end - start;
    if (start === from && places.length > 0) omitted[omitted.length - 1] = total;
    else {
      places.push(end - total);
      omitted.push(total);
    }
    from = end;
  }
  kept.push(text.slice(from));
  return {
    text: kept.join(""),
    at(index) {
      let low = 0;
      let high = places.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (places[middle]! <= index) low = middle + 1;
        else high = middle;
      }
      return index + (low === 0 ? 0 : omitted[low - 1]!);
    },
  };
}

/** Takes spans of a text that was seen through for those of the original. */
export const inOriginal = (
  { at }: SeenThrough,
  spans: { add(start: number, end: number): void },
): { add(start: number, end: number): void } => ({
  add: (start, end) => (end > start ? spans.add(at(start), at(end - 1) + 1) : undefined),
});

export class Spans {
  readonly #bounds: number[] = [];
  #isSorted = true;

  get isEmpty(): boolean {
    return this.#bounds.length === 0;
  }

  /** From `start` to `end`, end exclusive. */
  add(start: number, end: number): void {
    const bounds = this.#bounds;
    const last = bounds.length - 2;
    if (last >= 0 && start >= bounds[last]! && start <= bounds[last + 1]!) {
      if (end > bounds[last + 1]!) bounds[last + 1] = end;
      return;
    }
    if (last >= 0 && start < bounds[last]!) this.#isSorted = false;
    bounds.push(start, end);
  }

  /** In order, none touching the next. */
  *[Symbol.iterator](): Generator<readonly [start: number, end: number]> {
    const bounds = this.#isSorted ? this.#bounds : this.#sorted();
    let [start, end] = [bounds[0] ?? 0, bounds[1] ?? 0];
    for (let at = 2; at < bounds.length; at += 2) {
      if (bounds[at]! <= end) end = Math.max(end, bounds[at + 1]!);
      else {
        yield [start, end];
        start = bounds[at]!;
        end = bounds[at + 1]!;
      }
    }
    if (bounds.length > 0) yield [start, end];
  }

  #sorted(): number[] {
    const bounds = this.#bounds;
    const order = Uint32Array.from({ length: bounds.length / 2 }, (_, index) => index);
    order.sort((a, b) => bounds[a * 2]! - bounds[b * 2]!);
    return Array.from(order).flatMap((index) => [bounds[index * 2]!, bounds[index * 2 + 1]!]);
  }
}
