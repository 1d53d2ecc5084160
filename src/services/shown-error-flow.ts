// A workflow's error flow, with the called files' paths as people see them.
import { type ErrorFlow, errorFlow } from "../language/analysis/index.ts";
import type { LoadedWorkflow } from "../language/loaded.ts";
import { shownPath } from "./shown-path.ts";

export function shownErrorFlow(workflow: LoadedWorkflow, cwd: string): ErrorFlow {
  const shown = <Kind extends ErrorFlow["unhandled"][number] | ErrorFlow["steps"][number]["raises"][number]>(
    one: Kind,
  ): Kind =>
    one.raised_in ? { ...one, raised_in: { ...one.raised_in, file: shownPath(one.raised_in.file, cwd) } } : one;
  const { steps, unhandled } = errorFlow(workflow);
  return {
    steps: steps.map((step) => ({ ...step, raises: step.raises.map(shown) })),
    unhandled: unhandled.map(shown),
  };
}
