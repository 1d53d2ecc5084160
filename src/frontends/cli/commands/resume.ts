// `segno resume`: goes on with a run, and shows it.
import type { ResumeRequest } from "../../../services/request.ts";
import { resumeRun } from "../../../services/runs/resume.ts";
import type { Call } from "../command.ts";
import { drive, type Say, sayWhoseHome } from "../drive.ts";
import { readInputs } from "../inputs.ts";

export function resumeCommand(call: Call): Promise<number> {
  const { asked } = call;
  const inputs = readInputs(asked.list("input"), asked.text("inputs"), { cwd: asked.cwd });
  sayWhoseHome(call);
  const request: ResumeRequest = {
    target: asked.argument(0),
    file: asked.argument(1),
    inputs,
    maxIterations: asked.number("max-iterations"),
    maxVisits: asked.number("max-visits"),
    provider: asked.text("provider"),
    rerun: {
      from: asked.text("from"),
      force: asked.flag("force"),
      failedItems: asked.flag("failed-items"),
      changedFiles: asked.flag("changed-files"),
    },
    skipWaits: asked.flag("skip-waits"),
    takeOver: asked.flag("take-over"),
    skipGates: asked.flag("skip-gates"),
  };
  const isDone = (say: Say) => (sentence: string) => say(call.output.colors.dim(sentence));
  return drive(
    call,
    (driving, say) => resumeRun(asked.session, request, { ...driving, watching: say, isDone: isDone(say) }),
    { skipGates: request.skipGates },
  );
}
