// Plugins of a project on the workers of a fleet: who has loaded them drives the run, and what goes wrong in them ends no
// worker. Whatever loads them has a process of its own; the rest of what plugins do is in test/project.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { createSegno } from "../../../index.ts";
import { defineWorkflow, step } from "../../typescript/library/index.ts";
import { hasPostgres } from "./cluster.ts";
import { TestFleet } from "./fleet.ts";

const PLUGIN = `
import { definePolicy, defineProvider, defineStep, succeeded } from "segno";
const step = (type, execute) => defineStep({ type, description: type, schema: { type: "object" }, execute });
const goingOn = (_, { signal }) => new Promise((done) => {
  const open = setInterval(() => {}, 1000);
  signal.addEventListener("abort", () => { clearInterval(open); done(succeeded(1)); });
});
export const all = [
  defineStep({
    type: "shout",
    description: "says it louder",
    schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    execute: ({ text }) => succeeded(text.toUpperCase()),
  }),
  defineProvider({ name: "parrot", call: () => ({ text: "polly" }) }),
  definePolicy({ name: "never", evaluate: () => "not today" }),
  step("exit", () => process.exit(0)),
  step("exit_later", (...given) => { setTimeout(() => process.exit(0), 20); return goingOn(...given); }),
  step("forget", (...given) => {
    setTimeout(() => Promise.reject(new Error("forgotten promise")), 20);
    return goingOn(...given);
  }),
];
`;

const one = (type: string): string =>
  `workflow: { name: ${type}, entry_point: a }\nagents: [{ name: a, type: ${type} }]\n`;

const FILES: Readonly<Record<string, string>> = {
  "segno.yaml": "plugins: [./plugins.mjs]\n",
  "plugins.mjs": PLUGIN,
  "own.yaml": `workflow: { name: own, entry_point: greet }
agents:
  - { name: greet, type: shout, text: hello, routes: [{ to: ask }] }
  - { name: ask, provider: parrot, prompt: hi }
output: { said: "{{ greet.output }} {{ ask.output.result }}" }
`,
  "denied.yaml":
    "workflow: { name: denied, entry_point: a, policies: [{ policy: never }] }\nagents: [{ name: a, type: set, value: 1 }]\n",
  "gated.yaml": `workflow: { name: gated, entry_point: ask }
agents:
  - { name: ask, type: human_gate, prompt: well?, options: [{ label: Go, value: go, route: greet }] }
  - { name: greet, type: shout, text: hello }
output: { said: "{{ greet.output }}" }
`,
  // Items that any worker may take.
  "spread.yaml": `workflow: { name: spread, entry_point: all, input: { words: { type: array, default: [a, b, c] } } }
for_each:
  - name: all
    type: for_each
    source: workflow.input.words
    as: word
    spread: true
    max_concurrent: 2
    agent: { name: say, type: shout, text: "{{ word }}" }
output: { said: "{{ all.outputs }}" }
`,
  "beside.yaml": `workflow: { name: beside, entry_point: a }
agents: [{ name: a, type: script, command: sh, args: [-c, "echo began >> log; until test -e go; do sleep 0.1; done"] }]
`,
  ...Object.fromEntries(["exit", "exit_later", "forget"].map((type) => [`${type}.yaml`, one(type)])),
};

/** A project that is trusted by whoever has this environment. */
async function trusted() {
  const fleet = await TestFleet.start();
  for (const [name, text] of Object.entries(FILES)) fleet.write(name, text);
  const env = { HOME: fleet.folder };
  expect((await fleet.segno(["trust", "--yes"], env)).code).toBe(0);
  const placed = async (file: string): Promise<string> =>
    (await fleet.program.json(["run", file, "--detach"], env)).run_id ?? "";
  return { fleet, env, placed };
}

const CODE = `
import { defineWorkflow, forEach, step } from "segno/workflow";
export default defineWorkflow({ name: "shouting" })
  .step("words", step(() => ({ all: ["a", "b"] })))
  .step("shout", ({ steps }) => forEach(steps.words.output.all, ({ item }) =>
    step({ input: { word: item }, run: ({ input }) => input.word.toUpperCase() })))
  .output(({ steps }) => ({ said: steps.shout.outputs }));
`;

