// What becomes of an error that no route took, through the services, on a real store.
import { expect, test } from "vitest";
import { VirtualClock } from "../../src/storage/clock.ts";
import { until } from "../support/until.ts";
import { startApi } from "./api.ts";
import { Workshop } from "./workshop.ts";

/** A script that raises `kind` for its first `times` executions and counts them. */
const flow = (resilience: string, { times = 99, kind = "transient.blip", extra = "" } = {}): string => `
workflow: { name: w, entry_point: a, limits: { max_iterations: 50 }, resilience: ${resilience} }
agents:
  - name: a
    type: script
    command: sh
    args:
      - -c
      - |
        echo x >> count
        if [ "$(wc -l < count)" -le ${times} ]; then echo '{"kind":"${kind}","message":"it blipped"}' > "$CONDUCTOR_ERROR_OUT"; fi
    ${extra}
`;
const RETRY = "retry: { max_retries: 3, initial_delay: 0.01, jitter: 0, retryable: ['transient.*'] }";

test("a retry of the policy says so, and how long it waits", async () => {
  const shop = new Workshop({ "main.yaml": flow(`{ ${RETRY} }`, { times: 2 }) });
  const result = await shop.run();
  expect(result.status).toBe("completed");
  expect(shop.events(result, "retry_scheduled")).toMatchObject([
    { by: "resilience", kind: "transient.blip", attempt: 1, max: 3, delay_seconds: 0.01 },
    { by: "resilience", attempt: 2, delay_seconds: 0.02 },
  ]);
});

test("a route that matched is all that happens to an error, even when its retries are spent", async () => {
  const routes = "routes: [{ to: $end }, { on_error: true, retry: { max: 1, initial_seconds: 0.01 } }]";
  const shop = new Workshop({ "main.yaml": flow(`{ ${RETRY}, dead_letter: true }`, { extra: routes }) });
  const result = await shop.run();
  // One by the route; then no route matches any more, and the policy has its three.
  expect(shop.lines("count")).toBe(5);
  expect(shop.events(result, "retry_scheduled").map(({ by }) => by ?? "route")).toEqual([
    "route",
    "resilience",
    "resilience",
    "resilience",
  ]);
  expect(await shop.letters()).toHaveLength(1);
});

test("what is not written does not act", async () => {
  const shop = new Workshop({ "main.yaml": flow("{ dead_letter: false }", { kind: "http.unavailable" }) });
  const result = await shop.run();
  expect(result.exit_code).toBe(3);
  expect(shop.lines("count")).toBe(1);
  expect(await shop.letters(true)).toEqual([]);
});

test("a wait of the policy survives a kill: what was left is waited for, and the retries go on counting", async () => {
  const slow = RETRY.replace("initial_delay: 0.01", "initial_delay: 600, max_delay: 600, backoff_multiplier: 1");
  const shop = new Workshop({ "main.yaml": flow(`{ ${slow}, dead_letter: true }`, { times: 3 }) });
  // Its first wait passes at once, its second never.
  const other = shop.process(`
    const on = (event) => event.type === "retry_scheduled" && say("waits");
    let ahead = 0;
    const clock = {
      now: () => Date.now() + ahead,
      sleep: (ms) => (ahead > 0 ? new Promise(() => {}) : Promise.resolve(void (ahead = ms))),
      after: () => () => {},
    };
    setInterval(() => {}, 1000);
    await runWorkflow({ ...shop, extensions: { clock } }, { file: "main.yaml", inputs: {} }, { on });
    leave();
  `);
  await other.line();
  await other.line();
  other.child.kill("SIGKILL");
  await other.ended;
  // Of the second wait 100 s have passed.
  const clock = new VirtualClock(Date.now() + 700_000);
  const result = await shop.resume(undefined, { extensions: { clock } });
  expect(result.status).toBe("completed");
  expect(Math.round(clock.waited / 100_000)).toBe(5 + 6);
  // Executions 3 and 4 came after the kill; a fresh budget would have allowed more, a lost one fewer.
  expect(shop.lines("count")).toBe(4);
  expect(shop.events(result, "retry_scheduled")).toHaveLength(3);
});

