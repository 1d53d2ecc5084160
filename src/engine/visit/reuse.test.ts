// What a resume does not run again, and what it does.
import { describe, expect, it } from "vitest";
import { MemoryRun } from "../../../test/support/engine/memory-run.ts";
import { raises } from "../../../test/support/engine/scripted-world.ts";
import type { CachedOutcome, KeptOutcome } from "../outcome-cache.ts";

const CHAIN = `
workflow: { name: case, entry_point: fetch, input: { n: { type: number, default: 1 } } }
agents:
  - { name: fetch, type: script, command: fetch, args: ["{{ workflow.input.n }}"], routes: [{ to: aside }] }
  - { name: aside, type: script, command: aside, routes: [{ to: read }] }
  - { name: read, type: script, command: read, args: ["{{ fetch.output.stdout }}"], routes: [{ to: last }] }
  - { name: last, type: script, command: last, routes: [{ to: $end }] }
output: { read: "{{ read.output.stdout }}" }
`;
const ALL = ["fetch#1", "aside#1", "read#1", "last#1"];

/** A run whose last step failed it, so that all before it is recorded. */
async function failedAtLast(): Promise<MemoryRun> {
  const run = new MemoryRun(CHAIN);
  const { ran } = await run.drive({ scripts: { fetch: ["a"], last: [raises("external.down")] } });
  expect(ran).toEqual(ALL);
  return run;
}

describe("a resume", () => {
  it("runs only the step that failed", async () => {
    const run = await failedAtLast();
    const { ran, end, recorded } = await run.drive();
    expect(ran).toEqual(["last#1"]);
    expect(end.type).toBe("completed");
    expect(recorded("agent_reused").map(({ agent_name }) => agent_name)).toEqual(["fetch", "aside", "read"]);
  });

  it("runs a step that was edited, and what reads it, and says why", async () => {
    const run = await failedAtLast();
    run.edit("command: fetch", "command: fetch2");
    const { ran, recorded } = await run.drive({ scripts: { fetch: ["b"] } });
    expect(ran).toEqual(["fetch#1", "read#1", "last#1"]);
    expect(recorded("agent_started").map(({ agent_name, again }) => [agent_name, again])).toEqual([
      ["fetch", "definition changed"],
      ["read", "inputs changed"],
      ["last", undefined],
    ]);
  });

  it("does not run what reads an edited step that gives the same as before", async () => {
    const run = await failedAtLast();
    run.edit("command: fetch", "command: fetch2");
    const { ran } = await run.drive({ scripts: { fetch: ["a"] } });
    expect(ran).toEqual(["fetch#1", "last#1"]);
  });

  it("runs what reads a changed input", async () => {
    const run = await failedAtLast();
    const { ran } = await run.drive({ inputs: { n: 2 }, scripts: { fetch: ["a"] } });
    expect(ran).toEqual(["fetch#1", "last#1"]);
  });

  it("takes new routes, timeouts and descriptions for no change", async () => {
    const run = await failedAtLast();
    run.edit("command: fetch,", "command: fetch, timeout: 9, description: it fetches,");
    expect((await run.drive()).ran).toEqual(["last#1"]);
  });

  it("reads the routes of a reused step as they are now", async () => {
    const run = await failedAtLast();
    run.edit("routes: [{ to: aside }]", "routes: [{ to: read }]");
    const { ran, recorded } = await run.drive();
    expect(ran).toEqual(["last#1"]);
    expect(recorded("agent_reused").map(({ agent_name }) => agent_name)).toEqual(["fetch", "read"]);
  });

  it("records nothing of a reuse that it refuses, and remembers nothing of it either", async () => {
    const run = new MemoryRun(`
workflow: { name: case, entry_point: work }
agents:
  - { name: work, type: script, command: work, routes: [{ to: $end, when: "{{ output.stdout == 'yes' }}" }] }
output: { history: "{{ context.history | join(' ') }}" }
`);
    const { end } = await run.drive({ scripts: { work: ["no"] } });
    expect(end).toMatchObject({ error: { kind: "internal.no_route" } });
    const again = await run.drive({ scripts: { work: ["yes"] } });
    expect(again.output).toEqual({ history: "work" });
    expect(again.recorded("error_raised")).toEqual([]);
  });

  it("runs everything again with --force, and everything from a step on with --from", async () => {
    expect((await (await failedAtLast()).drive({ force: true })).ran).toEqual(ALL);
    expect((await (await failedAtLast()).drive({ from: "read" })).ran).toEqual(["read#1", "last#1"]);
  });

  it("marks a step that was mended as repaired", async () => {
    const run = await failedAtLast();
    run.edit("command: last", "command: last2");
    const { recorded } = await run.drive();
    expect(recorded("agent_completed")).toMatchObject([{ agent_name: "last", repaired: true }]);
  });

  it.each([{}, { force: true }, { from: "last" }])(
    "marks one that was edited and failed again as repaired, and no other, with %j",
    async (how) => {
      const run = await failedAtLast();
      run.edit("command: last", "command: last2");
      const scripts = { fetch: ["a"], last: [raises("external.down"), raises("external.down")] };
      const { recorded } = await run.drive({ scripts, ...how });
      expect(recorded("agent_failed")).toMatchObject([{ agent_name: "last", repaired: true }]);
      expect(recorded("agent_completed").filter(({ repaired }) => repaired)).toEqual([]);
      const again = await run.drive({ scripts });
      expect(again.recorded("agent_failed")[0]).not.toHaveProperty("repaired");
    },
  );
});

