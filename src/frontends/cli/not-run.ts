// The result of a command that no service could answer: a line that cannot be parsed, a crash of Segno itself, or a second
// Ctrl-C. Loaded only when one of these happens.
import { withoutAddressSecrets } from "../../base/redact/index.ts";
import { plainEntry } from "../../base/results/entry.ts";
import type { Reader } from "../../base/results/reader.ts";
import { crashResult, refusedResult } from "../../base/results/refused.ts";
import type { Result } from "../../base/results/result.ts";
import { asRefusal, Refused } from "../../services/refusals.ts";
import { programName } from "../../services/session/program-name.ts";
import { goesOn } from "./text/phrases.ts";
import type { UsageError } from "./usage-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const helpLine = ({ command }: UsageError, env: Environment): string =>
  `Try: ${programName(env)} ${command ? `${command} ` : ""}--help`;

/** What a service refused, or a store could not do, where no answer was expected: the answer to that. */
export function refused(error: unknown): Result | undefined {
  const problem = asRefusal(error);
  return problem instanceof Refused ? problem.result : undefined;
}

export const misused = (error: UsageError, env: Environment): Result =>
  refusedResult({
    message: withoutAddressSecrets(error.message),
    suggestions: error.suggestions,
    errorType: "UsageError",
    hint: helpLine(error, env),
  });

/** The run that was under way when the user pressed Ctrl-C twice. */
export interface RunLeft {
  readonly runId: string | null;
  /** Another process drives it: it goes on. */
  readonly isFollowed: boolean;
}

/** The user did not wait for the run to be closed properly. The journal has all that a resume needs. */
export function leftAtOnce({ runId, isFollowed }: RunLeft, reader: Reader): Result {
  const message =
    runId === null
      ? "You left before the run had begun."
      : isFollowed
        ? `You stopped following ${runId}; the run goes on.`
        : "You left before the run was closed; it can be resumed.";
  const entry = plainEntry({
    category: "execution_failure",
    error_type: "Cancelled",
    message,
    owner: "input",
    ...(runId === null
      ? {}
      : { hint: isFollowed ? goesOn(runId, reader) : `To go on: ${reader.ask({ to: "resume", run: runId })}` }),
  });
  return { ...crashResult(message), status: "cancelled", exit_code: 130, run_id: runId, errors: [entry] };
}
