// Rows of the library and of single steps: each turn in new processes, as their users have them.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { figure, inTurns, milliseconds } from "./turns.mjs";

const segno = join(process.cwd(), "dist/main.cjs");
const program = (name) => join(process.cwd(), "scripts/bench/programs", `${name}.mjs`);
/** Of a row that a step leaves in the journal; the floor is the same where a step's output is longer. */
const ROW_BYTES = 400;
const STEPS = 1000;

export function libraryRows(folder) {
  const own = (bytes) =>
    inTurns(
      9,
      () => figure([program("commits"), folder, STEPS, ROW_BYTES]),
      () => figure([program("own-steps"), folder, STEPS, bytes]),
    );
  return [
    {
      name: "library: first run() in a new process, one step",
      direction: "at most",
      target: 1.5,
      measure: () => firstRun(folder),
    },
    {
      name: "library: resume of 1 000 steps in a new process, ms over reading them",
      direction: "at most",
      target: 50,
      measure: () => resume(folder),
    },
    {
      name: "step: script, /bin/true, against a bare spawn",
      direction: "at most",
      target: 1.5,
      measure: () =>
        inTurns(
          9,
          () => figure([program("scripts"), "bare", folder, 200]),
          () => figure([program("scripts"), "segno", folder, 200]),
        ),
    },
    {
      name: "policies: 60 items with a policy module, against without",
      direction: "at most",
      target: 1.3,
      measure: () => guarded(folder),
    },
    { name: "step: own, 1 000 in a loop, cold", direction: "at most", target: 4, measure: () => own(0) },
    { name: "step: own, 1 KiB of output kept", direction: "at most", target: 6, measure: () => own(1024) },
  ];
}

function firstRun(folder) {
  const file = join(folder, "first.yaml");
  const home = join(folder, "home-first");
  writeFileSync(
    file,
    "workflow: { name: e, entry_point: a }\nagents: [{ name: a, type: script, command: echo, args: [hi] }]\n",
  );
  const env = { ...process.env, SEGNO_HOME: home, NO_COLOR: "1" };
  return inTurns(
    15,
    () => milliseconds([segno, "run", "-q", file], env),
    () => milliseconds([program("first-run"), file, home], env),
  );
}

function guarded(folder) {
  writeFileSync(
    join(folder, "allow.mjs"),
    'export default { name: "allow", description: "", evaluate: () => ({ allowed: true, policyName: "allow" }) };\n',
  );
  const run = (name, policies) => {
    const file = join(folder, `${name}.yaml`);
    writeFileSync(
      file,
      `workflow: { name: ${name}, entry_point: each${policies} }
steps: []
for_each:
  - { name: each, type: for_each, source: "{{ range(60) | list }}", as: n, agent: { name: w, type: script, command: /bin/true } }
`,
    );
    const env = { ...process.env, SEGNO_HOME: join(folder, "home-guarded"), NO_COLOR: "1" };
    return () => milliseconds([segno, "run", "-q", file], env);
  };
  return inTurns(15, run("free", ""), run("guarded", ", policies: [{ module: ./allow.mjs }]"));
}

/** Each turn resumes a copy of its own: a resume is recorded in the run. */
function resume(folder) {
  const made = join(folder, "made");
  mkdirSync(made, { recursive: true });
  const { stdout } = spawnSync(process.execPath, [program("resume"), "make", made], { encoding: "utf8" });
  const run = stdout.trim();
  const copied = (way) => {
    const copy = join(folder, "copy");
    rmSync(copy, { recursive: true, force: true });
    cpSync(made, copy, { recursive: true });
    return figure([program("resume"), way, copy, run]);
  };
  return inTurns(
    9,
    () => copied("floor"),
    () => copied("segno"),
    (one, other) => one - other,
  );
}
