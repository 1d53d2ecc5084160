// A scope for tests of this room, from plain data.
import type { StepScope, WorkflowPlace } from "../executor.ts";

export function testScope(names: Record<string, unknown> = {}, workflow: Partial<WorkflowPlace> = {}): StepScope {
  return {
    names: { get: (name) => names[name], names: () => Object.keys(names) },
    node: "probe",
    workflow: { name: "case", file: "/w/main.yaml", dir: "/w", rootDir: "/w", runtime: {}, ...workflow },
  };
}

/** A field of `output:` with the schema's defaults. */
export const field = <Field extends object>(written: Field) => ({ required: true, nullable: false, ...written });