describe.skipIf(!hasPostgres)("workflows in code", () => {
  it("are loaded by workers from their own trusted project, wherever the run was placed", async () => {
    const fleet = await TestFleet.start();
    const there = fleet.elsewhere({ spawns: true });
    const home = { HOME: fleet.folder };
    for (const folder of [fleet.folder, there.folder]) {
      writeFileSync(join(folder, "segno.yaml"), "workflows: [shouting.workflow.mjs]\n");
      writeFileSync(join(folder, "shouting.workflow.mjs"), CODE);
    }
    expect((await fleet.segno(["trust", "--yes"], home)).code).toBe(0);
    expect((await there.segno(["trust", "--yes"])).code).toBe(0);
    const bare = await fleet.workerProcess({ HOME: there.folder }, "--id", "bare");
    const { run_id } = await there.json(["run", "shouting.workflow.mjs", "--detach", "--on", fleet.url]);
    await until(() => bare.said().includes(`Run ${run_id} is left to other workers`));
    expect(bare.said()).toContain("There is no step type `function`");
    await fleet.workerProcess(home, "--id", "able");
    expect(await fleet.allEnded([run_id!])).toEqual(["completed"]);
    expect(await fleet.json(["show", run_id!])).toMatchObject({ output: { said: ["A", "B"] } });
  });

  it("are refused before they are placed when their functions are in no file", async () => {
    const fleet = await TestFleet.start();
    await using segno = createSegno({ store: fleet.url, cwd: fleet.folder });
    const here = defineWorkflow({ name: "here" }).step(
      "compute",
      step(() => 1),
    );
    const result = await segno.run(here);
    expect(result).toMatchObject({ success: false, runId: null });
    expect(result.error?.message).toContain("its functions (compute) are in this process alone");
    expect(result.error?.hint).toContain("file: import.meta.url");
    expect((await segno.runs.list()).runs).toEqual([]);
  });
});

describe.skipIf(!hasPostgres)("plugins of a trusted project", () => {
  it("are known to workers, and who has not loaded them leaves a run to those who have", async () => {
    const { fleet, env, placed } = await trusted();
    // It stands in the same folder, and nobody has told it that the project is trusted.
    const bare = await fleet.workerProcess({ HOME: fleet.elsewhere().folder }, "--id", "bare");
    const [own, spread, gated] = await Promise.all(["own.yaml", "spread.yaml", "gated.yaml"].map(placed));
    await until(() => [own, spread, gated].every((run) => bare.said().includes(`Run ${run} is left to other workers`)));
    expect(bare.said()).toMatch(
      /started in .* has not loaded them: There is no step type `shout`; There is no provider `parrot`/,
    );
    const able = await fleet.workerProcess(env, "--id", "able");
    const denied = await placed("denied.yaml");
    expect(await fleet.allEnded([own!, spread!, gated!, denied])).toEqual([
      ...["completed", "completed", "paused", "failed"],
    ]);
    expect(await fleet.json(["show", own!])).toMatchObject({ output: { said: "HELLO polly" } });
    expect(await fleet.json(["show", spread!])).toMatchObject({ output: { said: ["A", "B", "C"] } });
    expect((await fleet.json(["show", denied])).error).toContain("not today");
    // An answer that only the other worker hears waits as well.
    await able.leave();
    const answering = fleet.follow(["gate", "answer", gated!, "go"]);
    await until(async () => (await fleet.statusOf(gated!)) === "underway");
    await fleet.workerProcess(env, "--id", "again");
    expect(await fleet.allEnded([gated!])).toEqual(["completed"]);
    expect(await answering.ended).toBe(0);
  });

  it("end no worker: the run fails, and those beside it are not begun again", async () => {
    const { fleet, env, placed } = await trusted();
    const worker = await fleet.workerProcess(env);
    const beside = await placed("beside.yaml");
    await until(() => fleet.lines("log").length > 0);
    const faulty = await Promise.all(["exit.yaml", "exit_later.yaml", "forget.yaml"].map(placed));
    const hasEnded = async (run: string): Promise<boolean> => (await fleet.statusOf(run)) !== "underway";
    await until(async () => worker.child.exitCode !== null || (await Promise.all(faulty.map(hasEnded))).every(Boolean));
    expect(worker.child.exitCode).toBe(null);
    fleet.write("go", "");
    expect(await fleet.allEnded([...faulty, beside])).toEqual(["failed", "failed", "failed", "completed"]);
    expect(fleet.lines("log")).toEqual(["began"]);
    expect(worker.said()).toContain("process.exit(0)");
    expect(worker.said()).toMatch(
      /The plugin \.\/plugins\.mjs of segno\.yaml, in the step a of run \S+, .*forgotten promise/,
    );
    expect(worker.child.exitCode).toBe(null);
  });
});
