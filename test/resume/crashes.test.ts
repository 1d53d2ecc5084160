// Killed at a chosen write, then resumed: what had ended stands, what had not goes on where it was.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunEvent } from "../../src/base/events/registry.ts";
import { openStore } from "../../src/storage/embedded/store.ts";
import { newRunId } from "../../src/storage/run-index.ts";
import { script, statuses, Workshop } from "./workshop.ts";

const key = (name: string, more: string, fails = "false"): string =>
  `{ name: ${name}, type: script, command: sh, args: ["-c", "echo \${SEGNO_IDEMPOTENCY_KEY#*:} >> marks; o=\${SEGNO_IDEMPOTENCY_KEY##*:}; ${fails} && exit 1; exit 0"], raises: [app.no], ${more} }`;

const eventsOf = (shop: Workshop, runId: string): RunEvent[] =>
  readFileSync(join(shop.session.home, "runs", runId, "events.jsonl"), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as RunEvent);

const MOMENTS = [
  "after:agent_started",
  "after:agent_failed",
  "before:error_routed",
  "after:agent_completed",
  "before:workflow_completed",
];

/** Kills a run at each of these moments, one run each, and looks at what the resumed ones left behind. */
const atEach = (files: Readonly<Record<string, string>>, check: (shop: Workshop, moment: string) => Promise<void>) =>
  Promise.all(
    MOMENTS.map(async (moment) => {
      const shop = new Workshop(files);
      await shop.killedAt(`kill-${moment}`);
      await check(shop, moment);
    }),
  );

test("after a crash it is the same visit, whose attempt is one more under the same key; after a failure a new one", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: a }
agents:
  - ${key("a", "routes: [{ on_error: true, retry: { max: 1, initial_seconds: 0.01 } }, { to: $end }]", "true")}
`,
  });
  // Killed when the first attempt has begun: it runs again as the second, with the key that it had.
  await shop.killedAt("kill-after:agent_started");
  const { result } = await shop.resume("main.yaml");
  expect(result.exit_code).toBe(3);
  expect(shop.marks()).toEqual(["a#1:1", "a#1:2"]);
  expect(result.errors[0]).toMatchObject({ node_id: "a", attempts: 3 });
  // Failed: a new visit with its own budget and fresh keys.
  const again = (await shop.resume(result.run_id!)).result;
  expect(shop.marks()).toEqual(["a#1:3", "a#1:4"]);
  expect(again.errors[0]).toMatchObject({ attempts: 2 });
});

test("a retry that is waited for goes on at its attempt, and waits what is left of its wait", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: a }
agents:
  - ${key("a", "routes: [{ on_error: true, retry: { max: 1, initial_seconds: 3, backoff: fixed } }, { on_error: true, to: handler }, { to: $end }]", "[ $o = 1 ]")}
  - ${script("handler", "routes: [{ to: $end }]")}
`,
  });
  await shop.killedAt("kill-after:retry_scheduled");
  expect(shop.marks()).toEqual(["a#1:1"]);
  const { result, events } = await shop.resume("main.yaml");
  expect(shop.marks()).toEqual(["a#1:2"]);
  expect(statuses(result)).toMatchObject({ a: "completed", handler: "not_executed" });
  const at = (type: string, nth: number): number => Date.parse(events.filter((event) => event.type === type)[nth]!.ts);
  const scheduled = events.find((event) => event.type === "retry_scheduled")?.data;
  // Both are whole milliseconds.
  expect(at("agent_started", 1)).toBeGreaterThanOrEqual(Date.parse(scheduled?.until ?? "") - 1);
  const told = events.find(({ type }) => type === "retry_awaited")?.data as { remaining_seconds: number } | undefined;
  expect(told).toMatchObject({ node: "a", attempt: 1, max: 1 });
  expect(told?.remaining_seconds).toBeGreaterThan(0);
  expect(told?.remaining_seconds).toBeLessThan(3);
});

test("a wait goes on for what is left of it", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: a }
agents:
  - { name: a, type: wait, duration: 4s, routes: [{ to: $end }] }