describe("a file that a script runs", () => {
  const FILES = `
workflow: { name: case, entry_point: build }
agents:
  - { name: build, type: script, command: sh, args: [build.sh], routes: [{ to: other }] }
  - { name: other, type: script, command: other, routes: [{ to: read }] }
  - { name: read, type: script, command: read, args: ["{{ build.output.stdout }}"], routes: [{ to: last }] }
  - { name: last, type: script, command: sh, args: [last.sh], routes: [{ to: $end }] }
`;
  const failed = [raises("external.down")];
  async function failedAtLast(yaml = FILES): Promise<MemoryRun> {
    const run = new MemoryRun(yaml);
    await run.drive({ files: { "build.sh": "1", "last.sh": "1" }, scripts: { build: ["a"], last: failed } });
    return run;
  }

  it("does not run again when it was edited, and the reuse says so", async () => {
    const run = await failedAtLast();
    const { ran, recorded } = await run.drive({ files: { "build.sh": "2", "last.sh": "1" } });
    expect(ran).toEqual(["last#1"]);
    expect(recorded("agent_reused").map(({ agent_name, changed_files }) => [agent_name, changed_files])).toEqual([
      ["build", ["build.sh"]],
      ["other", undefined],
      ["read", undefined],
    ]);
  });

  it("runs again with --changed-files, with what reads it, and is repaired then", async () => {
    const run = await failedAtLast();
    const files = { "build.sh": "2", "last.sh": "1" };
    const { ran, recorded } = await run.drive({ files, changedFiles: true, scripts: { build: ["b"], last: failed } });
    expect(ran).toEqual(["build#1", "read#1", "last#1"]);
    expect(recorded("agent_started")[0]).toMatchObject({ again: "files changed" });
    expect(recorded("agent_completed")[0]).toMatchObject({ agent_name: "build", repaired: true });
    expect(recorded("agent_failed")[0]).not.toHaveProperty("repaired");
    expect((await run.drive({ files, changedFiles: true })).ran).toEqual(["last#1"]);
  });

  it("makes a step that failed, and fails again with its file mended, repaired", async () => {
    const run = await failedAtLast();
    const { recorded } = await run.drive({ files: { "build.sh": "1", "last.sh": "2" }, scripts: { last: failed } });
    expect(recorded("agent_failed")).toMatchObject([{ agent_name: "last", repaired: true }]);
  });

  it("is not known when the attempt itself changed it", async () => {
    const run = new MemoryRun(FILES);
    const files: Record<string, string> = { "build.sh": "1" };
    const build = () => {
      files["build.sh"] = "2";
      return "a";
    };
    const { recorded } = await run.drive({ files, scripts: { build: [build], last: failed } });
    expect(recorded("script_completed")[0]).toMatchObject({ changed_files: ["build.sh"] });
    files["build.sh"] = "3";
    const again = await run.drive({ files, changedFiles: true, scripts: { build: ["a"] } });
    expect(again.ran).toEqual(["last#1"]);
  });

  it("is part of the hash where `files` names it", async () => {
    const run = await failedAtLast(FILES.replace("args: [build.sh]", 'args: [build.sh], files: ["lib/*.sh"]'));
    const files = { "build.sh": "1", "last.sh": "1" };
    const first = await run.drive({ files, scripts: { build: ["a"], last: failed } });
    expect(first.ran).toEqual(["last#1"]);
    const { ran, recorded } = await run.drive({ files: { ...files, "lib/*.sh": "2" }, scripts: { build: ["b"] } });
    expect(ran).toEqual(["build#1", "read#1", "last#1"]);
    expect(recorded("agent_started")[0]).toMatchObject({ again: "files changed" });
  });

  it("of an item whose failure its group did without is looked at, too", async () => {
    const run = new MemoryRun(`
workflow: { name: case, entry_point: each, input: { xs: { type: array, default: [a, b] } } }
agents:
  - { name: last, type: script, command: sh, args: [last.sh] }
for_each:
  - { name: each, type: for_each, source: workflow.input.xs, as: x, failure_mode: continue_on_error, agent: { name: w, type: script, command: sh, args: [w.sh, "{{ x }}"], raises: [a.b] }, routes: [{ to: last }] }
`);
    const scripts = { w: [(_: unknown, args: readonly string[]) => (args[1] === "b" ? raises("a.b") : "ok")] };
    await run.drive({ files: { "w.sh": "1" }, scripts: { ...scripts, last: failed } });
    const { ran, recorded } = await run.drive({ files: { "w.sh": "2" }, scripts: { ...scripts, last: failed } });
    expect(ran).toEqual(["last#1"]);
    expect(recorded("agent_reused").map(({ agent_name, changed_files }) => [agent_name, changed_files])).toEqual([
      ["w", ["w.sh"]],
      ["w", ["w.sh"]],
      ["each", undefined],
    ]);
    const changed = await run.drive({ files: { "w.sh": "2" }, scripts, changedFiles: true });
    expect(changed.ran).toEqual(["each#1[0].w", "each#1[1].w", "last#1"]);
  });

  it("is looked at inside a sub-workflow whose failure a route took", async () => {
    const run = new MemoryRun({
      "main.yaml": `
workflow: { name: case, entry_point: call }
agents:
  - { name: call, type: workflow, workflow: child.yaml, routes: [{ to: last }, { on_error: a.b, to: last }] }
  - { name: last, type: script, command: last }
`,
      "child.yaml": `
workflow: { name: child, entry_point: w }
agents:
  - { name: w, type: script, command: sh, args: [w.sh], raises: [a.b], routes: [{ to: $end }, { on_error: a.b, propagate: true }] }
`,
    });
    await run.drive({ files: { "w.sh": "1" }, scripts: { w: [raises("a.b")], last: failed } });
    const { recorded } = await run.drive({ files: { "w.sh": "2" }, scripts: { last: failed } });
    expect(recorded("agent_reused")).toMatchObject([{ agent_name: "call", changed_files: ["w.sh"] }]);
    const { ran } = await run.drive({ files: { "w.sh": "2" }, changedFiles: true });
    expect(ran).toEqual(["call#1/w#1", "last#1"]);
  });
});

