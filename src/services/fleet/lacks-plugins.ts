// A run that this worker cannot drive since it names what a plugin brings, and no such plugin is loaded here. Whoever placed
// the run had it, and so may another worker.
import { NO_STEP_TYPE } from "../../language/schema/names.ts";
import type { Entry } from "../../results/result.ts";
import { Refused } from "../refusals.ts";

/** What is missing, in a sentence; nothing when that is not why the run was refused. */
export function lackOfPlugins(problem: unknown, folder: string): string | undefined {
  if (!(problem instanceof Refused)) return undefined;
  const missing = problem.result.errors.filter(isMissing).map(({ message }) => firstSentence(message));
  if (missing.length === 0) return undefined;
  return `It needs what plugins of its project bring, and this worker, which was started in ${folder}, has not loaded them: ${[...new Set(missing)].join("; ")}. Start workers in the project's folder, and trust it there (\`segno trust\`).`;
}

const RULES: readonly (string | undefined)[] = ["unknown-policy", "unknown-provider"];

const isMissing = ({ rule, message, error_type }: Entry): boolean =>
  RULES.includes(rule) ||
  error_type === "UnknownProvider" ||
  (rule === "wrong-type" && message.startsWith(NO_STEP_TYPE));

const firstSentence = (message: string): string => message.split(/[.;] /)[0] ?? message;
