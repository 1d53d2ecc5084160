// `segno triggers fire`: fires one by hand, and shows its run.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { numbersAsWritten } from "../../json/as-written.ts";
import { type FireRequest, fireTrigger } from "../../services/triggers/fire-by-hand.ts";
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
      ...body,
      ...(run === undefined ? {} : { run }),
    }),
  );
}

function bodyOf(file: string | undefined, cwd: string): Pick<FireRequest, "body" | "writtenBody"> {
  if (file === undefined) return {};
  try {
    const text = readFileSync(resolve(cwd, file), "utf8");
    return { body: JSON.parse(text), writtenBody: numbersAsWritten(text) };
  } catch (problem) {
    throw new UsageError(`${file} cannot be read as JSON: ${(problem as Error).message}.`, {
      command: "triggers fire",
    });
  }
}
