// `segno cancel`: stops a run that another process drives.
import { cancelRun } from "../../services/runs.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";

export default async function cancel({ asked, output }: Call): Promise<number> {
  const answer = await cancelRun({ ...asked.surroundings, run: asked.required(0) });
  return answerWith(
    answer,
    output,
    () => `${output.outColors.green("✓")} ${asked.required(0)} is being stopped; segno resume goes on with it.\n`,
  );
}
