// Whether anything is measured. Asked at every start of a drive, so it loads nothing.
import type { Surroundings } from "../request.ts";

let isScraped = false;

/** Told by a server that has `/metrics`: from now on drives of this process are counted. */
export const measureThisProcess = (): void => {
  isScraped = true;
};

export const isMeasured = (env: Surroundings["env"]): boolean => isScraped || otlpBase(env) !== undefined;

/** Where traces and metrics go as they happen; nothing by default. */
export const otlpBase = (env: Surroundings["env"]): string | undefined => env.SEGNO_OTLP || undefined;