describe("a cached script", () => {
  const CACHED = `
workflow: { name: case, entry_point: a }
agents:
  - { name: a, type: script, command: sh, args: [a.sh, out.txt], cache: true }
`;
  it("runs again when its file has changed, and not for a file that it writes", async () => {
    const kept = new Map<string, CachedOutcome>();
    const cache = {
      get: (key: string) => kept.get(key),
      put: (key: string, outcome: KeptOutcome) => void kept.set(key, { ...outcome, runId: "run" }),
    };
    const files: Record<string, string> = { "a.sh": "1" };
    const write = () => {
      files["out.txt"] = "written";
      return "ok";
    };
    const drive = () => new MemoryRun(CACHED).drive({ files, cache, scripts: { a: [write] } });
    expect((await drive()).ran).toEqual(["a#1"]);
    expect((await drive()).ran).toEqual([]);
    files["a.sh"] = "2";
    expect((await drive()).ran).toEqual(["a#1"]);
    expect((await drive()).ran).toEqual([]);
  });
});

describe("what a killed driver left running", () => {
  const LOOP = `
workflow: { name: case, entry_point: work, limits: { max_iterations: 20 } }
agents:
  - { name: work, type: script, command: work, routes: [{ to: check }] }
  - { name: check, type: set, value: "{{ context.iteration }}", routes: [{ to: $end, when: "{{ check.output >= 5 }}" }, { to: work }] }
`;

  it.each([{ force: true }, { from: "work" }])(
    "is ended with %j before anything starts, also when the loop comes to it under another key",
    async (how) => {
      const run = new MemoryRun(LOOP);
      await run.drive();
      run.cutAfter("agent_started", ({ key }) => key === "work#2");
      const { events } = await run.drive({ ...how, unrecordedOrphans: { "run:work#2:1": 4711 } });
      const types = events.map(({ type }) => type);
      expect(types.slice(0, 3)).toEqual(["run_resumed", "orphan_ended", "agent_started"]);
      expect(events[1]).toMatchObject({ data: { agent_name: "work", pid: 4711 } });
    },
  );

  it("is ended by the process group that was recorded", async () => {
    const run = await failedAtLast();
    run.cutAfter("agent_started", ({ agent_name }) => agent_name === "last");
    const spawned = { agent_name: "last", key: "last#1", pid: 77, started_at: "boot/1" };
    run.journal.push({ ...run.journal.at(-1)!, seq: run.journal.length + 1, type: "script_spawned", data: spawned });
    expect((await run.drive({ force: true, orphans: [77] })).recorded("orphan_ended")).toEqual([
      { agent_name: "last", pid: 77 },
    ]);
  });
});

