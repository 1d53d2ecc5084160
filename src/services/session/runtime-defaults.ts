// What a project says about models and durability where a workflow file says nothing.
import type { LoadedWorkflow } from "../../language/loaded.ts";

export interface RuntimeDefaults {
  readonly provider?: string;
  readonly model?: string;
  readonly durability?: "process" | "power";
  /** Beside those of the file, which they do not replace. */
  readonly limits?: LoadedWorkflow["definition"]["workflow"]["runtime"]["limits"];
}

/** Of the file that is run; those that it calls take what they do not say from it. */
export function withDefaults(
  workflow: LoadedWorkflow,
  { provider, model, durability, limits = [] }: RuntimeDefaults,
): LoadedWorkflow {
  const { definition, raw } = workflow;
  const said = (raw as { workflow?: { runtime?: Readonly<Record<string, unknown>> | null } }).workflow?.runtime ?? {};
  const saysProvider = said.provider !== undefined;
  const runtime = {
    ...definition.workflow.runtime,
    ...(provider !== undefined && !saysProvider ? { provider: { name: provider } } : {}),
    // A model belongs to its provider: who names only the provider means that provider's own default.
    ...(model !== undefined && said.default_model === undefined && !saysProvider ? { default_model: model } : {}),
    limits: [...definition.workflow.runtime.limits, ...limits],
    ...(durability !== undefined && said.durability === undefined ? { durability } : {}),
  };
  return { ...workflow, definition: { ...definition, workflow: { ...definition.workflow, runtime } } };
}
