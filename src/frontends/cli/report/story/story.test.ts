import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import type { ExplainAnswer, Trouble } from "../../../../services/explain/index.ts";
import { widthOf } from "../../text/width.ts";
import { storyText } from "./index.ts";

const trouble: Trouble = {
  node_id: "upload",
  path: [],
  type: "script",
  raised: [
    { kind: "registry.busy", message: "not now", attempts: [1, 2], details: { queue: 7 }, propagated: [], cause: null },
  ],
  carried: false,
  location: { file: "ship.yaml", line: 8, column: 5 },
  source: "  - name: upload",
  shell: { command: "sh -c upload", exit_code: 1, stderr: "one\ntwo" },
  retries: [{ attempt: 1, nth: 1, max: 1, delay_seconds: 0.5, by: "route" }],
  routes: [
    {
      table: "step",
      line: 15,
      text: "{ on_error: a.b, to: x }",
      taken: false,
      verdict: "other kind",
      why: "it is for a.b",
    },
    {
      table: "workflow",
      line: 5,
      text: "{ on_error: true, to: mirror }",
      taken: true,
      verdict: "matched",
      why: "taken, on to mirror",
    },
  ],
  ending: { type: "recovered", by: "mirror" },
};

const answer: ExplainAnswer = {
  schema: "segno.result/1",
  success: true,
  exit_code: 0,
  error: null,
  errors: [],
  warnings: [],
  run: {
    run_id: "01RUN",
    workflow: "ship",
    file: "ship.yaml",
    status: "failed",
    exit_code: 3,
    success: false,
    started_at: "2030-01-01T00:00:00.000Z",
    duration_ms: 1234,
    drives: 1,
    headline: "package: damaged",
    not_executed: ["tag"],
    errors: [],
    cost_usd: null,
    tokens: 0,
  },
  chapters: [
    {
      drive: 1,
      began_at: "2030-01-01T00:00:00.000Z",
      after: null,
      idle_ms: null,
      file_changed: false,
      inputs_changed: [],
      scenes: [
        { times: 3, scenes: [{ node_id: "draft", type: "agent", status: "completed", attempts: 1, duration_ms: 30 }] },
        {
          node_id: "upload",
          type: "script",
          status: "recovered",
          attempts: 2,
          duration_ms: 900,
          kind: "registry.busy",
        },
      ],
      troubles: [trouble],
      notes: [{ at: "", about: "breaker", node_id: null, message: "npm opened after 2 failures" }],
      end: null,
    },
  ],
  resume: {
    command: "segno resume 01RUN",
    changes: [{ file: "ship.yaml", node_id: "upload", what: "routes" }],
    refused: [],
    reused: ["draft", "draft", "draft"],
    changed_files: [{ node_id: "draft", path: [], files: ["draft.py"], command: "segno resume 01RUN --changed-files" }],
    runs: [
      { node_id: "package", path: [], why: "it had failed" },
      ...Array(3).fill({ node_id: "check", path: [], why: "its definition has changed" }),
    ],
    depends: [],
    asks: null,
    asks_again: [],
  },
  next: ["Fix the package, then: segno resume 01RUN"],
};

const view = {
  colors: picocolors.createColors(false),
  now: Date.parse("2030-01-01T00:05:00.000Z"),
  read: () => undefined,
};

