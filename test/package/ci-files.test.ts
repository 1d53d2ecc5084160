// The files that CI systems read: the action's scripts are run, with the program in place of the published one.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { KEPT_CODE } from "../support/program.ts";

interface ActionStep {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const action = parse(readFileSync("action.yml", "utf8")) as {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>;
  readonly runs: { readonly using: string; readonly steps: readonly ActionStep[] };
};

const VALID = `
workflow: { name: ok, entry_point: a }
agents:
  - { name: a, type: set, values: { x: 1 }, routes: [{ to: $end }] }
`;
const WRONG = VALID.replace("to: $end", "to: nowhere");

/** A folder in which `npx segno@…` is the program that was just built. */
function folder(files: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(join(tmpdir(), "segno-action-"));
  const main = resolve("dist/main.cjs");
  writeFileSync(join(dir, "npx"), `#!/bin/sh\nshift 2\nexec "${process.execPath}" "${main}" "$@"\n`);
  chmodSync(join(dir, "npx"), 0o755);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return dir;
}

function runStep(name: string, inputs: Readonly<Record<string, string>>, dir: string) {
  const step = action.runs.steps.find((one) => one.name === name);
  const given = (key: string): string => inputs[key] ?? action.inputs[key]?.default ?? "";
  const env = Object.fromEntries(
    Object.entries(step?.env ?? {}).map(([key, value]) => [
      key,
      value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/, (_, input: string) => given(input)),
    ]),
  );
  return spawnSync("bash", ["-e", "-o", "pipefail", "-c", step?.run ?? "exit 99"], {
    cwd: dir,
    encoding: "utf8",
    env: {
      ...process.env,
      ...KEPT_CODE,
      ...env,
      PATH: `${dir}${delimiter}${process.env.PATH}`,
      SEGNO_HOME: join(dir, "home"),
    },
  });
}

describe("the action", () => {
  it("annotates what is wrong and fails", () => {
    const dir = folder({ "ok.yaml": VALID, "wrong.yaml": WRONG });
    const { status, stdout } = runStep("Validate", { files: "*.yaml" }, dir);
    expect([status, stdout]).toEqual([
      2,
      expect.stringMatching(/^::error file=wrong\.yaml,line=4,col=\d+,title=unknown-step::/),
    ]);
    expect(runStep("Validate", { files: "ok.yaml" }, dir)).toMatchObject({ status: 0, stdout: "" });
  });

  it("looks for errors in every file, and fails for one", () => {
    const raises = `
workflow: { name: r, entry_point: a }
agents:
  - { name: a, type: script, command: "true", raises: [my.kind], routes: [{ to: $end }] }
`;
    const dir = folder({ "a.yaml": raises, "b.yaml": VALID });
    const { status, stdout } = runStep("Errors", { files: "a.yaml b.yaml" }, dir);
    expect([status, stdout]).toEqual([1, expect.stringContaining("my.kind")]);
  });

  it("fails when scenarios take too few error routes", () => {
    const routed = `
workflow: { name: r, entry_point: a }
agents:
  - { name: a, type: script, command: "true", routes: [{ on_error: internal.script_error, to: $end }, { to: $end }] }
`;
    const scenario = "name: plain\nworkflow: r.yaml\ncli_scripts: [{ step: a, stdout: done }]\n";
    const dir = folder({ "r.yaml": routed, "plain.scenario.yaml": scenario });
    expect(runStep("Scenarios", { scenarios: "." }, dir)).toMatchObject({ status: 0, stdout: "" });
    const { status, stdout } = runStep("Scenarios", { scenarios: ".", "min-error-coverage": "100" }, dir);
    expect([status, stdout]).toEqual([1, expect.stringContaining("title=error-coverage::0 %")]);
  });

  it("writes no input into a script, where it could run commands", () => {
    for (const { run } of action.runs.steps) expect(run ?? "").not.toContain("${{");
  });
});

describe("the Dockerfile", () => {
  const instructions = readFileSync("Dockerfile", "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split(" "));

  it("builds from the package and runs the program as nobody special", () => {
    expect(instructions.map(([name]) => name)).toEqual(
      expect.arrayContaining(["FROM", "COPY", "RUN", "VOLUME", "USER", "WORKDIR", "ENTRYPOINT"]),
    );
    expect(instructions.filter(([name]) => name === "USER")).toEqual([["USER", "node"]]);
    expect(
      JSON.parse(
        instructions
          .find(([name]) => name === "ENTRYPOINT")
          ?.slice(1)
          .join(" ") ?? "",
      ),
    ).toEqual(["segno"]);
    expect(instructions.filter(([name]) => !/^[A-Z]+$/.test(name ?? ""))).toEqual([]);
  });

  it("names the tarball that npm packs", () => {
    const [packed] = JSON.parse(
      execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { encoding: "utf8" }),
    );
    expect(packed.filename).toMatch(/^segno-.*\.tgz$/);
    expect(existsSync(".dockerignore")).toBe(true);
  });
});
