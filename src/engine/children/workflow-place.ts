// Where a workflow's steps run: its file, its settings, and what it inherits from the workflow that called it.
import type { LoadedWorkflow } from "../../language/loaded.ts";
import type { Runtime } from "../../language/schema/index.ts";
import { BETWEEN_INSTRUCTIONS } from "../../steps/caller.ts";
import type { WorkflowPlace } from "../../steps/step-type.ts";

/** What a file does not say about models, the file that called it says. Folders and skills are each file's own. */
const INHERITED: readonly string[] =
  "provider default_model temperature max_tokens timeout max_session_seconds max_agent_iterations default_reasoning_effort tool_output".split(
    " ",
  );

interface PlaceSettings {
  readonly rootDir: string;
  /** `--provider`. */
  readonly provider?: string;
}

export function workflowPlace(workflow: LoadedWorkflow, engine: PlaceSettings, caller?: WorkflowPlace): WorkflowPlace {
  const { definition, file, dir, skills } = workflow;
  const { name, runtime, cost } = definition.workflow;
  const mcp = Object.keys(runtime.mcp_servers).length > 0 ? { servers: runtime.mcp_servers, dir } : caller?.mcp;
  return {
    name,
    file,
    dir,
    rootDir: engine.rootDir,
    runtime: caller ? { ...runtime, ...unsaid(workflow, caller.runtime), limits: limitsOf(runtime, caller) } : runtime,
    rules: definition.semantics,
    ...instructionsOf(workflow, caller),
    skills,
    ...(engine.provider === undefined ? {} : { provider: engine.provider }),
    pricing: { ...caller?.pricing, ...cost.pricing },
    ...(mcp ? { mcp } : {}),
  };
}

/** Between the instructions of a file, and between those of a caller and a child. */
function instructionsOf({ definition, instructions }: LoadedWorkflow, caller: WorkflowPlace | undefined) {
  const inherited = definition.semantics.framesInstructions ? caller?.instructions : undefined;
  const all = [inherited, instructions].filter(Boolean).join(BETWEEN_INSTRUCTIONS);
  return all === "" ? {} : { instructions: all };
}

/** Those of the callers hold as well: all calls of a run count. */
const limitsOf = ({ limits }: Runtime, caller: WorkflowPlace): readonly unknown[] => [
  ...limits,
  ...((caller.runtime.limits as readonly unknown[] | undefined) ?? []),
];

function unsaid({ raw }: LoadedWorkflow, callers: WorkflowPlace["runtime"]): Record<string, unknown> {
  const said = (raw as { workflow?: { runtime?: Readonly<Record<string, unknown>> | null } }).workflow?.runtime ?? {};
  // A model belongs to its provider: who names one without the other means that provider's own default.
  const isOwn = (key: string): boolean => said[key] !== undefined || (key === "default_model" && "provider" in said);
  const keys = INHERITED.filter((key) => !isOwn(key) && callers[key] !== undefined);
  return Object.fromEntries(keys.map((key) => [key, callers[key]]));
}
