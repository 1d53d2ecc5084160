// What a person is shown before they trust a project.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { checkTriggers } from "../../features/triggers/check-triggers.ts";
import { trustProject } from "./trust-project.ts";

it("shows where something is sent, and none of the secrets that the environment or the file gives for it", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "segno-trust-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  mkdirSync(join(cwd, ".git"));
  const shown = async (yaml: string): Promise<string> => {
    writeFileSync(join(cwd, "segno.yaml"), yaml);
    const env = {
      HOME: join(cwd, "home"),
      FLEET: "postgres://segno:hunter2hunter2@db.example/runs",
      COLL: "k3y-that-nobody-sees",
    };
    return JSON.stringify(await trustProject({ cwd, env }, { yes: true }));
  };
  const fromEnvironment = await shown('on: "${FLEET:-}"\ntelemetry: { otlp: "https://x.example/?api_key=${COLL}" }\n');
  expect(fromEnvironment).not.toMatch(/hunter2|k3y/);
  expect(fromEnvironment).toContain("runs to ${FLEET:-} (now db.example)");
  expect(fromEnvironment).toContain("spans and metrics to https://x.example/");
  const written = await shown(
    'on: postgres://segno:written-plainly@db.example/runs\ntelemetry: { otlp: "http://me:openly1@${HOST:-x.example}/?token=shown-to-all" }\n',
  );
  expect(written).not.toMatch(/plainly|openly1|shown-to-all/);
  expect(written).toContain("runs to postgres://segno:<redacted>@db.example/runs");
  expect(written).toContain("spans and metrics to http://me:<redacted>@${HOST:-x.example}/?token=<redacted>");
});

it("shows after what time runs are removed as that is written", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "segno-trust-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  mkdirSync(join(cwd, ".git"));
  writeFileSync(join(cwd, "segno.yaml"), "retention: { older_than: 1h, resumable: 30d }\n");
  const { acts } = await trustProject({ cwd, env: { HOME: join(cwd, "home") } }, { yes: true });
  expect(acts?.removes).toEqual(["runs older than 1h", "runs that could be resumed, older than 30d"]);
});

it.each([
  ["a pipe", (path: string) => execFileSync("mkfifo", [path])],
  ["a folder", (path: string) => mkdirSync(path)],
])("refuses a plugin that is %s", async (_, make) => {
  const cwd = mkdtempSync(join(tmpdir(), "segno-trust-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  mkdirSync(join(cwd, ".git"));
  make(join(cwd, "own.mjs"));
  writeFileSync(join(cwd, "segno.yaml"), "plugins: [./own.mjs]\n");
  const answer = await trustProject({ cwd, env: { HOME: join(cwd, "home") } }, { yes: true });
  expect(answer).toMatchObject({ success: false, trusted: false });
  expect(JSON.stringify(answer.errors)).toContain("is no file but a folder, a pipe or a device");
});

it("says of `!file` that a project takes in no other file, though it is there", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "segno-trust-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  mkdirSync(join(cwd, ".git"));
  writeFileSync(join(cwd, "triggers.yaml"), "[]\n");
  writeFileSync(join(cwd, "segno.yaml"), "triggers: !file triggers.yaml\n");
  const { errors } = await trustProject({ cwd, env: { HOME: join(cwd, "home") } }, { yes: true });
  expect(errors[0]?.message).toBe("`!file triggers.yaml`: a project takes in no other file. Write here what it holds.");
});

it("says what is wrong with a trigger that is trusted", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "segno-trust-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  mkdirSync(join(cwd, ".git"));
  writeFileSync(
    join(cwd, "flow.yaml"),
    "workflow: { name: f, entry_point: a, input: { v: { type: string } } }\nagents: [{ name: a, type: set, value: x }]\n",
  );
  writeFileSync(
    join(cwd, "segno.yaml"),
    "triggers: [{ name: t, workflow: flow.yaml, schedule: '@daily', inputs: { v: 1.10 } }]\n",
  );
  const answer = await trustProject({ cwd, env: { HOME: join(cwd, "home") } }, { yes: true, check: checkTriggers });
  expect(answer).toMatchObject({ success: true, trusted: true, warnings: [{ rule: "trigger-input" }] });
  expect(answer.warnings[0]?.message).toContain("must be of type string, and is number. Put it in quotes");
});
