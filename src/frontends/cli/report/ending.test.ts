import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import type { Entry, Result } from "../../../base/results/result.ts";
import { runReport } from "../commands/show.ts";
import { notSkipped } from "../drive.ts";
import { ending } from "./ending.ts";
import { errorBlock } from "./error-block.ts";

const colors = picocolors.createColors(false);
const view = { colors, width: 80, read: () => "line one\n  push: { branch: main }\n" };

const entry = (more: Partial<Entry> = {}): Entry => ({
  source: "runtime",
  category: "execution_failure",
  kind: "external.git.drift",
  message: "SHA mismatch",
  node_id: "publish",
  action: "error",
  fixable: true,
  retryable: false,
  owner: "workflow",
  ...more,
});

const result = (more: Partial<Result>): Result => ({
  schema: "segno.result/1",
  success: false,
  status: "failed",
  exit_code: 3,
  run_id: "01RUN",
  workflow: "release",
  file: "release.yaml",
  output: null,
  error: "publish: SHA mismatch",
  errors: [],
  checkpoint: null,
  execution: { duration_ms: 1234, nodes_executed: 1, nodes_total: 3, steps: [] },
  metrics: null,
  termination: null,
  gate: null,
  warnings: [],
  artifacts: { events_jsonl: "/h/events.jsonl", errors_jsonl: "/h/errors.jsonl", run_dir: "/h" },
  ...more,
});

const checkpoint = {
  completed_nodes: [],
  node_actions: {},
  node_hashes: {},
  failed_node: "publish",
  resumable: true,
  resume: "segno resume 01RUN",
};

