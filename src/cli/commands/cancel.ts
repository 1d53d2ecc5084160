// `segno cancel`: stops a run that another process drives, or closes one that waits.
import { cancelRun } from "../../services/runs/cancel.ts";
import type { Call } from "../command.ts";
import { answerWith } from "../usage-error.ts";

export default async function cancel({ asked, output }: Call): Promise<number> {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  // Of Ctrl-C, and of another `segno cancel` of the same run: what is being recorded is recorded whole.
  process.once("SIGINT", interrupt);
  const result = await cancelRun(asked.session, {
    run: asked.required(0),
    watching: (text) => output.say(text),
    signal: stop.signal,
  });
  process.off("SIGINT", interrupt);
  if (result.status !== "cancelled") return answerWith(result, output, () => `The run is ${result.status}.\n`);
  if (output.format !== "text") output.json(result);
  else {
    const resume = result.checkpoint?.resume;
    output.print(`${output.outColors.green("✓")} Stopped ${result.run_id}.${resume ? ` To go on: ${resume}` : ""}`);
  }
  // The run's own exit code is 130, but stopping it is what was asked for.
  return 0;
}
