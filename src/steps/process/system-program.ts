// Programs of the system that Segno starts for itself. The system's folders come before PATH, which may begin with
// a folder that an agent, or the repository in the current folder, has filled.
import { existsSync } from "node:fs";
import { join } from "node:path";

const OF_SYSTEM = ["/usr/bin", "/bin"];

/** Its full path; where a system keeps it elsewhere, its name. */
export const systemProgram = (name: string): string =>
  OF_SYSTEM.map((folder) => join(folder, name)).find((file) => existsSync(file)) ?? name;