describe("the story for a terminal", () => {
  it("reads from what ran over what went wrong to what to do", () => {
    expect(storyText(answer, { ...view, width: 100, line: 100 })).toBe(`✗ ship failed, 5 min ago
  package: damaged
  ship.yaml · 1.2s · run 01RUN

What ran
  ✓ draft   3 times  30ms
  ✓ upload  900ms, 2 attempts  registry.busy handled
  · tag did not run

▲ upload raised registry.busy
    not now
    details  queue: 7
    at       ship.yaml:8:5
             8 │   - name: upload
    command  sh -c upload  exited with 1
    stderr   one
             two
    retried  1 of 1 time, after 500ms
    routes   ·  15 { on_error: a.b, to: x }                       no: it is for a.b
             ✓   5 (error_routes) { on_error: true, to: mirror }  taken, on to mirror
    ↳ mirror handled it

▲ breaker    npm opened after 2 failures

If you resume now
  · edited      upload (its routes)
  = reused      draft (3 times)
  ! changed     draft.py since draft ran, which is reused: its inputs are the same. To run it
                again: segno resume 01RUN --changed-files
  ▸ runs        package: it had failed
  ▸ runs        check (3 times): its definition has changed

Next
  Fix the package, then: segno resume 01RUN
`);
  });

  it("has the same sign for a group that lost members as the lines of the run had", () => {
    const [chapter] = answer.chapters;
    if (!chapter) throw new Error("there is a chapter");
    const group = (failed: number) => ({
      node_id: "f",
      type: "for_each",
      status: "completed" as const,
      attempts: 1,
      duration_ms: 5,
      members: {
        count: 2,
        completed: 2 - failed,
        reused: 0,
        failed,
        recovered: 0,
        cancelled: 0,
        failed_names: [],
        recovered_names: [],
      },
    });
    const told = (failed: number): string =>
      storyText({ ...answer, chapters: [{ ...chapter, scenes: [group(failed)] }] }, { ...view, width: 100, line: 100 });
    expect(told(1)).toContain("  ▲ f  5ms  1 of 2 items done, 1 failed\n");
    expect(told(0)).toContain("  ✓ f  5ms  2 of 2 items done\n");
  });

  it("says of a run whose process is gone that it took at least as long as is known", () => {
    const scenes = [{ node_id: "build", type: "script", status: "cut_off" as const, attempts: 1, duration_ms: 22 }];
    const run = { ...answer.run!, status: "crashed" as const };
    const text = storyText(
      { ...answer, run, chapters: [{ ...answer.chapters[0]!, scenes }] },
      { ...view, width: 100, line: 100 },
    );
    expect(text).toContain("at least 1.2s");
    expect(text).toMatch(/build +at least 22ms, was cut off/);
  });

  it("says in which file and field something beside the steps was edited", () => {
    const change = { file: "ship.yaml", node_id: null, what: "changed", fields: ["workflow.limits"] } as const;
    const resume = answer.resume && { ...answer.resume, changes: [change] };
    expect(storyText({ ...answer, resume }, { ...view, width: 100, line: 100 })).toContain(
      "edited      workflow.limits in ship.yaml\n",
    );
  });

  it.each([
    ["degraded", "ended degraded"],
    ["failed", "failed"],
  ])("says of a run that was %s before that it had %s", (after, words) => {
    const [chapter] = answer.chapters;
    const chapters = chapter ? [chapter, { ...chapter, drive: 2, after }] : [];
    expect(storyText({ ...answer, chapters }, { ...view, width: 100, line: 100 })).toContain(
      `resumed after it had ${words}\n`,
    );
  });

  it("never hides what ended the run behind troubles that were handled", () => {
    const [chapter] = answer.chapters;
    const many = Array.from({ length: 20 }, (_, index) => ({ ...trouble, node_id: `step${index}` }));
    const last: Trouble = { ...trouble, node_id: "fatal", ending: { type: "unhandled" } };
    const chapters = chapter ? [{ ...chapter, troubles: [...many, last] }] : [];
    const text = storyText({ ...answer, chapters }, { ...view, width: 100, line: 100 });
    expect(text).toContain("✗ fatal raised registry.busy");
    expect(text).toContain("and 15 more troubles");
  });

  it.each([50, 72, 120])("fits into %d columns", (width) => {
    const wide = storyText(answer, { ...view, width, line: width })
      .split("\n")
      .filter((line) => widthOf(line) > width);
    expect(wide).toEqual([]);
  });

  it("does not call a retry after the run's end an attempt of the run", () => {
    const [chapter] = answer.chapters;
    const retried: Trouble = { ...trouble, ending: { type: "succeeded", attempt: 1, after_end: true } };
    const text = storyText(
      { ...answer, chapters: chapter ? [{ ...chapter, troubles: [retried] }] : [] },
      { ...view, width: 100, line: 100 },
    );
    expect(text).toContain("↳ it went well when it was run again after the run's end");
    expect(text).not.toContain("attempt 1 went well");
  });

  it.each([
    [{ limit: "timeout_seconds", allowed: 2, node_id: null }, "at once: limits.timeout_seconds (2 s) is used up."],
    [{ limit: "budget_usd", allowed: 1, node_id: "tag" }, "before tag: limits.budget_usd ($1) is used up."],
  ] as const)("says where a resume would stop: %o", (stops, words) => {
    const resume = answer.resume && { ...answer.resume, stops };
    const text = storyText({ ...answer, resume }, { ...view, width: 100, line: 100 });
    expect(text).toContain(`! stops       ${words} Raise it in the file first.`);
  });
});
