// Whether something was wrong in the file at or below a path, or around it: what stands there is not the author's.
import type { LoadedWorkflow, NodePath } from "../loaded.ts";

export const isStoodIn = ({ standIns }: Pick<LoadedWorkflow, "standIns">, path: NodePath): boolean =>
  standIns.some((at) => at.slice(0, path.length).every((key, index) => path[index] === key));
