// A path as people see it: relative to where they stand, unless that would lead upwards.
import { relative } from "node:path";
import { type ErrorFlow, errorFlow } from "../../language/analysis/index.ts";
import type { LoadedWorkflow, Location } from "../../language/loaded.ts";

export function shownPath(file: string, cwd: string): string {
  const short = relative(cwd, file);
  return short === "" || short.startsWith("..") ? file : short;
}

/** A workflow's error flow, with the called files' paths as people see them. */
export function shownErrorFlow(workflow: LoadedWorkflow, cwd: string): ErrorFlow {
  const shown = (place: Location): Location => ({ ...place, file: shownPath(place.file, cwd) });
  const withShownOrigin = <Kind extends { readonly raised_in?: Location }>(one: Kind): Kind =>
    one.raised_in ? { ...one, raised_in: shown(one.raised_in) } : one;
  const { steps, unhandled } = errorFlow(workflow);
  return {
    steps: steps.map((step) => ({ ...step, raises: step.raises.map(withShownOrigin) })),
    unhandled: unhandled.map((one) => ({ ...withShownOrigin(one), location: shown(one.location) })),
  };
}
