// Rows that start the program: each against a bare node that does the least possible, in turns, so that noise hits both.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const segno = join(process.cwd(), "dist/main.cjs");
const TURNS = 15;

function milliseconds(args, env) {
  const began = process.hrtime.bigint();
  const out = spawnSync(process.execPath, args, { env, stdio: "ignore" });
  if (out.status !== 0) throw new Error(`node ${args.join(" ")} exited with ${out.status}`);
  return Number(process.hrtime.bigint() - began) / 1e6;
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

function against(floorArgs, subjectArgs, env) {
  const floors = [];
  const subjects = [];
  for (let turn = 0; turn < TURNS + 2; turn++) {
    const floor = milliseconds(floorArgs, env);
    const subject = milliseconds(subjectArgs, env);
    // The first turns fill the disk cache.
    if (turn >= 2) {
      floors.push(floor);
      subjects.push(subject);
    }
  }
  return {
    ratio: median(subjects) / median(floors),
    subject: `${median(subjects).toFixed(1)} ms`,
    floor: `${median(floors).toFixed(1)} ms`,
  };
}

export function startupRows(folder) {
  const env = { ...process.env, SEGNO_HOME: join(folder, "home"), NO_COLOR: "1" };
  const steps = Array.from(
    { length: 75 },
    (_, i) =>
      `  - { name: s${i}, type: script, command: echo, args: ["{{ ${i ? `s${i - 1}.output.stdout` : "workflow.name"} }}"], routes: [{ to: ${i < 74 ? `s${i + 1}` : "$end"} }, { on_error: true, to: $end }] }`,
  );
  writeFileSync(
    join(folder, "large.yaml"),
    `workflow: { name: large, entry_point: s0, limits: { max_iterations: 100 } }\nagents:\n${steps.join("\n")}\n`,
  );
  writeFileSync(
    join(folder, "echo.yaml"),
    "workflow: { name: e, entry_point: a }\nagents: [{ name: a, type: script, command: echo, args: [hi] }]\n",
  );
  const spawnEcho = 'require("node:child_process").spawn("echo", ["hi"])';
  return [
    {
      name: "start: segno --version",
      direction: "at most",
      target: 1.25,
      measure: () => against(["-e", "0"], [segno, "--version"], env),
    },
    {
      name: "start: segno validate, 75 steps",
      direction: "at most",
      target: 3,
      measure: () => against(["-e", "0"], [segno, "validate", join(folder, "large.yaml")], env),
    },
    {
      name: "start: segno run, one echo",
      direction: "at most",
      target: 3.5,
      measure: () => against(["-e", spawnEcho], [segno, "run", "-q", join(folder, "echo.yaml")], env),
    },
  ];
}