test("an escalation that fails is an event and a warning, and changes nothing else", async () => {
  const shop = new Workshop({
    "main.yaml": flow(`{ ${RETRY}, escalate: { command: sh, args: [-c, "echo no pager >&2; exit 7"] } }`, {
      kind: "permanent.bad",
    }),
  });
  const result = await shop.run();
  expect(result).toMatchObject({ exit_code: 3, errors: [{ kind: "permanent.bad", attempts: 1 }] });
  expect(shop.events(result, "error_escalated")).toMatchObject([
    { node: "a", kind: "permanent.bad", by: "sh", failed: true },
  ]);
  expect(shop.events(result, "escalation_failed")).toMatchObject([{ message: "sh exited with 7: no pager" }]);
  expect(result.warnings.map(({ message }) => message)).toContainEqual(expect.stringContaining("no pager"));
});

test("a command that is not there cannot be told, and that is said", async () => {
  const shop = new Workshop({ "main.yaml": flow("{ escalate: { command: ./nobody.sh } }", { kind: "permanent.bad" }) });
  const result = await shop.run();
  expect(result.exit_code).toBe(3);
  expect(shop.events(result, "escalation_failed")).toMatchObject([
    { message: expect.stringContaining("could not be started") },
  ]);
});

test("a webhook gets the result object, and is asked again while it is busy", async () => {
  const api = await startApi({ isUp: false });
  const shop = new Workshop({
    "main.yaml": flow(`{ escalate: { url: "${api.url}/page" } }`, { kind: "permanent.bad" }),
  });
  const running = shop.run();
  await until(() => api.refused.length === 2);
  api.isUp = true;
  const result = await running;
  expect(result.exit_code).toBe(3);
  expect(shop.events(result, "escalation_failed")).toEqual([]);
  const told = JSON.parse(api.bodies.at(-1) ?? "") as Record<string, unknown>;
  expect(told).toMatchObject({
    schema: "segno.result/1",
    run_id: result.run_id,
    errors: [{ kind: "permanent.bad", node_id: "a" }],
  });
});

const each = (resilience: string, more = ""): string => `
workflow: { name: w, entry_point: each, limits: { max_iterations: 500 }, resilience: ${resilience} }
agents: [{ name: after, type: set, value: "{{ each.failed }}" }]
for_each:
  - name: each
    type: for_each
    source: "{{ range(12) | list }}"
    as: x
    max_concurrent: 3
    failure_mode: continue_on_error
    ${more}
    agent:
      name: call
      type: script
      command: sh
      args: [-c, 'echo {{ x }} >> count; if [ {{ x }} -ge 6 ] && [ ! -e fixed ]; then echo "{\\"kind\\":\\"transient.blip\\",\\"message\\":\\"m\\"}" > "$CONDUCTOR_ERROR_OUT"; fi']
    routes: [{ to: after }]
output: { failed: "{{ after.output }}" }
`;

test("in a group the policy acts on the members and never again on the group, which goes on without them", async () => {
  const shop = new Workshop({
    "main.yaml": each(`{ ${RETRY.replace("max_retries: 3", "max_retries: 1")}, dead_letter: true }`),
  });
  const result = await shop.run();
  expect(result).toMatchObject({ status: "degraded", output: { failed: 6 } });
  expect(shop.lines("count")).toBe(6 + 2 * 6);
  expect((await shop.letters()).map(({ node_id, item_key, group }) => [node_id, item_key, group]).sort()).toEqual(
    ["10", "11", "6", "7", "8", "9"].map((key) => ["call", key, "each"]),
  );
  expect(result.warnings.at(-1)?.message).toBe(
    `6 dead letters are kept. To try them again: segno dlq retry --run ${result.run_id}`,
  );
});

test("one letter of a finished run is one item again, and what reads the group; the others stay as they were", async () => {
  const shop = new Workshop({
    "main.yaml": each("{ dead_letter: true, retry: { max_retries: 0, retryable: ['transient.*'] } }"),
  });
  const first = await shop.run();
  shop.write({ fixed: "" });
  const letter = (await shop.letters()).find(({ item_key }) => item_key === "8");
  const result = await shop.retry({ ids: [letter?.id ?? ""] });
  expect(result).toMatchObject({ run_id: first.run_id, status: "degraded", output: { failed: 5 } });
  expect(
    shop
      .read("count")
      .split("\n")
      .filter((line) => line === "8"),
  ).toHaveLength(2);
  expect(shop.lines("count")).toBe(13);
  expect(result.letters).toMatchObject([{ id: letter?.id, status: "resolved" }]);
  expect(await shop.letters()).toHaveLength(5);
  expect(shop.events(result, "dead_letter_resolved")).toMatchObject([{ letter: letter?.id, item_key: "8" }]);

  const rest = await shop.retry({ kind: "transient.*" });
  expect(rest).toMatchObject({ run_id: first.run_id, status: "completed", output: { failed: 0 } });
  expect(shop.lines("count")).toBe(18);
  expect(await shop.letters()).toEqual([]);
});

