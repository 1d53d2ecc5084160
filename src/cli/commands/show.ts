// `segno show`: a run's result as a report, or as the object itself.
import { showRun } from "../../services/runs.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";
import { runReport } from "../report/run-report.ts";
import { sourceReader } from "../source-reader.ts";
import { WHOLE_LINES } from "../text/columns.ts";

export default async function show({ asked, output }: Call): Promise<number> {
  const result = await showRun({ ...asked.surroundings, ...asked.run });
  // How the run ended is the answer, not an error of `show`; a run that is not there is one.
  if (result.run_id === null) return answerWith(result, output, () => "");
  if (output.format !== "text") output.json(result);
  else {
    const view = {
      colors: output.outColors,
      width: output.stdout.columns ?? WHOLE_LINES,
      terminal: output.stdout.columns,
      read: sourceReader(asked.cwd),
      reader: asked.reader,
    };
    output.stdout.write(runReport(result, view));
  }
  return 0;
}
