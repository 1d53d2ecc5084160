// How hard a run is kept: by flag, by environment, by the file; a crash of the process is survived in any case.
import type { Durability } from "../../hosts/run-reader.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { refusal } from "../refusals.ts";
import type { RunRequest } from "../request.ts";

type Asked = Pick<RunRequest, "durability" | "env">;

/** A word in SEGNO_DURABILITY that is not understood must not make a run less safe than was meant. */
export function requireDurability({ durability, env }: Asked): void {
  const { SEGNO_DURABILITY: said } = env;
  if (durability !== undefined || !said || said === "process" || said === "power") return;
  throw refusal(`SEGNO_DURABILITY is ${JSON.stringify(said)}; it may be process or power`);
}

export function durabilityOf({ durability, env }: Asked, workflow: LoadedWorkflow): Durability {
  const asked = durability ?? (env.SEGNO_DURABILITY || undefined) ?? workflow.definition.workflow.runtime.durability;
  return asked === "power" ? "power" : "process";
}
