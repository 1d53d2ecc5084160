// What no agent may change under `workspace`, whatever its folder: what would run later with somebody else's rights.
import { join } from "node:path";
import type { CodingTask, GuardedPaths } from "./agent.ts";

const IN_ITS_FOLDER = [".git/hooks", ".git/config", "segno.yaml", "segno.yml", ".segno"];

export const guardedIn = ({ cwd, guarded }: Pick<CodingTask, "cwd" | "guarded">): GuardedPaths => ({
  readOnly: [...new Set([...IN_ITS_FOLDER.map((path) => join(cwd, path)), ...guarded.readOnly])],
  unreadable: guarded.unreadable,
});
