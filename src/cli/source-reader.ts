// Reads a file that a finding points at, to quote it. A file that cannot be read is simply not quoted.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

export const sourceReader =
  (cwd: string) =>
  (file: string): string | undefined => {
    try {
      return readFileSync(resolve(cwd, file), "utf8");
    } catch {
      return undefined;
    }
  };
