// Answers where nothing ran: files that do not load, inputs that do not fit, runs that do not exist, Segno's own failures.
import { describe, expect, it } from "vitest";
import { error, outline, Story } from "../../../test/support/engine/test-events.ts";
import { ENGINE_PREFIXES, KINDS, traitsOf } from "../errors/index.ts";
import { createRedactor } from "../redact/index.ts";
import { ADVISED, hintFor, hintForEnding } from "./hints.ts";
import {
  crashResult,
  EXIT_CODES,
  type FindingLike,
  findingEntries,
  head,
  inputEntry,
  invalidResult,
  redactEvent,
  refusedResult,
  validResult,
} from "./index.ts";
import { COMMAND_LINE } from "./reader.ts";
import { resultJsonSchema, resultSchema } from "./schema.ts";

const finding: FindingLike = {
  rule: "unknown-step",
  severity: "error",
  message: "there is no step othr",
  location: { file: "/work/sub/main.yaml", line: 7, column: 13 },
  suggestions: ["other"],
  node: "probe",
};
const shown = { path: (file: string): string => file.replace("/work/", "") };

describe("findings", () => {
  it("are entries with rule, place and suggestion", () => {
    const { errors, warnings } = findingEntries(
      [finding, { ...finding, severity: "warning", rule: "unreachable-step", suggestions: [], via: ["call"] }],
      shown,
    );
    expect(errors).toMatchObject([
      {
        source: "validation",
        category: "static_validation",
        kind: null,
        rule: "unknown-step",
        node_id: "probe",
        fixable: true,
        owner: "workflow",
        location: { file: "sub/main.yaml", line: 7, column: 13 },
        suggestions: ["other"],
        hint: expect.stringContaining("other"),
      },
    ]);
    expect(warnings).toMatchObject([{ rule: "unreachable-step", via: ["call"] }]);
    const result = invalidResult(errors, { file: "sub/main.yaml", warnings });
    expect(resultSchema.parse(result)).toEqual(result);
    expect(result).toMatchObject({
      success: false,
      status: "invalid",
      exit_code: 2,
      error: "sub/main.yaml:7:13: there is no step othr",
    });
  });

  it("about a file that is not there name no line of it", () => {
    const location = { file: "/work/nope.yaml", line: 1, column: 1 };
    const { errors } = findingEntries([{ ...finding, rule: "missing-file", location, suggestions: [] }], shown);
    expect(errors).toMatchObject([{ hint: "Check the path: nope.yaml cannot be read as a file." }]);
  });

  it("that are only warnings leave the file valid", () => {
    const { warnings } = findingEntries([{ ...finding, severity: "warning" }], shown);
    const result = validResult({ file: "main.yaml", warnings });
    expect(resultSchema.parse(result)).toEqual(result);
    expect(result).toMatchObject({
      success: true,
      status: "valid",
      exit_code: 0,
      errors: [],
      warnings: [{ rule: "unknown-step" }],
    });
  });

  it("about inputs are all reported at once", () => {
    const errors = [
      inputEntry({ message: "the input version is missing", input: "version" }),
      inputEntry({ message: "there is no input colour", suggestions: ["color"] }),
    ];
    expect(invalidResult(errors, {})).toMatchObject({
      error: "the input version is missing (and 1 more)",
      errors: [
        { category: "input_validation", fixable: true, owner: "input", hint: expect.stringContaining("-i version=") },
        { suggestions: ["color"] },
      ],
    });
  });
});

describe("refusals and crashes", () => {
  it.each([
    [
      "an unknown run",
      refusedResult(
        { message: "there is no run 01NOSUCHRUN", hint: "segno runs lists them.", errorType: "UnknownRun" },
        { runId: "01NOSUCHRUN" },
      ),
      { status: "invalid", exit_code: 2, error: expect.stringContaining("01NOSUCHRUN") },
    ],
    [
      "a defect",
      crashResult(new TypeError("x is undefined")),
      { status: "failed", exit_code: 1, errors: [{ category: "exception", owner: "engine", error_type: "TypeError" }] },
    ],
    [
      "a full disk",
      crashResult(new Error("ENOSPC"), {}, "StoreError"),
      { exit_code: 1, errors: [{ owner: "environment", error_type: "StoreError" }] },
    ],
    ["something thrown that is no error", crashResult("oops"), { error: "oops" }],
  ])("%s", (_, result, expected) => {
    expect(resultSchema.parse(result)).toEqual(result);
    expect(result).toMatchObject({ success: false, ...expected });
  });

  it("have the same head as every other answer", () => {
    expect({ ...head(0), letters: [] }).toEqual({
      schema: "segno.result/1",
      success: true,
      exit_code: 0,
      error: null,
      errors: [],
      warnings: [],
      letters: [],
    });
  });
});