test("an item that fails again is the same letter, counted", async () => {
  const shop = new Workshop({
    "main.yaml": each("{ dead_letter: true, retry: { max_retries: 0, retryable: ['transient.*'] } }"),
  });
  await shop.run();
  const id = (await shop.letters())[0]?.id ?? "";
  const result = await shop.retry({ ids: [id] });
  expect(result.status).toBe("degraded");
  expect((await shop.letters()).find((letter) => letter.id === id)).toMatchObject({ status: "open", count: 2 });
  expect(await shop.letters()).toHaveLength(6);
});

test("a systemic failure stops the group, raises its kind and leaves few letters", async () => {
  const broken = each(
    "{ dead_letter: true, retry: { max_retries: 0, retryable: ['transient.*'] } }",
    "stop_on_systemic: true",
  )
    .replace("range(12)", "range(200)")
    .replace("-ge 6", "-ge 1");
  const shop = new Workshop({ "main.yaml": broken });
  const result = await shop.run();
  expect(result).toMatchObject({ exit_code: 3, status: "failed" });
  expect(result.errors[0]).toMatchObject({ kind: "transient.blip" });
  const [failed] = shop.events(result, "workflow_failed");
  expect(failed?.error?.details).toMatchObject({ systemic: true, group: { name: "each", succeeded: 1 } });
  expect(shop.lines("count")).toBeLessThan(20);
  expect((await shop.letters()).length).toBeLessThan(20);
});

test("an error that a child kept as a letter is not kept again by its parent", async () => {
  const child = `
workflow: { name: child, entry_point: b, resilience: { dead_letter: true, retry: { max_retries: 0, retryable: ['transient.*'] } } }
agents:
  - { name: b, type: script, command: sh, args: [-c, 'echo x >> count; [ -e fixed ] || echo "{\\"kind\\":\\"transient.blip\\",\\"message\\":\\"m\\"}" > "$CONDUCTOR_ERROR_OUT"'] }
`;
  const parent = `
workflow: { name: parent, entry_point: c, resilience: { dead_letter: true, retry: { max_retries: 2, initial_delay: 0.01, retryable: ['transient.*'] } } }
agents: [{ name: c, type: workflow, workflow: ./child.yaml }]
`;
  const shop = new Workshop({ "main.yaml": parent, "child.yaml": child });
  const result = await shop.run();
  expect(result).toMatchObject({ exit_code: 3, errors: [{ kind: "transient.blip" }] });
  expect(shop.lines("count")).toBe(1);
  expect(await shop.letters()).toMatchObject([{ node_id: "b", path: ["c"], workflow: "parent" }]);
  shop.write({ fixed: "" });
  const again = await shop.retry({ workflow: "parent" });
  expect(again).toMatchObject({ status: "completed", letters: [{ status: "resolved" }] });
  expect(shop.lines("count")).toBe(2);
});

test("a systemic failure is seen at the 10th item, also when that one went well", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: each, limits: { max_iterations: 50 } }
for_each:
  - name: each
    type: for_each
    source: workflow.input.xs
    as: x
    max_concurrent: 1
    failure_mode: continue_on_error
    stop_on_systemic: true
    agent: { name: one, type: script, command: sh, args: [-c, 'echo x >> count; [ {{ x }} -ge 7 ] || exit 1'], raises: [app.no] }
`,
  });
  const result = await shop.run({ inputs: { xs: { value: Array.from({ length: 30 }, (_, at) => at + 1) } } });
  expect(result.exit_code).toBe(3);
  expect(shop.lines("count")).toBe(10);
});

test("an error that is escalated out of a sub-workflow says where it was, as the run's own result does", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: a, resilience: { escalate: { command: sh, args: [-c, "cat > told.json"] } } }
agents:
  - { name: a, type: set, value: of the same name, routes: [{ to: sub }] }
  - { name: sub, type: workflow, workflow: ./child.yaml }
`,
    "child.yaml": `
workflow: { name: child, entry_point: a }
agents:
  - { name: a, type: script, command: sh, args: [-c, 'printf ''{"kind": "permanent.bad", "message": "no"}'' > $CONDUCTOR_ERROR_OUT'], raises: [permanent.bad] }
`,
  });
  const result = await shop.run();
  const told = JSON.parse(shop.read("told.json")) as typeof result;
  expect(told.errors[0]?.location).toMatchObject({ file: "child.yaml", line: 4 });
  expect(told.errors[0]?.location).toEqual(result.errors[0]?.location);
});
