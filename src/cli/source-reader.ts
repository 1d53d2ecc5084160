// Reads a file that a finding points at, to quote it. A file that cannot be read is simply not quoted.
import { resolve } from "node:path";
import { readRegularFile } from "../services/access/regular-file.ts";

export const sourceReader =
  (cwd: string) =>
  (file: string): string | undefined => {
    try {
      return readRegularFile(resolve(cwd, file)).toString("utf8");
    } catch {
      return undefined;
    }
  };
