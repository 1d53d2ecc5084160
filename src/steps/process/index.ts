// Processes: how they are run, how they are ended.
export { endMarked, endProcessGroup } from "./end-tree.ts";
export { runProcess } from "./run.ts";
