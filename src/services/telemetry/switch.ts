// Whether anything is measured. Asked at every start of a drive, so it loads nothing.
import type { Surroundings } from "../request.ts";

let isScraped = false;

/** Told by a server that has `/metrics`: from now on drives of this process are counted. */
export const measureThisProcess = (): void => {
  isScraped = true;
};

type Asked = Pick<Surroundings, "env" | "otlp">;

export const isMeasured = (asked: Asked): boolean => isScraped || otlpBase(asked) !== undefined;

/** Where traces and metrics go as they happen; nothing by default. */
export const otlpBase = ({ env, otlp }: Asked): string | undefined => env.SEGNO_OTLP || otlp || undefined;
