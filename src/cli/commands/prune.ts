// `segno runs prune`: deletes old runs and says how many.
import { pruneRuns } from "../../services/runs.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";
import { amount } from "../text/amount.ts";

export default async function prune({ asked, output }: Call): Promise<number> {
  const keep = asked.number("keep");
  const answer = await pruneRuns({ ...asked.surroundings, ...(keep === undefined ? {} : { keep }) });
  const told = `${amount(answer.pruned, "run")} deleted, ${answer.kept} kept.\n`;
  // One that cannot be removed keeps none of the others.
  if (!answer.success && answer.pruned > 0 && output.format === "text") output.stdout.write(told);
  return answerWith(answer, output, () => told);
}
