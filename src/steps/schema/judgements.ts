// When the rules that a schema adds to its fields have nothing to say. Named, so that they work without the schema.
import { parseDuration } from "./parse-duration.ts";

/** Names that a loop variable would hide. */
export const TAKEN: readonly string[] = ["workflow", "context", "output", "error", "_index", "_key"];

export const LONGEST_WAIT_SECONDS = 24 * 3600;

const isTemplate = (value: string): boolean => value.includes("{{") || value.includes("{%");

export const JUDGEMENTS = {
  "a free name": (name: string): boolean => !TAKEN.includes(name),
  "a wait": (said: number | string): boolean => {
    if (typeof said === "string" && isTemplate(said)) return true;
    const seconds = typeof said === "number" ? said : parseDuration(said);
    return seconds !== undefined && seconds > 0 && seconds <= LONGEST_WAIT_SECONDS;
  },
  "a number of retries": (retry: object): boolean => "max" in retry || "until" in retry,
  "value or values": (step: object): boolean =>
    "value" in step !== "values" in step && ("value" in step || !("output_type" in step)),
} as const;

export type Judgement = keyof typeof JUDGEMENTS;
