// Attempts at steps of any type.
import { z } from "zod";
import { agentChanges, any, define, digestOfFile, flag, number, step, termination, text, tokens } from "./fields.ts";

export const STEP_EVENTS = {
  agent_started: define("An attempt at a step of any type began.", {
    ...step,
    iteration: number,
    working_dir: text.optional(),
    /** Of a step that had ended well in an earlier drive: why that is not reused. */
    again: z
      .enum(["definition changed", "definition or environment changed", "files changed", "inputs changed"])
      .optional(),
  }),
  agent_completed: define("A step ended well.", {
    ...step,
    elapsed: number,
    hash: text.optional(),
    /** Digest of the definition alone: how a resume tells a repaired step from one whose inputs changed. Recorded once a drive. */
    definition: text.optional(),
    output: any,
    /** Of an agent that works in a folder: what it changed there. */
    changes: agentChanges.optional(),
    output_keys: z.array(text).optional(),
    /** Changed since its last attempt, in an earlier drive. */
    repaired: flag.optional(),
    /** Of a script that exited with another code than 0 and has not opted in: it counts as done. */
    exit_code: number.optional(),
    ...tokens,
    ...termination,
  }),
  agent_failed: define("An attempt at a step raised.", {
    ...step,
    elapsed: number,
    error_type: text,
    message: text,
    kind: text.nullable(),
    /** How the breaker of what was called stood then, unless it was closed: what is made of the error depends on it. */
    breaker: z.enum(["open", "half_open"]).optional(),
    hash: text.optional(),
    definition: text.optional(),
    /** What the step produced before it raised. */
    output: any.optional(),
    changes: agentChanges.optional(),
    repaired: flag.optional(),
    ...tokens,
    ...termination,
  }),
  agent_cancelled: define("An attempt was stopped from outside: a sibling failed, or the run was cancelled.", {
    ...step,
    elapsed: number,
    reason: text,
  }),
  agent_reused: define("A step was not run again: its earlier outcome has the same hash.", {
    ...step,
    hash: text,
    kind: text.optional(),
    /** Of a failure: the step that its route handed it to. */
    to: text.optional(),
    from_run: text.optional(),
    /** With `from_run`: the outcome itself, since this run's journal has no other record of it. */
    output: any.optional(),
    changes: agentChanges.optional(),
    /** With `from_run`: the files that the step named there, as they were. */
    files: z.array(digestOfFile).optional(),
    /** Files that the step runs or names and that have changed since its last attempt. */
    changed_files: z.array(text).optional(),
  }),
} as const;