`,
  });
  await shop.killedAt("kill-after:wait_started");
  const { result, events } = await shop.resume("main.yaml");
  expect(result.status).toBe("completed");
  const [first, second, ...more] = events.filter((event) => event.type === "wait_started");
  const done = Date.parse(events.find((event) => event.type === "wait_completed")!.ts);
  expect(more).toEqual([]);
  expect(done - Date.parse(first!.ts)).toBeGreaterThanOrEqual(3990);
  // How long it took in the end says nothing: a busy machine is late to wake it.
  expect((second!.data as { remaining_seconds: number }).remaining_seconds).toBeLessThan(4);
});

const runOf = (home: string): string => {
  return readdirSync(join(home, "runs"))[0] ?? "";
};

test("a gate that was answered still leads where the answer led", async () => {
  const files = {
    "main.yaml": `
workflow: { name: w, entry_point: ask }
agents:
  - name: ask
    type: human_gate
    prompt: Where?
    options: [{ label: There, value: there, route: there }, { label: Here, value: here }]
    routes: [{ to: here }]
  - ${script("here", "routes: [{ to: $end }]")}
  - ${script("there", "routes: [{ to: $end }]")}
`,
  };
  const shop = new Workshop(files);
  const { result } = await shop.segno(["run", "main.yaml"]);
  expect(result).toMatchObject({ status: "paused", exit_code: 4 });
  // Asked again by a resume, and still open.
  expect((await shop.resume(result!.run_id!)).result.status).toBe("paused");
  await shop.killedAt("kill-after:gate_resolved", ["gate", "answer", result!.run_id!, "there"]);
  expect((await shop.resume(result!.run_id!)).result.status).toBe("completed");
  expect(new Set(shop.marks())).toEqual(new Set(["there"]));
});

test("inside a sub-workflow, killed again and again, nothing that ended runs again", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: sub }
agents:
  - { name: sub, type: workflow, workflow: ./child.yaml, routes: [{ to: $end }] }
`,
    "child.yaml": `
workflow: { name: child, entry_point: one }
agents:
  - ${key("one", "routes: [{ to: two }]")}
  - ${key("two", "routes: [{ to: three }]")}
  - ${key("three", "routes: [{ to: $end }]")}
`,
  });
  await shop.killedAt("kill-after:agent_completed");
  await shop.killedAt("kill-after:agent_completed", ["resume", "main.yaml"]);
  await shop.killedAt("kill-before:agent_completed", ["resume", "main.yaml"]);
  const { result } = await shop.resume("main.yaml");
  expect(result.status).toBe("completed");
  const marks = shop.marks();
  expect(new Set(marks)).toEqual(new Set(["sub#1/one#1:1", "sub#1/two#1:1", "sub#1/three#1:1"]));
  expect(marks.filter((mark) => mark.includes("one"))).toHaveLength(1);
});

test("of a group only the members that had not ended run again; a failure that was recorded stands", async () => {
  await atEach(
    {
      "main.yaml": `
workflow: { name: w, entry_point: both }
agents:
  - ${key("x", "", "true")}
  - ${key("y", "")}
  - ${script("handler", "routes: [{ to: $end }]", { mark: "handler {{ both.failed }}" })}
parallel:
  - { name: both, agents: [x, y], failure_mode: all_or_nothing, max_concurrent: 1, routes: [{ on_error: true, to: handler }, { to: $end }] }
`,
    },
    async (shop, moment) => {
      const { result } = await shop.segno(["resume", "main.yaml"]);
      expect(result?.status, moment).toBe("completed");
      const marks = shop.marks();
      expect(new Set(marks)).toEqual(new Set(["both#1.x:1", "both#1.y:1", "handler 1"]));
      expect(marks.length).toBeLessThanOrEqual(4);
      const failures = eventsOf(shop, runOf(shop.session.home)).filter(({ type }) => type === "agent_failed");
      expect(failures.filter((event) => (event.data as { agent_name: string }).agent_name === "x")).toHaveLength(1);
    },
  );
}, 60_000);

test("a line for each unhandled error is in errors.jsonl, also when the process died before it could write it", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: a }
agents:
  - ${script("a", "routes: [{ to: $end }]", { mayFail: true })}
