// `segno run`: drives a workflow and shows it; with --dry-run only the plan.

import { atPlace } from "../../../base/results/entry.ts";
import type { Entry } from "../../../base/results/result.ts";
import { PRIORITIES } from "../../../language/schema/names.ts";
import type { RunRequest } from "../../../services/request.ts";
import { runWorkflow } from "../../../services/runs/run.ts";
import { fleetOf } from "../../../services/session/store.ts";
import type { Asked } from "../asked.ts";
import type { RunBegan } from "../beside-page.ts";
import type { Call } from "../command.ts";
import { drive } from "../drive.ts";
import { readInputs } from "../inputs.ts";
import { plain } from "../text/harmless.ts";
import { UsageError } from "../usage-error.ts";

function wanted(asked: Asked): RunRequest {
  const scenario = asked.text("scenario");
  if (scenario === undefined && !asked.flag("strict"))
    throw new UsageError("--no-strict is about what a scenario does not script: give one with --scenario.");
  if (fleetOf(asked.session) === undefined) refuseWithoutFleet(asked);
  return {
    file: asked.required(0),
    inputs: readInputs(asked.list("input"), asked.text("inputs"), { cwd: asked.cwd }),
    skipGates: asked.flag("skip-gates"),
    scenario,
    // Without it a scenario plays here, where no worker is needed.
    scenarioTravels: asked.flag("detach") || undefined,
    strict: asked.flag("strict") ? undefined : false,
    maxIterations: asked.number("max-iterations"),
    provider: asked.text("provider"),
    origin: { name: asked.text("name") },
    durability: asked.text("durability") as RunRequest["durability"],
    queue: { priority: PRIORITIES.find((one) => one === asked.text("priority")) },
  };
}

function refuseWithoutFleet(asked: Asked): void {
  const what = asked.flag("detach")
    ? "--detach leaves a run to the workers of a fleet"
    : asked.text("priority") !== undefined
      ? "--priority is about runs that wait for a worker of a fleet"
      : undefined;
  if (what !== undefined) throw new UsageError(`${what}: give its address with --on.`);
}

export async function runCommand(call: Call): Promise<number> {
  const request = wanted(call.asked);
  if (call.asked.flag("dry-run")) {
    const { dryRun } = await import("../report/plan.ts");
    return dryRun(call, request);
  }
  if (call.asked.flag("web") || call.asked.flag("web-keep")) {
    const { besidePage } = await import("../beside-page.ts");
    return besidePage(call, (began) => driveHere(call, request, began));
  }
  return driveHere(call, request);
}

function driveHere(call: Call, request: RunRequest, began?: RunBegan): Promise<number> {
  const { colors, quiet } = call.output;
  const go: Parameters<typeof drive>[1] = (driving, say) =>
    runWorkflow(call.asked.session, request, {
      ...driving,
      on: (event) => {
        began?.(event.run_id, say);
        driving.on?.(event);
      },
      detach: call.asked.flag("detach"),
      warned: (warnings) => {
        if (!quiet) for (const warning of warnings) say(colors.dim(warningLine(warning)));
      },
    });
  return drive(call, go, { hasPage: began !== undefined, skipGates: request.skipGates });
}

/** A finding in one line; `segno validate` shows the same with the file's line. */
function warningLine({ message, rule, location }: Entry): string {
  return plain(`warning: ${atPlace(location, message.trim().replace(/\s+/g, " "))} (${rule})`);
}
