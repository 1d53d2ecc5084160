// Checks the templates of grades: what they read is something that a row has.
import { isMapping } from "../../../errors/mapping.ts";
import { nearest } from "../../../errors/nearest.ts";
import { gatherFacts, missIn, resultShape } from "../../../language/analysis/index.ts";
import type { LoadedWorkflow, NodePath } from "../../../language/loaded.ts";
import { object, onlyFields, type Shape, UNKNOWN } from "../../../steps/output-shape.ts";
import { references } from "../../../template/index.ts";

export type Report = (message: string, at: NodePath, suggestions?: readonly string[], part?: "key") => void;

/** What is known of the names that templates of grades have. `step`: the one that the eval is of. */
export function gradedShape(workflow: LoadedWorkflow, step: string | undefined): Shape {
  const { input } = workflow.definition.workflow;
  const known: Readonly<Record<string, Shape>> = {
    inputs: input ? onlyFields(...Object.keys(input)) : UNKNOWN,
    expected: UNKNOWN,
    output: step === undefined ? resultShape(workflow) : gatherFacts(workflow).shape(step),
    row: onlyFields("id", "tags", "variant"),
    run: onlyFields("id", "status", "kind", "steps", "errors", "cost_usd", "duration_ms"),
  };
  return object(Object.entries(known), true);
}

export function checkTemplates(value: unknown, at: NodePath, shape: Shape, report: Report): void {
  if (Array.isArray(value))
    for (const [index, one] of value.entries()) checkTemplates(one, [...at, index], shape, report);
  else if (isMapping(value))
    for (const [key, one] of Object.entries(value)) checkTemplates(one, [...at, key], shape, report);
  if (typeof value !== "string" || !value.includes("{")) return;
  try {
    for (const { path, guarded } of references(value)) {
      const miss = guarded && path.length > 1 ? undefined : missIn(shape, path);
      if (!miss) continue;
      const { missing, known, depth } = miss;
      const owner = path.slice(0, depth).join(".");
      const message =
        depth === 0
          ? `\`${missing}\` is not known here: a grade knows ${known.join(", ")}.`
          : `\`${owner}\` is not known to have \`${missing}\`. It has ${known.join(", ")}.`;
      report(message, at, nearest(missing, known));
    }
  } catch (problem) {
    report(`This template cannot be read: ${(problem as Error).message}`, at);
  }
}
