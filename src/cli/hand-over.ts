// Hands a result over: the workflow's output (or the whole object) on stdout, what there is to say on stderr.
import type { Result } from "../results/result.ts";
import type { Asked } from "./asked.ts";
import type { Output } from "./output.ts";
import { ending } from "./report/ending.ts";
import { sourceReader } from "./show-findings.ts";
import { WHOLE_LINES } from "./text/width.ts";
import { isPlainRefusal, refuse } from "./usage-error.ts";

/** Runs that got as far as an output; a failed `terminate` is one of them. */
const hasOutput = ({ status }: Result): boolean =>
  status === "completed" || status === "degraded" || status === "terminated";

/** Queued for the workers, and the command does not wait for it: its id is all there is to print. */
const isLeftToWorkers = (result: Result): result is Result & { readonly run_id: string } =>
  result.status === "queued" && result.success && result.run_id !== null;

export function handOver(result: Result, output: Output, { cwd, reader }: Pick<Asked, "cwd" | "reader">): number {
  if (output.format !== "text") output.json(result);
  else if (hasOutput(result)) output.printJson(result.output ?? null, 2);
  else if (isLeftToWorkers(result)) output.print(result.run_id);
  if (isPlainRefusal(result)) {
    refuse(result, output);
    return result.exit_code ?? 2;
  }
  const { columns: terminal } = output.stderr;
  const width = terminal ?? WHOLE_LINES;
  const view = { colors: output.colors, width, terminal, read: sourceReader(cwd), reader };
  output.stderr.write(ending(result, view, output.quiet));
  return result.exit_code ?? 1;
}
