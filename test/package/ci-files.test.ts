// The files that CI systems read: the action's scripts are run, with the program in place of the published one.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { action, actionFolder, runActionStep } from "../support/action.ts";

const VALID = `
workflow: { name: ok, entry_point: a }
agents:
  - { name: a, type: set, values: { x: 1 }, routes: [{ to: $end }] }
`;
const WRONG = VALID.replace("to: $end", "to: nowhere");

describe("the action", () => {
  it("annotates what is wrong and fails", () => {
    const dir = actionFolder({ "ok.yaml": VALID, "wrong.yaml": WRONG });
    const { status, stdout } = runActionStep("Validate", { files: "*.yaml" }, dir);
    expect([status, stdout]).toEqual([
      2,
      expect.stringMatching(/^::error file=wrong\.yaml,line=4,col=\d+,title=unknown-step::/),
    ]);
    expect(runActionStep("Validate", { files: "ok.yaml" }, dir)).toMatchObject({ status: 0, stdout: "" });
  });

  it("looks for errors in every file, and fails for one", () => {
    const raises = `
workflow: { name: r, entry_point: a }
agents:
  - { name: a, type: script, command: "true", raises: [my.kind], routes: [{ to: $end }] }
`;
    const dir = actionFolder({ "a.yaml": raises, "b.yaml": VALID });
    const { status, stdout } = runActionStep("Errors", { files: "a.yaml b.yaml" }, dir);
    expect([status, stdout]).toEqual([1, expect.stringContaining("my.kind")]);
    expect(runActionStep("Errors", { run: "a.yaml" }, dir)).toMatchObject({ status: 1, stdout });
  });

  it("fails when scenarios take too few error routes", () => {
    const routed = `
workflow: { name: r, entry_point: a }
agents:
  - { name: a, type: script, command: "true", routes: [{ on_error: internal.script_error, to: $end }, { to: $end }] }
`;
    const scenario = "name: plain\nworkflow: r.yaml\ncli_scripts: [{ step: a, stdout: done }]\n";
    const dir = actionFolder({ "r.yaml": routed, "plain.scenario.yaml": scenario });
    expect(runActionStep("Scenarios", { scenarios: "." }, dir)).toMatchObject({ status: 0, stdout: "" });
    const { status, stdout } = runActionStep("Scenarios", { scenarios: ".", "min-error-coverage": "100" }, dir);
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
