// `segno runs prune`: deletes old runs and says how many.
import { pruneRuns } from "../../services/runs.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";
import { amount } from "../text/amount.ts";

export default async function prune({ asked, output }: Call): Promise<number> {
  const keep = asked.number("keep");
  const answer = await pruneRuns({ ...asked.surroundings, ...(keep === undefined ? {} : { keep }) });
  return answerWith(answer, output, ({ pruned, kept }) => `${amount(pruned, "run")} deleted, ${kept} kept.\n`);
}
