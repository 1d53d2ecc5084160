// Milliseconds that one own step takes in a loop in a new process, from the first one's code to the last one's.
//
//   node own-steps.mjs FOLDER COUNT BYTES     BYTES of output are kept of each step
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineStep, openStore, run, succeeded } from "../../../dist/index.js";

const [folder, count, bytes] = process.argv.slice(2);
const text = "x".repeat(Number(bytes));
let began;
let ended;
let done = 0;

const tick = defineStep({
  type: "tick",
  description: "counts",
  schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
  execute: ({ n }) => {
    done++;
    if (done === 1) began = performance.now();
    if (done === Number(count)) ended = performance.now();
    return succeeded(text === "" ? { n } : { n, text });
  },
});

const file = join(folder, `own-${count}.yaml`);
writeFileSync(
  file,
  `workflow: { name: own, entry_point: a, limits: { max_iterations: 100000 } }
agents:
  - { name: a, type: tick, n: "{{ context.iteration }}", routes: [{ to: $end, when: "{{ context.iteration >= ${count} }}" }, { to: a }] }
`,
);
const result = await run(file, { steps: [tick], store: openStore(join(folder, "home-own")) });
if (!result.success || done !== Number(count)) throw new Error(`${done} steps: ${result.error}`);
console.log((ended - began) / (done - 1));
