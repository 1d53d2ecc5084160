// How hard a run is kept: by flag, by environment, by the file; a crash of the process is survived in any case.
import type { LoadedWorkflow } from "../language/loaded.ts";
import type { RunRequest } from "./request.ts";

export type Durability = "process" | "power";

/** Why SEGNO_DURABILITY cannot be kept to: a word that is not understood must not make a run less safe than was meant. */
export function durabilityProblem({ durability, env }: Pick<RunRequest, "durability" | "env">): string | undefined {
  const { SEGNO_DURABILITY: said } = env;
  if (durability !== undefined || !said || said === "process" || said === "power") return undefined;
  return `SEGNO_DURABILITY is ${JSON.stringify(said)}; it may be process or power`;
}

export function durabilityOf(
  { durability, env }: Pick<RunRequest, "durability" | "env">,
  workflow: LoadedWorkflow,
): Durability {
  const asked = durability ?? (env.SEGNO_DURABILITY || undefined) ?? workflow.definition.workflow.runtime.durability;
  return asked === "power" ? "power" : "process";
}
