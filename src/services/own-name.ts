// The result of a run whose journal does not name it, since no drive of it has begun: the store knows what it is of.
import type { RunMeta } from "../hosts/run-reader.ts";
import type { Result } from "../results/result.ts";
import type { Surroundings } from "./request.ts";
import { shownPath } from "./shown-path.ts";

export const withOwnName = (
  result: Result,
  { workflow, file }: Pick<RunMeta, "workflow" | "file">,
  { cwd }: Pick<Surroundings, "cwd">,
): Result => ({ ...result, workflow: result.workflow ?? workflow, file: result.file ?? shownPath(file, cwd) });
