// Durations as people write them: a number of seconds, or `500ms`, `30s`, `2m`, `1h`, `7d`.
import * as z from "zod";

const UNITS = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 } as const;
const FORMAT = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?\s*$/;

/** Seconds, or undefined when the text is no duration. `parseDuration("2m")` is 120, and a bare number is seconds. */
export function parseDuration(text: string): number | undefined {
  const match = FORMAT.exec(text);
  if (!match?.[1]) return undefined;
  return Number(match[1]) * UNITS[(match[2] ?? "s") as keyof typeof UNITS];
}

/** A span of time above zero. Reads `90`, `"90s"` and `"1.5m"` alike; the definition holds seconds. */
export const seconds = () =>
  z
    .union([z.number().positive(), z.string().regex(FORMAT)])
    .transform((value) => (typeof value === "number" ? value : (parseDuration(value) ?? 0)))
    .meta({ expects: "a number of seconds above 0, or a duration such as 30s, 2m or 1h", examples: [30, "2m"] });
