// Places that chose by themselves what to hide, and with which secrets: refusals, names, usage errors, text in pieces.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { commandLine } from "../support/command-line.ts";
import { Served } from "../support/served.ts";

const SECRET = "quince-7731-marmalade";
const files = {
  "gate.yaml": `workflow: { name: gated, entry_point: ask, input: { key: { type: string, secret: true } } }
steps:
  - { name: ask, type: human_gate, prompt: "Use {{ workflow.input.key }}?", options: [{ label: "with {{ workflow.input.key }}", value: "y-{{ workflow.input.key }}", route: $end }, { label: No, value: "no", route: $end }] }
`,
  "two.yaml": `workflow: { name: two, entry_point: each, input: { keys: { type: array, secret: true } } }
steps: []
for_each:
  - { name: each, type: for_each, source: "{{ workflow.input['keys'] }}", as: k, key_by: k, max_concurrent: 2, agent: { name: ask, type: human_gate, prompt: "ok?", options: [{ label: Yes, value: "yes", route: $end }] } }
`,
  "named.yaml": `workflow: { name: named, entry_point: "step-\${SOME_API_KEY}" }
steps:
  - { name: "step-\${SOME_API_KEY}", type: script, command: "false" }
`,
  "typed.yaml": `workflow: { name: typed, entry_point: a, input: { password: { type: number } } }
steps: [{ name: a, type: set, value: 1 }]
`,
  "pieces.yaml": `workflow: { name: pieces, entry_point: a }
steps: [{ name: a, type: script, command: node, args: [pieces.cjs] }]
`,
  "pieces.cjs": `const key = process.env.SOME_API_KEY;
process.stdout.write("key " + key.slice(0, 10), () => setTimeout(() => process.stdout.write(key.slice(10) + " end\\n"), 200));
`,
};

let served: Served;
beforeEach(async () => {
  served = await Served.start(files);
});
afterEach(() => served.close());

const place = (more: Readonly<Record<string, string>> = {}) => ({
  cwd: served.root,
  env: { PATH: process.env.PATH, HOME: served.home, SEGNO_HOME: served.home, ...more },
});
async function segno(args: readonly string[], more?: Readonly<Record<string, string>>): Promise<string> {
  const { stdout, stderr } = await commandLine(args, place(more));
  return stdout + stderr;
}
const json = async (...args: string[]) =>
  JSON.parse((await commandLine([...args, "--output-format", "json"], place())).stdout);

it("a refused answer quotes no secret of its gate, on the command line and in the API", async () => {
  const { run_id } = await json("run", "gate.yaml", "-i", `key=${SECRET}`);
  const said = await segno(["gate", "answer", run_id, "maybe"]);
  expect(said).toContain("none of the options of ask");
  expect(said).not.toContain(SECRET);
  const [gate] = (await served.get("/api/gates")).body.gates;
  expect(JSON.stringify(gate)).not.toContain(SECRET);
  const refused = await served.post(`/api/gates/${encodeURIComponent(gate.id)}`, { seq: gate.seq, value: "maybe" });
  expect(refused.body.message).toContain("none of the options of ask");
  expect(JSON.stringify(refused.body)).not.toContain(SECRET);
});

it("gates of items that are called like a secret do not say it when several wait", async () => {
  const { run_id } = await json("run", "two.yaml", "-i", `keys=["${SECRET}","other-8842-jam"]`);
  for (const answer of [["yes"], ["yes", "--gate", "each[nobody]"]]) {
    const said = await segno(["gate", "answer", run_id, ...answer]);
    expect(said).toMatch(/several gates wait|does not wait for an answer/);
    expect(said).not.toContain(SECRET);
    expect(said).not.toContain("8842");
  }
});

it("a step that has a secret of the environment in its name fails without saying it", async () => {
  const SOME_API_KEY = SECRET;
  const said = await segno(["run", "named.yaml", "--output-format", "json"], { SOME_API_KEY });
  expect(said).toContain("<redacted>");
  expect(said).not.toContain(SECRET);
  expect(await segno(["runs"], { SOME_API_KEY })).not.toContain(SECRET);
});

it("a wrong use of the command line quotes no secret", async () => {
  const SOME_API_KEY = SECRET;
  for (const args of [["run", "--nothing-like", SECRET], [SECRET], ["show", SECRET], ["run", `${SECRET}.yaml`]])
    for (const format of [[], ["--output-format", "json"]])
      expect(await segno([...args, ...format], { SOME_API_KEY })).not.toContain(SECRET);
});

it("an input that does not fit is refused without what was given under the name of a secret", async () => {
  const said = await segno(["run", "typed.yaml", "-i", "password=letmein"]);
  expect(said).toContain("password");
  expect(said).not.toContain("letmein");
});

it("a secret of the environment that is printed in pieces is hidden from a reader who does not have it", async () => {
  const { stdout } = await commandLine(
    ["run", "pieces.yaml", "--output-format", "json"],
    place({ SOME_API_KEY: SECRET }),
  );
  const run = JSON.parse(stdout).run_id;
  const shown = [await segno(["events", run]), readFileSync(join(served.home, "runs", run, "events.jsonl"), "utf8")];
  for (const text of shown) {
    expect(text).toContain("end");
    expect(text).not.toContain(SECRET.slice(0, 10));
    expect(text).not.toContain(SECRET.slice(10));
  }
});