`,
  });
  const { result } = await shop.segno(["run", "main.yaml"]);
  expect(result?.exit_code).toBe(3);
  let drives = 1;
  // The line is written once the event is: a process that dies between the two has not written it.
  for (const when of ["before", "after", "before", "after"]) {
    await shop.segno(["resume", "main.yaml"], `kill-${when}:workflow_failed`);
    drives += 1;
  }
  const { errorLines, events } = await shop.resume("main.yaml");
  expect(events.filter(({ type }) => type === "run_resumed")).toHaveLength(drives);
  expect(errorLines).toHaveLength(events.filter(({ type }) => type === "workflow_failed").length);
});

test("a step that could not be prepared is not told twice, and its handler runs once", async () => {
  await atEach(
    {
      "main.yaml": `
workflow: { name: w, entry_point: a }
agents:
  - ${script("a", "routes: [{ to: b }]", { output: '{"v": 1}' })}
  - ${script("b", "routes: [{ on_error: true, to: handler }, { to: $end }]", { mark: "{{ a.output.nothing }}" })}
  - ${script("handler", "routes: [{ to: $end }]", { mark: "handler {{ error.attempts }}" })}
`,
    },
    async (shop, moment) => {
      const { result } = await shop.segno(["resume", "main.yaml"]);
      expect(result?.status, moment).toBe("completed");
      const marks = shop.marks().filter((mark) => mark !== "a");
      // Cut off in the middle of the attempt that failed, that one counts; in any case there is one handler for one error.
      expect(new Set(marks).size, moment).toBe(1);
      expect(marks[0]).toMatch(/^handler [12]$/);
    },
  );
}, 60_000);

test("hooks of a workflow that has begun, or ended, do not run again", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: sub }
agents:
  - { name: sub, type: workflow, workflow: ./child.yaml, routes: [{ to: last }] }
  - ${script("last", "routes: [{ to: $end }]", { mayFail: true })}
`,
    "child.yaml": `
workflow:
  name: child
  entry_point: one
  hooks: { on_start: { command: sh, args: ["-c", "echo begin >> marks"] }, on_complete: { command: sh, args: ["-c", "echo end >> marks"] } }
agents:
  - ${script("one", "routes: [{ to: $end }]")}
`,
  });
  const { result } = await shop.run("main.yaml");
  expect(shop.marks()).toEqual(["begin", "one", "end", "last"]);
  shop.write({ "ok-last": "" });
  await shop.resume(result.run_id!);
  expect(shop.marks()).toEqual(["last"]);
});

/** A run with the beginning of another one's journal: as if it had been cut off there. */
function cutOff(shop: Workshop, events: readonly RunEvent[]): string {
  const store = openStore(shop.session.home);
  const runId = newRunId();
  const file = join(shop.folder, "main.yaml");
  const run = store.createRun({ runId, workflow: "w", file, durability: "process" });
  run.append(events.map((event) => ({ ...event, run_id: runId })));
  run.release();
  store.close();
  return runId;
}

test.each([
  ["sub-workflow", "c#1", "c#1~2/x#1:1", "  - { name: c, type: workflow, workflow: ./child.yaml, ROUTES }"],
  [
    "group",
    "c#1",
    "c#1~2.x:1",
    `MEMBERS\nparallel:\n  - { name: c, agents: [x, y], failure_mode: all_or_nothing, ROUTES }`,
  ],
])(
  "a %s whose error was recorded, but not yet its retry, is tried again for real",
  async (_, container, mark, node) => {
    const x = key("x", "routes: [{ to: $end }]", "case $SEGNO_IDEMPOTENCY_KEY in *~2*) false ;; *) true ;; esac");
    const member = key("x", "", "case $SEGNO_IDEMPOTENCY_KEY in *~2*) false ;; *) true ;; esac");
    const routes = "routes: [{ on_error: true, retry: { max: 1, initial_seconds: 0.01 } }, { to: $end }]";
    const shop = new Workshop({
      "main.yaml": `
workflow: { name: w, entry_point: c }
agents:
${node.replace("ROUTES", routes).replace("MEMBERS", `  - ${member}\n  - ${key("y", "")}`)}
`,
      "child.yaml": `
workflow: { name: child, entry_point: x }
agents:
  - ${x}
`,
    });
    const whole = await shop.segno(["run", "main.yaml"]);
    expect(whole.result?.status).toBe("completed");
    const events = eventsOf(shop, whole.result?.run_id ?? "");
    const end = events.findIndex(
      ({ type, data }) => type === "error_raised" && "key" in data && data.key === container,
    );
    const runId = cutOff(shop, events.slice(0, end + 1));
    shop.marks();
    const { result } = await shop.segno(["resume", runId]);
    expect(result?.status).toBe("completed");
    // That alone: what had ended well in the first round did.
    expect(shop.marks()).toEqual([mark]);
  },
);

