// The errors of all runs: everything that was lost counts, however long the run was, and what is left out is said.
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { error, outline, Story } from "../../../test/support/engine/test-events.ts";
import { Served } from "../../../test/support/served.ts";
import { until } from "../../../test/support/until.ts";
import { storeFor } from "../../services/session/store.ts";
import { newRunId } from "../../storage/run-index.ts";

interface Loses {
  readonly name: string;
  readonly items: number;
  readonly then?: string;
}

/** Loses every hundredth item, one after the other: which one was last is known. */
const loses = ({ name, items, then = "value: 1" }: Loses) => `
workflow: { name: ${name}, entry_point: all, limits: { max_iterations: 1000 } }
agents:
  - { name: then, type: set, ${then} }
for_each:
  - name: all
    type: for_each
    source: "{{ range(${items}) | list }}"
    as: item
    max_concurrent: 1
    failure_mode: continue_on_error
    agent: { name: w, type: set, value: "{{ 100 / (item % 100) }}" }
    routes: [{ to: then }]
`;
const KEEPS_LETTERS = `
workflow:
  name: kept
  entry_point: all
  resilience: { dead_letter: true, retry: { max_retries: 0, retryable: [mail.bounced] } }
agents:
  - { name: then, type: set, value: 1 }
for_each:
  - name: all
    type: for_each
    source: "{{ range(4) | list }}"
    as: item
    max_concurrent: 2
    failure_mode: continue_on_error
    agent:
      name: w
      type: script
      command: sh
      args: [-c, '[ $1 = 0 ] || { echo "{\\"kind\\":\\"mail.bounced\\",\\"message\\":\\"no\\"}" > "$CONDUCTOR_ERROR_OUT"; exit 1; }', sh, "{{ item }}"]
      raises: [mail.bounced]
    routes: [{ to: then }]
`;

const REGIONS = `
workflow:
  name: regions
  entry_point: all
  resilience: { dead_letter: true, retry: { max_retries: 0, retryable: [mail.bounced] } }
agents:
  - { name: later, type: script, command: sh, args: [-c, "sleep 0.05"] }
for_each:
  - name: all
    type: for_each
    source: '{{ [{"id": "eu"}, {"id": "us east"}] }}'
    as: region
    key_by: id
    failure_mode: continue_on_error
    agent: { name: deploy, type: workflow, workflow: hosts.yaml, input_mapping: { region: "{{ region.id }}" } }
    routes: [{ to: later }]
`;
const HOSTS = `
workflow: { name: hosts, entry_point: each, input: { region: { type: string } } }
for_each:
  - name: each
    type: for_each
    source: "{{ range(4) | list }}"
    as: host
    max_concurrent: 1
    failure_mode: all_or_nothing
    agent:
      name: push
      type: script
      command: sh
      args: [-c, '[ "$1$2" != "us east2" ] || { echo "{\\"kind\\":\\"mail.bounced\\",\\"message\\":\\"no\\"}" > "$CONDUCTOR_ERROR_OUT"; exit 1; }', sh, "{{ workflow.input.region }}", "{{ host }}"]
      raises: [mail.bounced]
`;
const HALTS = `
workflow: { name: halts, entry_point: all }
for_each:
  - name: all
    type: for_each
    source: "{{ range(6) | list }}"
    as: item
    max_concurrent: 1
    agent:
      name: one
      type: set
      value: "{{ 1 / (item - 3) }}"
      routes: [{ on_error: "*", halt: { message: stop } }]
`;

let served: Served;
beforeAll(async () => {
  served = await Served.start({
    "some.yaml": loses({ name: "some", items: 300 }),
    "kept.yaml": KEEPS_LETTERS,
    "regions.yaml": REGIONS,
    "hosts.yaml": HOSTS,
    "halts.yaml": HALTS,
    "besides.yaml": loses({ name: "besides", items: 300, then: 'value: "{{ 1 / 0 }}"' }),
    "broken.yaml": loses({ name: "broken", items: 200 }),
  });
});
afterAll(() => served.close());

/** Of one workflow: how often at which step. */
async function counted(workflow: string): Promise<Readonly<Record<string, number>>> {
  const { body } = await served.get(`/api/errors?workflow=${workflow}`);
  return Object.fromEntries(body.groups.map(({ step, count }: { step: string; count: number }) => [step, count]));
}

/** A run of so many items, written into the store as a drive would, which lost every so manieth of them. */
async function recorded(name: string, items: number, every: number): Promise<string> {
  const [runId, file] = [newRunId(), join(served.root, `${name}.yaml`)];
  const story = new Story().started({ ...outline({ name: "all", type: "for_each" }), name, file });
  story.add("for_each_started", { group_name: "all", key: "all#1", item_count: items, max_concurrent: 5 } as never);
  for (let index = 0; index < items; index++) {
    const item = { group_name: "all", item_key: String(index), index, elapsed: 1 };
    if (index % every === 0) story.add("for_each_item_failed", { ...item, error: error("w", "item.bad") });
    else story.add("for_each_item_completed", item);
  }
  const lost = Math.ceil(items / every);
  const counts = { success_count: items - lost, failure_count: lost, count: items };
  story.add("for_each_completed", { group_name: "all", key: "all#1", ...counts, elapsed: 1, failed: false });
  story.ended({}, { degraded: true });
  const store = await storeFor(served.session);
  const log = await store.createRun({ runId, workflow: name, file, durability: "process" });
  const events = story.events.map((event) => ({ ...event, run_id: runId }));
  for (let from = 0; from < events.length; from += 1000) await log.append(events.slice(from, from + 1000));
  await log.setStatus("degraded", { exitCode: 0 });
  await log.release();
  await store.close();
  return runId;
}

