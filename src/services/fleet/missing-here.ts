// A run that this worker cannot drive, and another may: it is sealed with a key that is not here, or it names what a
// plugin brings, and no such plugin is loaded here. The process that placed the run had both.
import type { MissingRequirement } from "../../hosts/fleet.ts";
import { isUnreadable } from "../../hosts/store-error.ts";
import { NO_STEP_TYPE } from "../../language/schema/names.ts";
import type { Entry } from "../../results/result.ts";
import { Refused } from "../refusals.ts";

export interface LackHere {
  readonly lack: MissingRequirement;
  readonly sentence: string;
}

/** Nothing when that is not what is wrong. `folder`: where this worker was started. */
export function lackHere(problem: unknown, folder: string): LackHere | undefined {
  if (isUnreadable(problem)) return { lack: { kind: "key" }, sentence: problem.message };
  if (!(problem instanceof Refused)) return undefined;
  const found = problem.result.errors.filter(isMissing).map(({ message }) => firstSentence(message));
  if (found.length === 0) return undefined;
  const missing = [...new Set(found)];
  return {
    lack: { kind: "plugins", missing, folder },
    sentence: `It needs what plugins of its project bring, and this worker, which was started in ${folder}, has not loaded them: ${missing.join("; ")}. Start workers in the project's folder, and trust it there (\`segno trust\`).`,
  };
}

const RULES: readonly (string | undefined)[] = ["unknown-policy", "unknown-provider"];

const isMissing = ({ rule, message, error_type }: Entry): boolean =>
  RULES.includes(rule) ||
  error_type === "UnknownProvider" ||
  (rule === "wrong-type" && message.startsWith(NO_STEP_TYPE));

const firstSentence = (message: string): string => message.split(/[.;] /)[0] ?? message;
