// Where runs are kept, for services: a refusal where there is no such folder. And which version of the program this is.
import { COMMAND_LINE } from "../results/index.ts";
import { NO_HOME, runHome } from "../results/run-home.ts";
import { refusal } from "./refusals.ts";
import type { Surroundings } from "./request.ts";

export function homeOf(surroundings: Surroundings): string {
  const home = runHome(surroundings);
  if (home === undefined) {
    const { reader = COMMAND_LINE } = surroundings;
    throw refusal(`${NO_HOME}. Name one with ${reader.give({ what: "home" })}`);
  }
  return home;
}

declare const SEGNO_VERSION: string | undefined;

/** The version of the program; what is not built is a development copy. */
export const version = (): string => (typeof SEGNO_VERSION === "string" ? SEGNO_VERSION : "0.0.0-dev");
