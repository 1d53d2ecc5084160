// Rows that start the program: each against a bare node that does the least possible, in turns, so that noise hits both.
import { cpSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { inTurns, milliseconds } from "./turns.mjs";

const segno = join(process.cwd(), "dist/main.cjs");
const TURNS = 15;

const against = (floorArgs, subjectArgs, env) =>
  inTurns(
    TURNS,
    () => milliseconds(floorArgs, env),
    () => milliseconds(subjectArgs, env),
  );

/** A copy of the program of which telemetry was taken out: that it runs at all shows that nothing of it is loaded. */
function withoutTelemetry(folder) {
  const program = join(folder, "without-telemetry");
  const parts = join(program, "dist/parts");
  cpSync("dist/parts", parts, { recursive: true });
  for (const name of ["main.cjs", "plugin-gate.js"]) cpSync(join("dist", name), join(program, "dist", name));
  cpSync("package.json", join(program, "package.json"));
  symlinkSync(resolve("node_modules"), join(program, "node_modules"));
  const telemetry = readdirSync(parts).filter((name) => name.startsWith("telemetry-"));
  if (telemetry.length === 0) throw new Error("telemetry is no part of its own in dist/parts");
  for (const name of telemetry) rmSync(join(parts, name));
  return join(program, "dist/main.cjs");
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
      name: "start: telemetry that is off, against a program without it",
      direction: "at most",
      target: 1.05,
      measure: () => {
        const echo = join(folder, "echo.yaml");
        return against([withoutTelemetry(folder), "run", "-q", echo], [segno, "run", "-q", echo], env);
      },
    },
    {
      name: "start: segno run, one echo",
      direction: "at most",
      target: 3.5,
      measure: () => against(["-e", spawnEcho], [segno, "run", "-q", join(folder, "echo.yaml")], env),
    },
  ];
}
