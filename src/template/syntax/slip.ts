// Which known name was misspelled. The template engine stands alone, so this is as small as it can be: one letter
// more, less or other, or two that changed places.

/** The known name that is one slip away from a word. */
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
