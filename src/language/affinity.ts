// Whether the items of a group may run on other workers than the one that drives their run. Scripts may share local files,
// so a file with script steps stays in one place unless it says otherwise.
import type { WorkflowFile } from "./schema/index.ts";

type Described = Pick<WorkflowFile, "workflow" | "agents" | "for_each">;

export const affinityOf = ({ workflow, agents, for_each }: Described): "worker" | "any" =>
  workflow.runtime.affinity ??
  ([...agents, ...for_each.map(({ agent }) => agent)].some(({ type }) => type === "script") ? "worker" : "any");
