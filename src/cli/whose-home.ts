// Going on with a run that may have come with a clone: whoever asks for that is told whose home it is kept in.
import type { Call } from "./command.ts";
import { plain } from "./text/harmless.ts";

export function sayWhoseHome({ asked, output }: Call): void {
  const { home, homeNamedBy } = asked.surroundings;
  if (homeNamedBy === undefined || output.quiet) return;
  const said = `Runs are kept in ${home} here, as ${homeNamedBy} says, which is not trusted: one that you did not start yourself came with it.`;
  output.say(output.colors.dim(plain(said)));
}