test("warnings from inside a group of sub-workflows stay when the group is not entered again", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: all }
agents:
  - ${script("last", "routes: [{ to: $end }]")}
for_each:
  - { name: all, type: for_each, source: "{{ [1, 2] }}", as: item, failure_mode: continue_on_error, agent: { name: sub, type: workflow, workflow: ./child.yaml }, routes: [{ on_error: true, to: last }, { to: last }] }
`,
    "child.yaml": `
workflow: { name: child, entry_point: p }
agents:
  - ${key("p", "routes: [{ on_error: true, to: q }, { to: q }]", "true")}
  - ${key("q", "routes: [{ to: $end }]", "true")}
`,
  });
  const places = (result: { warnings: readonly { node_id?: string | null; path?: readonly string[] }[] } | undefined) =>
    result?.warnings.map(({ node_id, path = [] }) => [...path, node_id].join("/")).sort();
  const whole = await shop.segno(["run", "main.yaml"]);
  expect(places(whole.result)).toContain("all[0]/p");
  await shop.killedAt("kill-before:workflow_completed");
  const { result } = await shop.segno(["resume", "main.yaml"]);
  expect(places(result)).toEqual(places(whole.result));
});

test("attempts of a group that is retried are numbered on over its rounds, one that was cut off counted once", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: all, input: { xs: { type: array, default: [x] } } }
agents:
  - ${script("after", "routes: [{ to: $end }]")}
for_each:
  - name: all
    type: for_each
    source: workflow.input.xs
    as: x
    agent: ${script("each", "", { mayFail: true })}
    routes: [{ on_error: true, retry: { max: 2, backoff: fixed, initial_seconds: 0.01 } }, { on_error: true, to: after }, { to: $end }]
`,
  });
  await shop.killedAt("kill-after:retry_scheduled");
  await shop.killedAt("kill-after:for_each_item_started", ["resume", "main.yaml"]);
  const { events } = await shop.resume("main.yaml");
  const starts = events.flatMap(({ type, data }) =>
    type === "agent_started" && data.agent_name === "each" ? [[data.key, data.attempt]] : [],
  );
  expect(starts).toEqual([
    ["all#1[0].each", 1],
    ["all#1~2[0].each", 2],
    ["all#1~2[0].each", 3],
    ["all#1~3[0].each", 4],
  ]);
});

test("what happened in a group's earlier rounds stays in the result when a later round was cut off", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: pair }
agents:
  - ${script("steady")}
  - ${script("shaky", "routes: [{ on_error: true, retry: { max: 1, backoff: fixed, initial_seconds: 0.01 }, to: mend }]", { mayFail: true })}
  - ${script("mend")}
parallel:
  - name: pair
    agents: [steady, shaky]
    failure_mode: all_or_nothing
    max_concurrent: 1
    routes: [{ on_error: true, retry: { max: 1, backoff: fixed, initial_seconds: 0.01 } }, { to: $end }]
`,
  });
  // The second retry is that of the group.
  await shop.killedAt("kill-after:group_failed");
  await shop.killedAt("kill-after:parallel_started", ["resume", "main.yaml"]);
  shop.write({ "ok-shaky": "" });
  const { result } = await shop.resume("main.yaml");
  expect(result.status).toBe("completed");
  expect(statuses(result).mend).toMatch(/^completed/);
  expect(result.warnings).toMatchObject([{ kind: "internal.script_error", node_id: "shaky", group: "pair" }]);
});