describe("the end of a run", () => {
  it("lists the values that a paused run can be answered with, each with the text that it asks for", () => {
    const options = [
      { label: "Ship it", value: "yes" },
      { label: "no", value: "no", prompt_for: "why" },
      { label: "Later", value: "later", prompt_for: "when", prompt_optional: true as const },
    ];
    const gate = {
      node_id: "ask",
      name: "ask",
      key: "ask#1",
      path: [],
      kind: "gate",
      prompt: "Ship?",
      options,
      who: "anybody may answer",
      answer: "segno gate answer 01RUN VALUE",
    } as const;
    const said = ending(result({ status: "paused", exit_code: 4, gate }), view);
    expect(said.split("\n").slice(0, 4)).toEqual([
      "  answer   segno gate answer 01RUN VALUE",
      "           yes  Ship it",
      "           no  with --input why=TEXT",
      "           later  Later  with --input when=TEXT, if you like",
    ]);
    const rules = { approvers: ["alex"], not_by: ["root@vm"] };
    const restricted = result({ status: "paused", exit_code: 4, gate: { ...gate, ...rules } });
    expect(ending(restricted, view).split("\n").slice(0, 2)).toEqual([
      "  answer   only alex may answer; not root@vm, who started or changed the run (four_eyes)",
      "           segno gate answer 01RUN VALUE",
    ]);
    expect(notSkipped(restricted)).toEqual([
      "ask was not skipped: only alex may answer; not root@vm, who started or changed the run (four_eyes).",
    ]);
    expect(notSkipped(result({ status: "paused", exit_code: 4, gate }))).toEqual([]);
  });

  it("lists every gate that waits, and options that they share once", () => {
    const options = [{ label: "Go", value: "go" }];
    const gates = ["each[0]", "each[1]"].map((name) => ({
      node_id: "g",
      name,
      key: name,
      path: [],
      kind: "gate" as const,
      who: "anybody may answer",
      prompt: "Go?",
      options,
      answer: `segno gate answer 01RUN VALUE --gate '${name}'`,
    }));
    const said = ending(result({ status: "paused", exit_code: 4, gate: gates[0] ?? null, gates }), view);
    expect(said.split("\n").slice(0, 3)).toEqual([
      "  answer   segno gate answer 01RUN VALUE --gate 'each[0]'",
      "  answer   segno gate answer 01RUN VALUE --gate 'each[1]'",
      "           go  Go",
    ]);
    expect(said).toContain("paused at each[0] and 1 more");
  });

  it("shows the last twenty lines of what a failed script said, and nothing twice", () => {
    const shell_stderr = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join("\n");
    const failed = entry({
      kind: "internal.script_error",
      message: "x",
      shell_stderr,
      details: { stderr_tail: shell_stderr },
    });
    const said = ending(result({ errors: [failed] }), view);
    expect(said).toMatch(/ {2}stderr \(last 20 of 30 lines\)\n {4}line 11\n/);
    expect(said.match(/line 30/g)).toHaveLength(1);
    const short = entry({ message: "sh exited with code 1: the cause", shell_stderr: "the cause\n" });
    expect(ending(result({ errors: [short] }), view).match(/the cause/g)).toHaveLength(1);
  });

  it("says with a warning that is no error what can be done, once", () => {
    const again = "To run it again: segno resume 01RUN --changed-files";
    const warnings = [
      entry({ kind: null, node_id: "load", message: "load.sh has changed since load ran.", hint: again }),
      entry({
        kind: null,
        node_id: null,
        message: "One letter. Try: segno dlq retry 01A",
        hint: "segno dlq retry 01A",
      }),
      entry({ hint: "The group went on without it." }),
    ];
    expect(
      ending(result({ status: "completed", success: true, warnings }), view)
        .split("\n")
        .slice(0, 3),
    ).toEqual([
      `▲ load: load.sh has changed since load ran. ${again}`,
      "▲ One letter. Try: segno dlq retry 01A",
      "▲ publish: external.git.drift: SHA mismatch",
    ]);
  });

  it("breaks warnings and the last line at words in a terminal, and nowhere else", () => {
    const warnings = [entry({ message: "the journal was shorter than it had been, so its last steps run again" })];
    const done = result({ status: "completed", success: true, run_id: "01M7F7PXQAK15RA3B9HNWXV16N", warnings });
    expect(ending(done, { ...view, terminal: 45 }).split("\n")).toEqual([
      "▲ publish: external.git.drift: the journal",
      "  was shorter than it had been, so its last",
      "  steps run again",
      "✓ release completed  1.2s · 1 of 3 steps ·",
      "  run WXV16N",
      "",
    ]);
    const lines = ending(done, view).split("\n");
    expect(lines).toHaveLength(3);
    // Whoever pipes it gets the whole id.
    expect(lines[1]).toContain("run 01M7F7PXQAK15RA3B9HNWXV16N");
  });

  it("says of an unhandled error what, where, which way it went, its details, and how to go on", () => {
    const error = entry({
      raised_at: { workflow: "child", node: "push", attempt: 2 },
      propagated: [
        { workflow: "middle", node: "ship" },
        { workflow: "release", node: "publish" },
      ],
      attempts: 2,
      details: { branch: "main", empty: "", log: "1\n2" },
      location: { file: "child.yaml", line: 2, column: 3 },
      hint: "Fix step push, then: segno resume 01RUN",
    });
    expect(ending(result({ errors: [error], checkpoint }), view)).toBe(`
✗ external.git.drift
  SHA mismatch
  raised   push in child, after 2 attempts
  went up  ship in middle, then publish in release
  at       child.yaml:2:3
           2 │   push: { branch: main }
             │   ^~~~
  details
    branch: main
    log:
      1
      2
  next     Fix step push.

  resume   segno resume 01RUN
  errors   /h/errors.jsonl

✗ release failed at publish: external.git.drift  1.2s · 1 of 3 steps · run 01RUN
`);
  });

  it("names the step that raised, and the item of every group that it was in", () => {
    const nested = entry({
      node_id: "call",
      group: "regions",
      item_key: "us",
      items: [
        { group: "regions", item_key: "us" },
        { group: "hosts", item_key: "q" },
      ],
      raised_at: { workflow: "child", node: "ping", attempt: 1 },
      propagated: [{ workflow: "release", node: "call", group: "regions", item_key: "us" }],
    });
    const said = ending(result({ errors: [nested] }), view);
    expect(said).toContain(
      "  raised   ping in child\n  item     regions[us] › hosts[q]\n  went up  regions[us] in release\n",
    );
    const single = entry({ group: "hosts", item_key: "q", raised_at: { workflow: "w", node: "ping", attempt: 1 } });
    expect(ending(result({ errors: [single] }), view)).toContain("  raised   ping in w\n  item     hosts[q]\n");
  });

  it("leaves out the plain command where a hint has it with an option that it needs", () => {
    const hint = "Raise the limit, or allow more now: segno resume 01RUN --max-iterations 40";
    const said = ending(result({ errors: [entry({ hint })], checkpoint }), view);
    expect(said.match(/segno resume/g)).toHaveLength(1);
    expect(said).toContain("--max-iterations 40");
  });

  it("does not repeat what was said while the run went on, nor what the last line says", () => {
    const warnings = [
      entry({ recovered_by: "mend" }),
      entry({ kind: null, node_id: "load", message: "load.sh has changed." }),
      entry({ kind: null, node_id: "load", message: "data.csv has changed.", hint: "To run it again: segno resume" }),
    ];
    const said = new Set(warnings.map(({ message }) => message));
    const done = result({ status: "completed", success: true, warnings });
    expect(ending(done, view, { said }).split("\n").slice(0, -2)).toEqual([
      "▲ publish: external.git.drift (handled by mend)",
      "▲ load: To run it again: segno resume",
    ]);
    const termination = { status: "failed", reason: "no release: SHA mismatch", terminated_by: "stop" } as const;
    const ended = ending(result({ status: "terminated", termination, warnings: warnings.slice(0, 1) }), view);
    expect(ended.match(/SHA mismatch/g)).toHaveLength(1);
  });

  const lines: [string, Partial<Result>, string][] = [
    [
      "a success",
      { status: "completed", success: true, exit_code: 0 },
      "✓ release completed  1.2s · 1 of 3 steps · run 01RUN\n",
    ],
    [
      "a terminate, with its reason and what to do about it",
      {
        status: "terminated",
        termination: { status: "failed", reason: "cannot process 3", terminated_by: "stop" },
        errors: [entry({ kind: null, hint: "Deal with the reason, then start a new run." })],
      },
      "  next     Deal with the reason, then start a new run.\n\n✗ release terminated by stop: cannot process 3  1.2s · 1 of 3 steps · run 01RUN\n",
    ],
    [
      "a degraded run, with what was lost",
      {
        status: "degraded",
        success: true,
        exit_code: 0,
        warnings: [entry({ node_id: "w", item_key: "eu", kind: "item.bad", message: "no region" })],
      },
      "▲ w[eu]: item.bad: no region\n  again    segno resume 01RUN --failed-items\n\n✓ release degraded: members of a group were lost  1.2s · 1 of 3 steps · run 01RUN\n",
    ],
    [
      "what a route took inside of items and sub-workflows, by the names that they had on the way",
      {
        status: "completed",
        success: true,
        exit_code: 0,
        warnings: ["f[0]", "f[1]", "kid"].map((slot) => entry({ node_id: "y", path: [slot], recovered_by: "z" })),
      },
      "▲ f[0]/y: external.git.drift: SHA mismatch (handled by z)\n▲ f[1]/y: external.git.drift: SHA mismatch (handled by z)\n▲ kid/y: external.git.drift: SHA mismatch (handled by z)\n✓ release completed  1.2s · 1 of 3 steps · run 01RUN\n",
    ],
    [
      "a stop by the user",
      { status: "cancelled", exit_code: 130, checkpoint, errors: [entry()] },
      "  resume   segno resume 01RUN\n\n- release cancelled  1.2s · 1 of 3 steps · run 01RUN\n",
    ],
  ];
  it.each(lines)("says of %s what it was, and no more", (_, more, text) => {
    expect(ending(result(more), view)).toBe(text);
  });

  it("keeps to the last line with -q", () => {
    expect(ending(result({ errors: [entry()], checkpoint }), view, { quiet: true }).split("\n")).toHaveLength(2);
  });

  it("never shows what would move the cursor", () => {
    expect(
      ending(result({ errors: [entry({ message: "a\u001b[2Jb", details: { x: "\u001b]0;t\u0007y" } })] }), view),
    ).not.toMatch(/[\u001b\u0007]/);
  });
});