const HANDLED = `
workflow: { name: case, entry_point: work }
agents:
  - { name: work, type: script, command: work, routes: [{ to: $end }, { on_error: external.down, to: mend }] }
  - { name: mend, type: script, command: mend, args: ["{{ error.kind }}"], routes: [{ to: last }] }
  - { name: last, type: script, command: last, routes: [{ to: $end }] }
`;
const scripts = { work: [raises("external.down")] };

describe("an error that was handled", () => {
  it("is not made again, and its handler ran once", async () => {
    const run = new MemoryRun(HANDLED);
    await run.drive({ scripts: { ...scripts, last: [raises("app.late")] } });
    const { ran, recorded } = await run.drive({ scripts });
    expect(ran).toEqual(["last#1"]);
    expect(recorded("agent_reused")).toMatchObject([
      { agent_name: "work", kind: "external.down" },
      { agent_name: "mend" },
    ]);
  });

  it("is taken up where a crash cut it off, before its routes were read", async () => {
    const run = new MemoryRun(HANDLED);
    await run.drive({ scripts });
    run.cutAfter("error_raised");
    const { ran, recorded, end } = await run.drive({ scripts });
    expect(ran).toEqual(["mend#1", "last#1"]);
    expect(recorded("error_routed")).toMatchObject([{ node: "work", to: "mend" }]);
    expect(end.type).toBe("completed");
  });

  it("fails the run when no route takes it any more; only the resume after that makes it again", async () => {
    const run = new MemoryRun(HANDLED);
    await run.drive({ scripts: { ...scripts, last: [raises("app.late")] } });
    run.edit("on_error: external.down", "on_error: app.other");
    expect(await run.drive({ scripts })).toMatchObject({ ran: [], end: { type: "raised", node: "work" } });
    expect(await run.drive({ scripts: { work: ["well"] } })).toMatchObject({
      ran: ["work#1"],
      end: { type: "completed" },
    });
  });

  it("keeps its retries used up when a crash comes between two of them", async () => {
    const retried = HANDLED.replace(
      "to: mend }",
      "retry: { max: 2, initial_seconds: 1 } }, { on_error: external.down, to: mend }",
    );
    const run = new MemoryRun(retried);
    await run.drive({ scripts });
    run.cutAfter("retry_scheduled", ({ nth }) => nth === 1);
    const { ran, recorded } = await run.drive({ scripts });
    expect(ran).toEqual(["work#1", "work#1", "mend#1", "last#1"]);
    expect(recorded("retry_scheduled").map(({ nth }) => nth)).toEqual([2]);
  });
});
