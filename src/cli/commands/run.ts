// `segno run`: drives a workflow and shows it; with --dry-run only the plan.

import { PRIORITIES } from "../../language/schema/names.ts";
import type { Entry } from "../../results/result.ts";
import type { Listener, RunRequest, Warned } from "../../services/request.ts";
import { runWorkflow } from "../../services/runs/run.ts";
import { fleetOf } from "../../services/session/store.ts";
import type { Asked } from "../asked.ts";
import type { RunBegan } from "../beside-page.ts";
import type { Call } from "../command.ts";
import { drive } from "../drive.ts";
import { readInputs } from "../inputs.ts";
import { plain } from "../text/harmless.ts";
import { UsageError } from "../usage-error.ts";

function wanted(asked: Asked): RunRequest {
  const durability = asked.text("durability");
  const priority = PRIORITIES.find((one) => one === asked.text("priority"));
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
    ...(asked.flag("detach") ? { scenarioTravels: true } : {}),
    ...(asked.flag("strict") ? {} : { strict: false }),
    maxIterations: asked.number("max-iterations"),
    provider: asked.text("provider"),
    ...(durability === "process" || durability === "power" ? { durability } : {}),
    queue: { priority },
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

export default async function run(call: Call): Promise<number> {
  const request = wanted(call.asked);
  if (call.asked.flag("dry-run")) {
    const { default: dryRun } = await import("./dry-run.ts");
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
  const go: Parameters<typeof drive>[1] = (driving, say) => {
    const warned: Warned = (warnings) => {
      for (const warning of warnings) say(colors.dim(warningLine(warning)));
    };
    const on: Listener = (event) => {
      began?.(event.run_id, say);
      driving.on?.(event);
    };
    const detach = call.asked.flag("detach");
    return runWorkflow(call.asked.session, request, { ...driving, on, detach, ...(quiet ? {} : { warned }) });
  };
  return drive(call, go, { hasPage: began !== undefined, skipGates: request.skipGates === true });
}

/** A finding in one line; `segno validate` shows the same with the file's line. */
function warningLine({ message, rule, location }: Entry): string {
  const place = location ? `${location.file}:${location.line}:${location.column}: ` : "";
  return plain(`warning: ${place}${message.trim().replace(/\s+/g, " ")} (${rule})`);
}