describe("what is said", () => {
  it("has a line for each exit code", () => expect(EXIT_CODES.map(({ code }) => code)).toEqual([0, 1, 2, 3, 4, 130]));

  it("has advice for every kind of the engine", () =>
    expect([...KINDS.keys()].filter((kind) => !ADVISED.has(kind))).toEqual([]));

  it.each([...KINDS.keys(), "external.git.drift"])("about %s is a sentence that ends in the command", (kind) => {
    const hint = hintFor(error("step", kind), { node: "step", reader: COMMAND_LINE, run: "01RUN" });
    expect(hint).toMatch(/^[A-Z]/);
    expect(hint).not.toContain("undefined");
    if (kind !== "halt.intentional") expect(hint).toMatch(/segno resume 01RUN$/);
    expect(
      traitsOf(kind).category === "execution_failure" || ENGINE_PREFIXES.some((prefix) => kind.startsWith(prefix)),
    ).toBe(true);
  });

  it("about a step that claims a kind of the engine is to choose another name, not to declare that one", () => {
    const undeclared = (original_kind: string) =>
      hintFor(
        { ...error("step", "internal.undeclared_kind"), details: { original_kind } },
        { node: "step", reader: COMMAND_LINE, run: "01RUN" },
      );
    expect(undeclared("http.status")).toMatch(/name of its own instead of http\.status/);
    expect(undeclared("http.status")).not.toContain("raises:");
    expect(undeclared("a.b")).toContain("Add a.b to `raises:`");
  });

  it("is in the JSON Schema, recursion included", () => {
    const schema = JSON.stringify(resultJsonSchema());
    for (const word of ["segno.result/1", "node_hashes", "$ref", "unpriced_models"]) expect(schema).toContain(word);
  });
});

describe("events on their way out", () => {
  const redactor = createRedactor({ secrets: ["hunter2-secret"] });
  const last = (story: Story) => redactEvent(story.events.at(-1)!, redactor);

  it("without secrets are themselves", () => {
    const [event] = new Story().started(outline("a")).events;
    expect(redactEvent(event!, redactor)).toBe(event);
  });

  it("lose secrets in what steps gave", () => {
    expect(last(new Story().done("a", { output: { token: "x", note: "hunter2-secret" } })).data).toMatchObject({
      output: { token: "<redacted>", note: "<redacted>" },
    });
  });

  it("keep the keys of the workflow's own output", () => {
    expect(last(new Story().ended({ token: "x", note: "hunter2-secret" })).data).toMatchObject({
      output: { token: "x", note: "<redacted>" },
    });
  });

  it("keep members of a group that are named like secrets", () => {
    const output = { type: "parallel", outputs: { auth: { token: "x", ok: 1 } }, errors: { token: { kind: "a.b" } } };
    expect(last(new Story().done("g", { type: "parallel", output })).data).toMatchObject({
      output: { outputs: { auth: { token: "<redacted>", ok: 1 } }, errors: { token: { kind: "a.b" } } },
    });
  });
});

it("speaks of the tool's name where the server has no such tool, not of its arguments", () => {
  const going = { node: "call", reader: COMMAND_LINE, run: null };
  const details = { server: "git", tool: "statsu", tools: ["log", "status"] };
  const unknown = { ...error("call", "mcp.tool_error"), details };
  expect(hintFor(unknown, going)).toBe(
    "The MCP server git has no tool statsu; did you mean status? Correct `tool` of step call.",
  );
  expect(hintFor({ ...unknown, details: { ...details, tool: "log" } }, going)).toContain("`arguments`");
});

describe("an agent that gave no answer", () => {
  const going = { node: "fix", reader: COMMAND_LINE, run: null };

  it.each([
    ["max_agent_iterations", /^Raise `max_agent_iterations` of step fix/, { owner: "workflow", retryable: false }],
    ["max_session_seconds", /^Raise `max_session_seconds` of step fix/, { owner: "workflow", retryable: false }],
    ["quota", /^The quota of codex is used up/, { owner: "provider" }],
    [null, /^Wait until codex answers again, or add a fallback model/, { owner: "provider", retryable: true }],
  ])("at the limit %s leads to what can be done about it", (limit, hint, traits) => {
    const details = { provider: "codex", limit };
    expect(hintFor(error("fix", "provider.exhausted", details), going)).toMatch(hint);
    expect(traitsOf("provider.exhausted", details)).toMatchObject(traits);
  });

  it("because its key was refused has the environment to blame", () => {
    expect(traitsOf("provider.rejected", { attempts: 1, status_code: 401 }).owner).toBe("environment");
  });
});

it.each([undefined, null, "run_resume it"])(
  "a run that ended itself says what of it can still run: %s",
  (lostItems) => {
    const going = { node: "stop", reader: COMMAND_LINE, run: null, ...(lostItems === undefined ? {} : { lostItems }) };
    for (const hint of [
      hintForEnding("WorkflowTerminated", going, { executions: 3, visits: 1 }) ?? "",
      hintFor(error("stop", "halt.intentional"), going),
    ]) {
      expect(hint).toContain("then start a new run.");
      expect(hint.includes("Of this run only what its groups lost can run again: run_resume it")).toBe(
        Boolean(lostItems),
      );
    }
  },
);
