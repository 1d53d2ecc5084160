// Reads a file that a finding points at, to quote it. A file that cannot be read is simply not quoted.
import { resolve } from "node:path";
import { readRegularFile } from "../services/regular-file.ts";
import type { Call } from "./command.ts";
import { plain } from "./text/harmless.ts";

export const sourceReader =
  (cwd: string) =>
  (file: string): string | undefined => {
    try {
      return readRegularFile(resolve(cwd, file)).toString("utf8");
    } catch {
      return undefined;
    }
  };

/** A resumed run may have come with a clone: prints which home it is kept in. */
export function sayWhoseHome({ asked, output }: Call): void {
  const { home, homeNamedBy } = asked.surroundings;
  if (homeNamedBy === undefined || output.quiet) return;
  const said = `Runs are kept in ${home} here, as ${homeNamedBy} says, which is not trusted: one that you did not start yourself came with it.`;
  output.say(output.colors.dim(plain(said)));
}
