// Milliseconds that one `/bin/true` takes, one after the other: bare, or as a script step in a loop.
//
//   node scripts.mjs bare | segno FOLDER COUNT
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const [way, folder, count] = process.argv.slice(2);

async function bare(times) {
  for (let i = 0; i < times; i++)
    await new Promise((done) => spawn("/bin/true", { stdio: ["ignore", "pipe", "pipe"] }).on("close", done));
}

async function segno(times) {
  const { openStore, run } = await import("../../../dist/index.js");
  const file = join(folder, `scripts-${times}.yaml`);
  writeFileSync(
    file,
    `workflow: { name: scripts, entry_point: a, limits: { max_iterations: 5000 } }
agents:
  - { name: a, type: script, command: /bin/true, routes: [{ to: $end, when: "{{ context.iteration >= ${times} }}" }, { to: a }] }
`,
  );
  const result = await run(file, { store: openStore(join(folder, "home-scripts")) });
  if (!result.success) throw new Error(result.error);
}

async function milliseconds(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const loop = way === "bare" ? bare : segno;
await loop(20);
const one = await milliseconds(() => loop(1));
const all = await milliseconds(() => loop(Number(count)));
console.log((all - one) / (count - 1));
