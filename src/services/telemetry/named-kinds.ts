// Which kinds of error may be a label: those that the registry or the workflow's own files name. A script may raise any
// kind, also one that it makes of a value, and each would be a series of its own for good.
import { isKind, KINDS } from "../../errors/index.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";

/** What stands for all the others. */
export const UNDECLARED = "undeclared";

/** The label of a kind, in runs of that file and of all that it calls. */
export function kindLabels(root: LoadedWorkflow): (kind: string) => string {
  const named = new Set<string>();
  const seen = new Set<LoadedWorkflow>();
  const visit = (workflow: LoadedWorkflow): void => {
    if (seen.has(workflow)) return;
    seen.add(workflow);
    collect(workflow.raw, named);
    for (const child of workflow.children.values()) visit(child);
  };
  visit(root);
  return (kind) => (KINDS.has(kind) || named.has(kind) ? kind : UNDECLARED);
}

/** In `raises`, in rules, in routes: wherever a kind stands, it is a text that reads as one. */
function collect(written: unknown, named: Set<string>): void {
  if (typeof written === "string") {
    if (isKind(written)) named.add(written);
  } else if (typeof written === "object" && written !== null)
    for (const part of Object.values(written)) collect(part, named);
}
