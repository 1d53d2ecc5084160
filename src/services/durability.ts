// How hard a run is kept: by flag, by environment, by the file; a crash of the process is survived in any case.
import type { LoadedWorkflow } from "../language/loaded.ts";
import type { RunRequest } from "./request.ts";

export type Durability = "process" | "power";

export function durabilityOf(
  { durability, env }: Pick<RunRequest, "durability" | "env">,
  workflow: LoadedWorkflow,
): Durability {
  const asked = durability ?? env.SEGNO_DURABILITY ?? workflow.definition.workflow.runtime.durability;
  return asked === "power" ? "power" : "process";
}
