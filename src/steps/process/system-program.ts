// Programs of the system that Segno starts for itself. Not by what PATH has first: that may be a folder that an agent, or the
// repository somebody stands in, has filled.
import { existsSync } from "node:fs";
import { join } from "node:path";

const OF_SYSTEM = ["/usr/bin", "/bin"];

/** Its full path; where a system keeps it elsewhere, its name. */
export const systemProgram = (name: string): string =>
  OF_SYSTEM.map((folder) => join(folder, name)).find((file) => existsSync(file)) ?? name;