describe("a retry of dead letters that resolved none", () => {
  it("is no success, although its run has ended well", () => {
    const answer = result({
      status: "completed",
      success: false,
      exit_code: 3,
      error: "2 of 2 letters could not be resolved",
    });
    expect(ending(answer, view, { quiet: true })).toMatch(
      /^✗ release completed, but 2 of 2 letters could not be resolved {2}/,
    );
  });
});

describe("the report of a run", () => {
  it("says of what was cut off that it took at least as long as is known", () => {
    const step = { node_id: "build", duration_ms: 22, cached: false, repaired: false, attempts: 1 };
    const steps = [{ ...step, status: "cancelled", cut_off: true } as const];
    const errors = [entry({ error_type: "Interrupted" })];
    const execution = { duration_ms: 107, nodes_executed: 0, nodes_total: 1, steps };
    const text = runReport(result({ execution, errors }), view);
    expect(text).toContain("  at least 107ms · 0 of 1 step");
    expect(text).toMatch(/build +at least 22ms, was cut off/);
    expect(
      runReport(result({ execution: { ...execution, steps: [{ ...step, status: "completed" }] } }), view),
    ).not.toContain("at least");
  });

  it("lists steps with their signs, times and kinds", () => {
    const step = { duration_ms: 150, cached: false, repaired: false, attempts: 1 };
    const steps = [
      { ...step, node_id: "fetch", status: "recovered" as const, attempts: 3, kind: "net.slow" },
      {
        ...step,
        node_id: "plan",
        status: "completed" as const,
        cached: true,
        steps: [{ ...step, node_id: "draft", status: "completed" as const, repaired: true }],
      },
      { ...step, node_id: "publish", status: "failed" as const, kind: "external.git.drift" },
      { ...step, node_id: "notify", status: "not_executed" as const, duration_ms: null, attempts: 0 },
    ];
    const text = runReport(result({ execution: { duration_ms: 1, nodes_executed: 2, nodes_total: 4, steps } }), view);
    expect(text.split("\n\n")[1]).toBe(`✓ fetch    150ms, 3 attempts  net.slow, handled
✓ plan     150ms, reused
  ✓ draft  150ms, changed since it last ran
✗ publish  150ms  external.git.drift
· notify   did not run`);
  });
});

it("calls an ending that has no kind by words, not by a class", () => {
  const limit = entry({ kind: null, error_type: "MaxIterationsError", message: "3 step executions" });
  const text = errorBlock(limit, view).join("\n");
  expect(text).toContain("✗ limit reached: max_iterations");
  expect(text).not.toContain("MaxIterationsError");
});
