// Milliseconds from the start of this process to the code of the step after 1 000 completed ones.
//
//   node resume.mjs make FOLDER       prints the run's id
//   node resume.mjs floor FOLDER RUN  reads and parses the same rows, and does nothing with them
//   node resume.mjs segno FOLDER RUN
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [way, folder, run] = process.argv.slice(2);
const home = join(folder, "home-resume");
const COUNT = 1000;

if (way === "floor") readRows();
else await drive();

function readRows() {
  const Database = createRequire(import.meta.url)("libsql");
  const database = new Database(join(home, "runs", run, "journal.db"));
  let events = 0;
  for (const { data } of database.prepare("SELECT data FROM batches ORDER BY first_seq").all())
    events += JSON.parse(data).length;
  if (events < COUNT) throw new Error(`only ${events} events`);
  console.log(performance.now());
}

async function drive() {
  const segno = await import("../../../dist/index.js");
  const { defineStep, failed, openStore, raised, succeeded } = segno;
  const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const tick = defineStep({ type: "tick", description: "counts", schema, execute: ({ n }) => succeeded({ n }) });
  const last = defineStep({
    type: "last",
    description: "fails while the run is made, and then is what is waited for",
    schema,
    execute: () => {
      if (way === "make") return failed(raised("bench.not_yet", "not yet"));
      console.log(performance.now());
      process.exit(0);
    },
  });
  const options = { steps: [tick, last], store: openStore(home) };
  if (way === "segno") return segno.resume(run, options);
  const file = join(folder, "resume-own.yaml");
  writeFileSync(
    file,
    `workflow: { name: own, entry_point: a, limits: { max_iterations: 100000 } }
agents:
  - { name: a, type: tick, n: "{{ context.iteration }}", routes: [{ to: b, when: "{{ context.iteration >= ${COUNT} }}" }, { to: a }] }
  - { name: b, type: last, n: 1, raises: [bench.not_yet] }
`,
  );
  const { run_id } = await segno.run(file, options);
  console.log(run_id);
}