describe("errors of all runs", () => {
  it("count every item that was lost, in every run", async () => {
    await served.run("some.yaml");
    await served.run("some.yaml");
    expect(await counted("some")).toEqual({ w: 6 });
  });

  it("count an item that was kept as a letter once", async () => {
    await served.run("kept.yaml");
    expect(await counted("kept")).toEqual({ w: 3 });
    const { body } = await served.get("/api/errors?workflow=kept");
    expect(body.groups).toMatchObject([{ letters: 3 }]);
  });

  it("count what was lost beside what the run failed with", async () => {
    await served.run("besides.yaml");
    expect(await counted("besides")).toEqual({ w: 3, then: 1 });
  });

  it("have those of a very long run as soon as it is read, and say so before", async () => {
    await recorded("long", 20_500, 500);
    const { body } = await served.get("/api/errors?workflow=long");
    expect(body.unread).toBe(1);
    await until(async () => (await served.get("/api/errors?workflow=long")).body.unread === 0);
    expect(await counted("long")).toEqual({ all: 41 });
    const { body: list } = await served.get("/api/runs?workflow=long&kind=item.bad");
    expect(list.runs).toMatchObject([{ failing_step: "all", kind: "item.bad" }]);
  });

  it("count more lost items of one run than are named one by one", async () => {
    const items = 10_050;
    const runId = await recorded("huge", items, 1);
    const { body } = await served.get("/api/errors?workflow=huge");
    expect(body.groups).toMatchObject([{ kind: "item.bad", count: items }]);
    expect((await served.get(`/api/runs/${runId}`)).body.banner.lost).toBe(items);
  });

  it("are of the time when they were raised, and newest first by it, whatever the run did after", async () => {
    const run = await served.run("some.yaml");
    const { body } = await served.get(`/api/runs/${run}/events?type=error_raised`);
    const times = body.events.map(({ ts }: { ts: string }) => ts);
    const { body: errors } = await served.get("/api/errors?workflow=some");
    expect(errors.groups).toMatchObject([{ last_at: times.at(-1), newest: { run, step: "w", item: "200" } }]);
    const failed = await served.run("besides.yaml");
    const { body: later } = await served.get(`/api/runs/${failed}/events?type=error_raised`);
    const [first, , last, own] = later.events.map(({ ts }: { ts: string }) => ts);
    const { body: two } = await served.get("/api/errors?workflow=besides");
    expect(two.groups).toMatchObject([
      { step: "then", last_at: own },
      { step: "w", last_at: last },
    ]);
    expect(first <= last).toBe(true);
  });

  it("are named after the step that raised, inside the sub-workflows of items too, and lead to the item", async () => {
    const run = await served.run("regions.yaml");
    const { body: log } = await served.get(`/api/runs/${run}/events?type=error_raised`);
    const { body } = await served.get("/api/errors?workflow=regions");
    expect(body.groups).toMatchObject([
      {
        kind: "mail.bounced",
        step: "all/push",
        count: 1,
        letters: 1,
        first_at: log.events[0].ts,
        newest: { run, step: "all[us east]/push", item: "2" },
      },
    ]);
    const filter = { kind: "mail.bounced", workflow: "regions", step: "all/push" };
    const { body: plan } = await served.post("/api/letters/plan", { filter, count: 1 });
    expect(plan.runs).toMatchObject([{ run_id: run }]);
  });

  it("lead to the item that halted its run", async () => {
    const run = await served.run("halts.yaml");
    const { body } = await served.get("/api/errors?workflow=halts");
    expect(body.groups).toMatchObject([{ kind: "halt.intentional", newest: { run, step: "one", item: "3" } }]);
  });

  it("name the runs that cannot be read", async () => {
    const run = await served.run("broken.yaml");
    const folder = join(served.home, "runs", run);
    for (const name of readdirSync(folder).filter((file) => file.startsWith("journal.db"))) rmSync(join(folder, name));
    writeFileSync(join(folder, "journal.db"), "no journal");
    const { body } = await served.get("/api/errors?workflow=broken");
    expect(body).toMatchObject({ groups: [], unread: 0, unreadable: [run] });
  });

  it("say how many groups there are beyond those that were asked for", async () => {
    const { body } = await served.get("/api/errors?limit=1");
    expect(body.groups).toHaveLength(1);
    expect(body.groups_in_all).toBeGreaterThan(3);
  });
});
