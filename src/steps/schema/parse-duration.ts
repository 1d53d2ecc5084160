// Durations as people write them: a number of seconds, or `500ms`, `30s`, `2m`, `1h`, `7d`.

const UNITS = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 } as const;
export const DURATION = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?\s*$/;

/** Seconds, or undefined when the text is no duration. `parseDuration("2m")` is 120, and a bare number is seconds. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (!match?.[1]) return undefined;
  return Number(match[1]) * UNITS[(match[2] ?? "s") as keyof typeof UNITS];
}

/** As it would be written, in the largest unit that needs no fraction: `writtenDuration(5400)` is `90m`. */
export function writtenDuration(seconds: number): string {
  const units = Object.entries(UNITS).reverse();
  const [unit, size] = units.find(([, size]) => seconds >= size && Number.isInteger(seconds / size)) ?? ["s", 1];
  return `${seconds / size}${unit}`;
}
