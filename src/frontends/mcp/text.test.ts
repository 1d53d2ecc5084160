import { expect, it } from "vitest";
import { plainEntry } from "../../base/results/entry.ts";
import { refusedResult } from "../../base/results/index.ts";
import type { Entry, Result } from "../../base/results/result.ts";
import { resultAnswer } from "./answer.ts";
import { gateLines, resultText, warningLines } from "./text.ts";

const failed = (entry: Partial<Entry>): Result => ({
  ...refusedResult({ message: "it failed" }),
  status: "failed",
  run_id: "01RUN",
  errors: [plainEntry({ message: "it failed", node_id: "a", ...entry })],
  checkpoint: {
    completed_nodes: [],
    node_actions: {},
    node_hashes: {},
    failed_node: "a",
    resumable: true,
    resume: "run_resume",
  },
});

it("a warning and what can be done about it are two sentences", () => {
  const hint = "A route led to yesterday.";
  expect(warningLines([plainEntry({ message: "feed is stale", kind: "feed.stale", hint })])).toEqual([
    `Warning: feed.stale: feed is stale. ${hint}`,
  ]);
  expect(warningLines([plainEntry({ message: "feed is stale.", hint })])).toEqual([`Warning: feed is stale. ${hint}`]);
});

it("an edit is spoken of only where it can help", () => {
  expect(resultText(failed({ fixable: true }))).toContain("Edit the file if need be, then call run_resume");
  expect(resultText(failed({ fixable: false }))).toMatch(/\nTo go on, call run_resume with this run_id\.$/);
});

it("the lines of stderr that were not kept are not counted", () => {
  const shell_stderr = Array.from({ length: 30 }, (_, index) => `line ${index}`).join("\n");
  expect(resultText(failed({ shell_stderr }))).toContain("the last 20 lines of stderr:");
});

it("a run that goes on has no exit code", () => {
  const { object, text, isError } = resultAnswer({ ...failed({}), status: "running", exit_code: 0, errors: [] });
  expect([object.exit_code, isError]).toEqual([null, false]);
  expect(text).toMatch(/^Run 01RUN: running\.\n/);
});

it("what stands in an error is not said again in its details", () => {
  const { object } = resultAnswer(
    failed({ shell_stderr: "no", status_code: 500, details: { stderr_tail: "no", status_code: 500, command: "x" } }),
  );
  expect(object.errors).toMatchObject([{ shell_stderr: "no", status_code: 500, details: { command: "x" } }]);
  expect(JSON.stringify(object.errors)).not.toContain("stderr_tail");
});

it("a gate that is answered is not asked about", () => {
  const gate = { name: "ask", prompt: "Ship?", options: [], who: "it is answered already", answer: "the run goes on" };
  expect(gateLines({ ...gate, answered: true })).toEqual(["The gate ask is answered: the run goes on."]);
});
