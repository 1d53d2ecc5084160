// `segno resume`: goes on with a run, and shows it.
import { resumeRun } from "../../services/runs/resume.ts";
import type { Call } from "../command.ts";
import { drive, sayWhoseHome } from "../drive.ts";
import { readInputs } from "../inputs.ts";

export default function resume(call: Call): Promise<number> {
  const { asked } = call;
  const target = asked.argument(0);
  const from = asked.text("from");
  const maxIterations = asked.number("max-iterations");
  const provider = asked.text("provider");
  const inputs = readInputs(asked.list("input"), asked.text("inputs"), { cwd: asked.cwd });
  sayWhoseHome(call);
  return drive(
    call,
    (driving, say) =>
      resumeRun(
        asked.session,
        {
          ...{ target, inputs, maxIterations, provider },
          rerun: {
            from,
            force: asked.flag("force"),
            failedItems: asked.flag("failed-items"),
            changedFiles: asked.flag("changed-files"),
          },
          skipWaits: asked.flag("skip-waits"),
          takeOver: asked.flag("take-over"),
          skipGates: asked.flag("skip-gates"),
        },
        { ...driving, watching: say, isDone: (sentence) => say(call.output.colors.dim(sentence)) },
      ),
    { skipGates: asked.flag("skip-gates") },
  );
}
