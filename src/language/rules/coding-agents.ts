// Steps whose agents work in a folder, with what the file says they may do.

import { isMapping } from "../../errors/mapping.ts";
import type { StepNode } from "../analysis/nodes.ts";
import type { AgentStep, ProviderFields } from "../schema/index.ts";
import { CODING_PROVIDERS } from "../schema/names.ts";
import type { RuleContext } from "./rule.ts";

export interface CodingStep {
  readonly node: StepNode;
  readonly step: AgentStep;
  readonly provider: string;
  /** The step's, over the file's. */
  readonly settings: ProviderFields;
  readonly sandbox: "read-only" | "workspace" | "full";
  readonly allow: readonly string[];
  readonly network: boolean;
  readonly ask: "deny" | "gate";
  /** As written; empty: the workflow's own folder. */
  readonly workingDir: string;
}

export function* codingSteps({ workflow, facts }: RuleContext): Generator<CodingStep> {
  const { runtime } = workflow.definition.workflow;
  for (const node of facts.nodes.all) {
    if (node.kind !== "step" || node.step.type !== "agent") continue;
    const { step } = node;
    const ofFile = isProviderWritten(workflow.raw) ? runtime?.provider : undefined;
    const asked: ProviderFields | undefined = step.provider ?? ofFile;
    if (!asked || !CODING_PROVIDERS.includes(asked.name)) continue;
    const about: ProviderFields =
      asked.name === ofFile?.name ? { ...ofFile, ...step.provider, name: asked.name } : asked;
    yield {
      node,
      step,
      provider: asked.name,
      settings: about,
      sandbox: (typeof step.sandbox === "string" ? step.sandbox : about.sandbox) ?? "workspace",
      allow: step.allow ?? about.allow ?? [],
      network: step.network ?? about.network ?? false,
      ask: step.ask ?? about.ask ?? "deny",
      workingDir: step.working_dir ?? runtime?.working_dir ?? "",
    };
  }
}

/** A file that names no provider is mostly run with another than the default. */
function isProviderWritten(raw: unknown): boolean {
  const section = isMapping(raw) ? raw.workflow : undefined;
  const runtime = isMapping(section) ? section.runtime : undefined;
  return isMapping(runtime) && runtime.provider !== undefined;
}
