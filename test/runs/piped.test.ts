// What is piped is whole; what is shown at a terminal is cut to its width.
import { expect, onTestFinished, test } from "vitest";
import { main } from "../../src/frontends/cli/start.ts";
import { commandLine } from "../support/command-line.ts";
import { Playground } from "../support/play.ts";

const LONG = "x".repeat(300);
const FILE = `workflow: { name: ${"w".repeat(100)}, entry_point: each, input: { notes: { type: array } }, resilience: { retry: { max_retries: 0 }, dead_letter: true } }
for_each:
  - name: each
    type: for_each
    source: workflow.input.notes
    as: note
    failure_mode: continue_on_error
    agent: { name: one, type: http, url: "http://127.0.0.1:1/{{ note }}" }
output: { missing: "{{ each.outputs | length }}" }
`;

async function groundWithRun() {
  const ground = new Playground();
  onTestFinished(() => ground.close());
  ground.write({ "main.yaml": FILE, "bad.yaml": FILE.replace("output: {", `output: { wrong: "{{ ${LONG} }}",`) });
  await ground.run("main.yaml", { inputs: { notes: { value: [LONG] } } });
  const { cwd, env, home } = ground.session;
  return { cwd, env: { ...env, SEGNO_HOME: home } };
}

test.each(["runs", "show", "explain", "events", "dlq list", "validate bad.yaml"])("segno %s", async (line) => {
  const { cwd, env } = await groundWithRun();
  const args = line.split(" ");
  const piped = await commandLine(args, { cwd, env });
  expect(piped.stdout).toContain(line === "runs" ? "w".repeat(100) : LONG);
  expect(piped.stdout).not.toContain("…");

  let shown = "";
  const terminal = { isTTY: true, columns: 80, write: (text: string) => (shown += text) };
  await main(
    args,
    { version: "0", faces: {} as never },
    { env: { ...env, NO_COLOR: "1" }, cwd: () => cwd, streams: { stdout: terminal, stderr: terminal } },
  );
  expect(shown).toContain("…");
});
