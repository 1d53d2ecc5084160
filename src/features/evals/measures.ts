// The measures of an eval that have names of their own, explained once wherever a report has them.
interface Measured {
  readonly k?: number | undefined;
  readonly duration_ms: object | null;
}

/** Explains the measures that the variants have; undefined when they have none. */
export function measureWords(variants: readonly Measured[]): string | undefined {
  const words = [
    ...(variants.some(({ k }) => k !== undefined)
      ? ["pass@k: at least one of a row's k runs passes", "pass^k: all k pass"]
      : []),
    ...(variants.some(({ duration_ms }) => duration_ms !== null) ? ["p95: 95 of 100 runs took at most this long"] : []),
  ];
  return words.length === 0 ? undefined : `${words.join("; ")}.`;
}
