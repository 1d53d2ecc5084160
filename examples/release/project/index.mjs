/** Counts how often each word occurs. */
export function tally(text) {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
