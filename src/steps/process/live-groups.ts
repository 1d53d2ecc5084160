// Process groups that are running now. When the engine goes down while they run, they go with it.
import { system } from "./here.ts";

const groups = new Set<number>();

/** Remembers a group until the returned function is called. */
export function whileAlive(pid: number): () => void {
  if (groups.size === 0) process.once("exit", endAll);
  groups.add(pid);
  return () => {
    groups.delete(pid);
    if (groups.size === 0) process.removeListener("exit", endAll);
  };
}

/** Nothing can be awaited on the way out, so there is no grace here. */
const endAll = (): void => system.signalTrees([...groups], "SIGKILL");
