// Large outputs: each is on disk once, is not held in memory for the whole run, and is there whole for all who look at it.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Playground } from "../../../test/support/play.ts";
import { latesOf } from "../../base/json/late.ts";
import { defineStep, succeeded } from "../../index.ts";
import { openStore } from "../../storage/embedded/store.ts";
import { extensionsFrom } from "../session/extensions.ts";

function playground(): Playground {
  const ground = new Playground();
  onTestFinished(() => ground.close());
  return ground;
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Of a group whose items give large texts, with a gate after it. `one`: what gives them. */
const flow = (items: number, one: string): string => `workflow: { name: large, entry_point: all }
agents:
  - { name: seen, type: seen, outputs: "{{ all.outputs }}", routes: [{ to: on }] }
  - { name: on, type: human_gate, prompt: On?, options: [{ label: Y, value: "y", route: last }] }
  - { name: last, type: seen, outputs: "{{ all.outputs }}" }
for_each:
  - name: all
    type: for_each
    source: "{{ range(${items}) | list }}"
    as: n
    max_concurrent: 2
    agent: { name: one, ${one} }
    routes: [{ to: seen }]
output: { all: "{{ all.outputs }}", last: "{{ last.output }}" }
`;

/** Two of them are more than a run holds in memory. */
const LARGE = "x".repeat(9_000_000);

/** Drives it to the gate, and from there to its end in a further drive. */
async function largeRun(items: number, one: string) {
  const ground = playground();
  ground.write({ "flow.yaml": flow(items, one) });
  const seenLate: number[] = [];
  const steps = [
    defineStep({
      type: "seen",
      description: "looks at outputs",
      schema: { type: "object", properties: { outputs: { type: "array" } }, required: ["outputs"] } as const,
      execute: (given) => {
        const { outputs } = given as { readonly outputs: readonly (string | { readonly stdout: string })[] };
        const lates = [outputs, ...outputs].map((held) => (typeof held === "object" ? (latesOf(held)?.size ?? 0) : 0));
        seenLate.push(lates.reduce((sum, count) => sum + count, 0));
        return succeeded(outputs.map((output) => (typeof output === "string" ? output : output.stdout).length));
      },
    }),
    defineStep({
      type: "large",
      description: "gives a large text",
      schema: { type: "object", properties: {} } as const,
      execute: () => succeeded(LARGE),
    }),
  ];
  const extensions = await extensionsFrom({ steps });
  const { result } = await ground.run("flow.yaml", { extensions });
  expect(result.status).toBe("paused");
  const folder = join(ground.session.home, "runs", result.run_id ?? "");
  const bytes = filesIn(folder).reduce((sum, path) => sum + statSync(path).size, 0);
  const ask = async () => ({ kind: "gate" as const, value: "y", additional_input: {} });
  const resumed = await ground.resume(result.run_id ?? "", { extensions, ask });
  expect(resumed.result.error).toBeNull();
  const { all, last } = resumed.result.output as { readonly all: readonly unknown[]; readonly last: readonly number[] };
  return { all, last, seenLate, bytes };
}

test("what scripts print is on disk once, and is whole for later steps, for a resume and in the result", async () => {
  const length = 300_000;
  const one = `type: script, command: sh, args: ["-c", "yes '{{ n }} \\"quoted\\" é' | head -c ${length}"]`;
  const { all, last, bytes } = await largeRun(3, one);
  const expected = [0, 1, 2].map((n) => Buffer.from(`${n} "quoted" é\n`.repeat(length)).toString("utf8", 0, length));
  expect(all.map((output) => (output as { readonly stdout: string }).stdout)).toEqual(expected);
  expect(last).toEqual(expected.map((text) => text.length));
  // Quotes and line ends take two characters in the journal.
  expect(bytes / (3 * length)).toBeLessThan(1.5);
});

test("large outputs are not held while a run goes on, and are whole for later steps, for a resume and in the result", async () => {
  const { all, last, seenLate, bytes } = await largeRun(2, "type: large");
  expect(seenLate[0]).toBe(2);
  expect(last).toEqual([LARGE.length, LARGE.length]);
  expect(all.every((text) => text === LARGE)).toBe(true);
  expect(latesOf(all)?.size ?? 0).toBe(0);
  // Both are the same text.
  expect(bytes / LARGE.length).toBeLessThan(1.3);
});

test("a secret in a large output that was printed is nowhere when the run is done, and the rest can be read", async () => {
  const ground = playground();
  const secret = "hunter2-hunter2-hunter2";
  ground.write({
    "flow.yaml": `workflow: { name: secret, entry_point: a, input: { token: { type: string, secret: true } } }
agents:
  - { name: a, type: script, command: sh, args: ["-c", "echo $TOKEN; yes abc | head -c 200000"], env: { TOKEN: "{{ workflow.input.token }}" } }
`,
  });
  const { result } = await ground.run("flow.yaml", { inputs: { token: { value: secret } } });
  expect(result.error).toBeNull();
  const { home } = ground.session;
  const folder = join(home, "runs", result.run_id ?? "");
  for (const path of filesIn(folder)) expect([path, readFileSync(path).includes(secret)]).toEqual([path, false]);
  const store = openStore(home);
  onTestFinished(() => store.close());
  const reader = await store.readRun(result.run_id ?? "");
  const events = [...(reader.events() as Iterable<{ type: string; data: { output?: { stdout: string } } }>)];
  reader.close();
  const stdout = events.find(({ type }) => type === "agent_completed")?.data.output?.stdout;
  expect(stdout?.slice(0, 18)).toBe("<redacted>\nabc\nabc");
  expect(stdout).toHaveLength(200_000 + "<redacted>\n".length);
});
