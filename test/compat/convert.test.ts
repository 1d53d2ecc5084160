// Conductor's own examples, and the flows beside them, do the same after `segno convert --to steps`.
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { convertToSteps } from "../../src/services/workflows/convert.ts";
import { CONDUCTOR_FOLDER } from "./conductor-files.ts";
import { type Bench, neededInputs, openBench } from "./harness.ts";

const FLOWS = resolve(import.meta.dirname, "flows");
const ROOT = mkdtempSync(join(tmpdir(), "segno-convert-"));
let bench: Bench;
beforeAll(async () => {
  bench = await openBench("openai");
});
afterAll(async () => {
  await bench.close();
  rmSync(ROOT, { recursive: true, force: true });
});

/** Three need the network, and one shows how long it took. */
const LEFT_OUT: readonly string[] = ["design.yaml", "implement.yaml", "plan.yaml", "wait-step.yaml"];

const files = [CONDUCTOR_FOLDER, FLOWS].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".yaml") && !LEFT_OUT.includes(name))
    .map((name) => [name, folder] as const),
);

/** Without what is made from the text of the file, and from the moment. */
const OWN =
  "hash definition definition_hash outline line seq ts run_id elapsed elapsed_seconds duration_ms system".split(" ");
const comparable = (value: unknown, folder: string): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, part) => (OWN.includes(key) ? undefined : part))
      .replaceAll(folder, "FOLDER")
      // Seconds that it took.
      .replaceAll(/\d+\.\d+/g, "0.0"),
  );

async function ran(name: string, folder: string) {
  const { result, events } = await bench.run(join(folder, name), { inputs: neededInputs(join(folder, name)) });
  const { status, exit_code, output, errors, warnings } = result;
  const isAboutExits = ({ message }: { readonly message: string }) =>
    message.includes("nothing in its file reads the exit code");
  return comparable(
    {
      status,
      exit_code,
      output,
      kinds: errors.map(({ kind, node_id, message }) => ({ kind, node_id, message })),
      warnings: warnings.filter((one) => !isAboutExits(one)).map(({ message }) => message),
      // Members that run side by side end in any order.
      events: events
        .filter(({ type }) => !NOT_IN_ORDER.includes(type))
        .map(({ type, path }) => `${path.join("/")} ${type}`)
        .sort(),
    },
    folder,
  );
}

/** Depends on when a process prints, not on the file. */
const NOT_IN_ORDER: readonly string[] = ["script_output", "warning"];

it.each(files)("%s", async (name, from) => {
  const [before, after] = ["before", "after"].map((one) => join(ROOT, name, one)) as [string, string];
  for (const folder of [before, after]) cpSync(from, folder, { recursive: true });
  const { env, home } = bench.session();
  const { text, errors } = convertToSteps({ cwd: after, env, home }, { file: name });
  if (text === null) {
    expect(errors.map(({ location, message }) => location?.line ?? message)).not.toEqual([]);
    return;
  }
  writeFileSync(join(after, name), text);
  expect(await ran(name, after)).toEqual(await ran(name, before));
});
