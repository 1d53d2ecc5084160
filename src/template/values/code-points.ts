// Python counts characters, JavaScript counts halves of some of them. Texts without
// such pairs, which are nearly all, take the short way.

const PAIRS = /[\ud800-\udfff]/;

export function hasPairs(text: string): boolean {
  return PAIRS.test(text);
}

export function charsOf(text: string): string[] {
  return hasPairs(text) ? Array.from(text) : text.split("");
}

export function lengthOf(text: string): number {
  if (!hasPairs(text)) return text.length;
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** The part between two places counted in characters. */
export function sliceOf(text: string, from: number, to?: number): string {
  return hasPairs(text) ? Array.from(text).slice(from, to).join("") : text.slice(from, to);
}

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!hasPairs(a) && !hasPairs(b)) return a < b ? -1 : 1;
  const left = Array.from(a);
  const right = Array.from(b);
  for (let i = 0; i < left.length && i < right.length; i++) {
    const difference = left[i]!.codePointAt(0)! - right[i]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
