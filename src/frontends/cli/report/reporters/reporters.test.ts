// Findings for other programs: each format says the same, and no text of a finding can break out of its field.
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { checksOfBacktest } from "../../../../features/history/cli/commands.ts";
import { type ReportedCheck, reported } from "./index.ts";

const hostile = 'a: "b", <c> & 100 %\n::error::planted\nnot ok 9 - planted\u001b[31m';

const checks: readonly ReportedCheck[] = [
  {
    suite: "flows/my release.yaml",
    name: "flows/my release.yaml",
    notes: [
      {
        level: "error",
        rule: "unknown-step",
        message: "There is no step `b`.",
        place: { file: "flows/my release.yaml", line: 3, column: 7 },
      },
      { level: "warning", rule: "error-unhandled", message: hostile },
    ],
  },
  { suite: "s", name: hostile, notes: [], duration_ms: 1500 },
  { suite: "s", name: "later", notes: [], skipped: "no network" },
];

const asked = { cwd: "/checkout/sub", env: {} };
const as = (name: string): string => reported(name, () => checks, { version: "1.2.3", asked }) ?? "";

describe("github", () => {
  it("annotates the line", () => {
    expect(as("github")).toContain(
      "::error file=flows/my release.yaml,line=3,col=7,title=unknown-step::There is no step `b`.\n",
    );
  });

  it("lets no message begin a command of its own", () => {
    const lines = as("github").trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[1]).toBe(
      '::warning title=error-unhandled::a: "b", <c> & 100 %25%0A::error::planted%0Anot ok 9 - planted',
    );
  });
});

describe("sarif", () => {
  it("is valid against the published schema", () => {
    const schema = JSON.parse(readFileSync("test/schemas/sarif-2.1.0.json", "utf8"));
    const valid = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    expect([valid(JSON.parse(as("sarif"))), valid.errors]).toEqual([true, null]);
    expect(valid({ version: "2.1.0", runs: [{ results: [] }] })).toBe(false);
  });

  it("points at the file in the checkout, with its rule", () => {
    const [run] = JSON.parse(as("sarif")).runs;
    expect(run.tool.driver).toMatchObject({ name: "Segno", semanticVersion: "1.2.3" });
    expect(run.results[0]).toMatchObject({
      ruleId: "unknown-step",
      level: "error",
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: "flows/my%20release.yaml" },
            region: { startLine: 3, startColumn: 7 },
          },
        },
      ],
    });
    expect(run.tool.driver.rules[run.results[1].ruleIndex]).toMatchObject({ id: "error-unhandled" });
  });
});

describe.each(["github", "sarif"])("%s", (name) => {
  it("names files from the top of the checkout, wherever it was called", () => {
    const here = { ...asked, env: { GITHUB_WORKSPACE: "/checkout" } };
    expect(reported(name, () => checks, { version: "1", asked: here })).toMatch(
      /[="]sub\/flows\/my( |%20)release\.yaml/,
    );
    const elsewhere = { ...asked, env: { GITHUB_WORKSPACE: "/other" } };
    expect(reported(name, () => checks, { version: "1.2.3", asked: elsewhere })).toBe(as(name));
  });
});

it("sarif says of each rule what it is about", () => {
  const [run] = JSON.parse(as("sarif")).runs;
  expect(run.tool.driver.rules[0]).toMatchObject({
    id: "unknown-step",
    shortDescription: { text: expect.stringMatching(/./) },
    help: { text: expect.stringContaining("For example") },
  });
});

describe("junit", () => {
  it("counts what failed and was skipped, and keeps warnings out of the failures", () => {
    expect(as("junit")).toContain('tests="3" failures="1" skipped="1" time="1.5"');
    expect(as("junit").match(/<failure /g)).toHaveLength(1);
    expect(as("junit")).toContain("100 %&#10;::error::planted&#10;not ok 9");
    expect(as("junit")).toContain("<system-out>a: &quot;b&quot;, &lt;c&gt; &amp; 100 %");
  });
});

describe.each(["github", "sarif", "junit", "tap"])("%s", (name) => {
  it("lets no name and no message begin a line", () => {
    const planted = "x\n::error::planted\r\u2028::error::planted";
    const notes = (["error", "warning"] as const).map((level) => ({
      level,
      rule: planted,
      message: planted,
      place: { file: planted, line: 1, column: 1 },
    }));
    const check = { suite: planted, name: planted, notes };
    const text = reported(name, () => [check, { ...check, skipped: planted }], { version: "1", asked }) ?? "";
    expect(text.split("\n").filter((line) => /^\s*::/.test(line) && !/^::(error|warning) file=/.test(line))).toEqual(
      [],
    );
    expect(text).toContain("planted");
  });
});

describe("tap", () => {
  it("says each check on a line of its own", () => {
    const verdicts = as("tap")
      .split("\n")
      .filter((line) => /^(not )?ok/.test(line));
    expect(verdicts).toHaveLength(3);
    expect(verdicts[0]).toBe("not ok 1 - flows/my release.yaml");
    expect(verdicts[2]).toBe("ok 3 - later # SKIP no network");
  });
});

it("leaves text to the command", () => {
  expect(reported("text", () => checks, { version: "1", asked })).toBeUndefined();
  expect(reported(undefined, () => checks, { version: "1", asked })).toBeUndefined();
});

it.each(["github", "sarif", "junit", "tap"])("%s holds nothing that the log of another CI would obey", (name) => {
  const planted = "##[add-mask]a ##vso[task.complete]b ##teamcity[message text='c']";
  const place = { file: `${planted}.yaml`, line: 1, column: 1 };
  const notes = [
    { level: "error", rule: planted, message: planted, place },
    { level: "warning", rule: planted, message: planted, place },
  ] as const;
  const all: readonly ReportedCheck[] = [
    { suite: planted, name: planted, notes },
    { suite: planted, name: planted, notes: [], skipped: planted },
  ];
  const report = reported(name, () => all, { version: "1", asked }) ?? "";
  expect(report).not.toMatch(/##(vso|teamcity)?\[/);
  expect(report).toContain("add-mask");
});

it("puts a past run that would end otherwise at the step's line, or at the beginning of the file", () => {
  const run = { run_id: "01A", verdict: "worse", step: "a", was: "completed", now: "failed" };
  const runs = [{ ...run, line: 7 }, run, { ...run, verdict: "same" }] as never;
  const checks = checksOfBacktest({ file: "flow.yaml", runs, errors: [], success: true } as never);
  expect(checks.map(({ notes }) => notes.map(({ level, place }) => [level, place?.line, place?.column]))).toEqual([
    [["error", 7, 1]],
    [["error", 1, 1]],
    [],
  ]);
});
