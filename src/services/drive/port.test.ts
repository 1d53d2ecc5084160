import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { RunEvent } from "../../base/events/registry.ts";
import { runWorkflow } from "../runs/run.ts";
import { runEvents } from "../runs/runs.ts";

const SECRET = "hunter2-hunter2-hunter2";

it("copies a long text into events.jsonl as its redacted beginning, its length and a digest, and keeps it whole once", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "segno-long-texts-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(
    join(cwd, "long.yaml"),
    `workflow: { name: long, entry_point: all, input: { text: { type: string } } }
agents: []
for_each: [{ name: all, type: for_each, source: "{{ [1, 2, 3] }}", as: n, agent: { name: one, type: set, value: { said: "{{ workflow.input.text }}", n: "{{ n }}" } } }]
`,
  );
  const here = { cwd, home: join(cwd, "home"), env: { PATH: process.env.PATH, API_TOKEN: SECRET } };
  const text = `${SECRET} ${"said ".repeat(2_000)}${SECRET}${" and said".repeat(2_000)}`;
  const { run_id: run = "", artifacts } = await runWorkflow(here, {
    file: "long.yaml",
    inputs: { text: { value: text } },
  });
  const file = readFileSync(artifacts?.events_jsonl ?? "", "utf8");
  const shown: RunEvent[] = [];
  for await (const event of runEvents(here, { run: run ?? "" })) shown.push(event);
  const saidIn = (events: readonly RunEvent[]): readonly string[] =>
    events.flatMap(({ type, data }) => {
      if (type !== "agent_completed" || data.agent_type !== "set") return [];
      return [(data.output as { readonly said: string }).said];
    });

  const [whole = "", ...others] = saidIn(shown);
  expect(others).toEqual([whole, whole]);
  expect(whole.length).toBeGreaterThan(20_000);
  const lines = file.trimEnd().split("\n");
  const digest = createHash("sha256").update(whole).digest("hex");
  const cut = `${whole.slice(0, 1000)}… [cut: ${whole.length} characters, sha256:${digest}; the journal has all of it]`;
  expect(saidIn(lines.map((line) => JSON.parse(line) as RunEvent))).toEqual([cut, cut, cut]);
  expect(file).not.toContain(SECRET);
  expect(file.length).toBeLessThan(20 * 1024);
});
