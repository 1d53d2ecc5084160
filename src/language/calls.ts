// Which files a workflow calls: the `workflow:` of its steps, as paths.
import { resolve } from "node:path";
import type { LoadedWorkflow, NodePath } from "./loaded.ts";
import type { Page } from "./page.ts";

export interface FileCall {
  readonly node: string;
  /** The file as the step writes it. */
  readonly as: string;
  /** Absolute. */
  readonly file: string;
  /** Where the step names it. */
  readonly path: NodePath;
}

/** `name@registry`, `name@owner/repo#ref`: Conductor fetches these; Segno runs files. */
const REGISTRY = /^[\w.-]+@[\w.-]+(\/[\w.-]+)?(#.*)?$/;

export function callsOf(workflow: LoadedWorkflow, page: Page): FileCall[] {
  const { definition, dir, pathOf } = workflow;
  const steps = [...definition.agents, ...definition.for_each.map((group) => group.agent)];
  return steps.flatMap((step): FileCall[] => {
    if (step.type !== "workflow" || step.workflow === "") return [];
    const path = [...pathOf(step.name), "workflow"];
    const refuse = (rule: string, message: string): FileCall[] => {
      page.report(rule, path, message, { node: step.name });
      return [];
    };
    if (page.isIncomplete(path)) return [];
    if (step.workflow.includes("{{"))
      return refuse(
        "wrong-type",
        `\`workflow\` of step \`${step.name}\` must be a fixed path, so that the file can be checked before the run. To choose between files, use one step for each and a route with \`when\`.`,
      );
    if (REGISTRY.test(step.workflow))
      return refuse(
        "unsupported-option",
        `Step \`${step.name}\` calls \`${step.workflow}\` from a registry, which Segno does not have. Save that workflow beside this file and give its path: \`workflow: ./${step.workflow.split("@")[0]}.yaml\`.`,
      );
    return [{ node: step.name, as: step.workflow, file: resolve(dir, step.workflow), path }];
  });
}
