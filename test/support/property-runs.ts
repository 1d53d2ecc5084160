// How often a property is tried: a tenth of its runs at every change, all of them in CI or with SEGNO_WHOLE=1.
export const isWhole = process.env.CI === "true" || process.env.SEGNO_WHOLE === "1";

/** With fewer inputs than this a property says little. */
const FEWEST = 20;

/** @example fc.assert(property, { numRuns: runs(1000) }) */
export const runs = (whole: number): number =>
  isWhole ? whole : Math.min(whole, Math.max(FEWEST, Math.ceil(whole / 10)));
