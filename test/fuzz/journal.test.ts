// Rows of a real journal that somebody edited: the run is shown, explained, listed and resumed all the same, or it is said that
// its journal is damaged.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll } from "vitest";
import { explainRun } from "../../src/services/explain/index.ts";
import { asRefusal, Refused } from "../../src/services/refusals.ts";
import { resumeRun } from "../../src/services/runs/resume.ts";
import { runWorkflow } from "../../src/services/runs/run.ts";
import { runEvents, showRun } from "../../src/services/runs/runs.ts";
import { openFile } from "../../src/storage/sqlite/open.ts";
import { fuzz, textsLike } from "./door.ts";

const FILE = `
workflow: { name: journal, entry_point: a, resilience: { dead_letter: true, retry: { max_retries: 1, initial_delay: 0.001, retryable: ["own.*"] } } }
agents:
  - { name: a, type: set, value: "{{ [1, 2] }}", routes: [{ to: each }] }
  - { name: c, type: script, command: sh, args: ["-c", "printf '%s' '{\\"kind\\": \\"own.kind\\", \\"message\\": \\"m\\"}' > $CONDUCTOR_ERROR_OUT"], raises: [own.kind], routes: [{ to: $end }] }
for_each:
  - { name: each, type: for_each, source: a.output, as: one, agent: { name: b, type: set, value: "{{ one }}" }, routes: [{ to: c }] }
`;

const folder = mkdtempSync(join(tmpdir(), "segno-fuzz-journal-"));
const env = { PATH: process.env.PATH };
const real = join(folder, "real");
let run = "";
let rows: readonly { readonly first_seq: number; readonly data: string }[] = [];

beforeAll(async () => {
  writeFileSync(join(folder, "main.yaml"), FILE);
  run = (await runWorkflow({ cwd: folder, env, home: real }, { file: "main.yaml", inputs: {} })).run_id ?? "";
  const journal = openFile(join(real, "runs", run, "journal.db"), { busyMs: 1000 });
  rows = [...journal.prepare("SELECT first_seq, data FROM batches").all([])] as never;
  journal.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let copies = 0;

fuzz({
  name: "a row of a journal",
  costs: 20,
  // Read when they are made: the run is there only then.
  inputs: fc.nat().chain((at) => fc.tuple(fc.constant(at), textsLike(rows[at % rows.length]?.data ?? "[]"))),
  async enter([at, data]) {
    const home = join(folder, `copy-${copies++}`);
    cpSync(real, home, { recursive: true });
    try {
      const journal = openFile(join(home, "runs", run, "journal.db"), { busyMs: 1000 });
      const row = rows[at % rows.length];
      journal.prepare("UPDATE batches SET data = ? WHERE first_seq = ?").run([data, row?.first_seq ?? 1]);
      journal.close();
      const asked = { cwd: folder, env, home, run };
      const told: unknown[] = [await showRun(asked, asked), await explainRun(asked, asked)];
      try {
        for await (const event of runEvents(asked, asked)) told.push(event.type);
      } catch (problem) {
        // What is refused is told; anything else is a defect.
        if (asRefusal(problem) === problem && !(problem instanceof Refused)) throw problem;
      }
      told.push(await resumeRun(asked, { target: run, inputs: {} }));
      return told;
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
});
