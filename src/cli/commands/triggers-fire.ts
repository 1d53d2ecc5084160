// `segno triggers fire`: fires one by hand, and shows its run.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fireTrigger } from "../../services/triggers/fire-by-hand.ts";
import type { Call } from "../command.ts";
import { drive } from "../drive.ts";
import { UsageError } from "../usage-error.ts";

export default function triggersFire(call: Call): Promise<number> {
  const { asked } = call;
  const body = bodyOf(asked.text("body"), asked.cwd);
  const run = asked.text("run");
  return drive(call, (driving) =>
    fireTrigger({
      ...driving,
      name: asked.required(0),
      now: Date.now(),
      body,
      ...(run === undefined ? {} : { run }),
    }),
  );
}

function bodyOf(file: string | undefined, cwd: string): unknown {
  if (file === undefined) return undefined;
  try {
    return JSON.parse(readFileSync(resolve(cwd, file), "utf8"));
  } catch (problem) {
    throw new UsageError(`${file} cannot be read as JSON: ${(problem as Error).message}.`, {
      command: "triggers fire",
    });
  }
}
