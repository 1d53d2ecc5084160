// A group that several workers run: as if one had, whatever happens to them.
import { describe, expect, it } from "vitest";
import { runs } from "../../../../test/support/property-runs.ts";
import { until } from "../../../../test/support/until.ts";
import type { RunEvent } from "../../../base/events/registry.ts";
import type { Result } from "../../../base/results/result.ts";
import type { LettersAnswer } from "../../../services/dead-letters/letters.ts";
import { hasPostgres } from "./cluster.ts";
import { faultsOf, QUICK, TestFleet } from "./fleet.ts";

interface Each {
  readonly count: number;
  /** How many at a time. */
  readonly most: number;
  /** What an item does, between two lines of the log; `$1` is the item. */
  readonly does: string;
  readonly group?: string;
  readonly section?: string;
}

/** Each item notes who runs it when it begins and when it ends. */
const each = ({ count, most, does, group = "", section = "" }: Each): string => `
workflow: { name: spread, entry_point: begin, runtime: { affinity: any }, limits: { max_iterations: 100000 }${section} }
agents:
  - { name: begin, type: set, value: "{{ range(${count}) | list }}", output_type: list, routes: [{ to: each }] }
  - { name: last, type: set, value: "{{ each.outputs | length }}" }
for_each:
  - name: each
    type: for_each
    source: begin.output
    as: n
    spread: true
    max_concurrent: ${most}
    ${group}
    agent:
      name: item
      type: script
      raises: [item.bad]
      command: sh
      args: [-c, 'echo "+ $1 $PPID" >> log; ${does}; echo "- $1 $PPID" >> log; echo "{\\"n\\": $1}"', sh, "{{ n }}"]
    routes: [{ to: last }]
output: { outputs: "{% for one in each.outputs %}{{ one.n if one else '-' }} {% endfor %}", errors: "{{ each.errors | length }}", failed: "{{ each.failed }}", last: "{{ last.output }}" }
`;

/** An item that fails, in a shell. */
const FAIL = `{ echo "{\\"kind\\":\\"item.bad\\",\\"message\\":\\"it is bad\\"}" > "$CONDUCTOR_ERROR_OUT"; exit 1; }`;

/** An item waits until so many workers have begun one: none is so quick that nothing is left for the others. */
const together = (workers: number): string =>
  `until test -e all; do test $(cut -d" " -f3 log | sort -u | wc -l) -lt ${workers} || touch all; sleep 0.05; done`;

/** How many items ran at the same time, at most. */
function mostAtOnce(lines: readonly string[]): number {
  let [now, most] = [0, 0];
  for (const line of lines) {
    now += line.startsWith("+") ? 1 : -1;
    most = Math.max(most, now);
  }
  return most;
}

const begun = (fleet: TestFleet): readonly string[] => fleet.lines("log").filter((line) => line.startsWith("+"));
const itemOf = (line: string): string => line.split(" ")[1] ?? "";
const workerOf = (line: string): string => line.split(" ")[2] ?? "";

/** All but one of the workers have a process of their own. */
async function fleetOf(file: string, workers: number): Promise<{ readonly fleet: TestFleet }> {
  const fleet = await TestFleet.start();
  fleet.write("each.yaml", file);
  const processes = Array.from({ length: workers - 1 }, () => fleet.workerProcess());
  if (workers > 0) await fleet.worker();
  await Promise.all(processes);
  return { fleet };
}

/** Nothing is left of what was kept for those who took part. */
async function leftOf(fleet: TestFleet): Promise<number> {
  const rows = await fleet.sql(
    `select (select count(*) from segno.spreads) + (select count(*) from segno.branches) + (select count(*) from segno.claims)
       + (select count(*) from segno.events where stream <> '') + (select count(*) from segno.leases where stream <> '') as n`,
  );
  return Number(rows[0]?.n);
}

const numbers = (count: number): string => Array.from({ length: count }, (_, at) => `${at} `).join("");

/** What was recorded, without times and numbers, in an order of its own. */
const told = (events: readonly RunEvent[]): readonly string[] =>
  events
    .map(({ type, data }) => {
      const { item_key, key, kind } = data as { item_key?: string; key?: string; kind?: string };
      return [type, item_key, key, kind].filter((part) => part !== undefined).join(" ");
    })
    .sort();

/** What a result says of a run, without what is of that run alone. */
const said = ({ status, exit_code, output, errors, warnings }: Result) => ({
  status,
  exit_code,
  output,
  errors: errors.map(({ kind, message, attempts, details }) => ({ kind, message, attempts, group: details?.group })),
  warnings: warnings.length,
});

const MANY = Math.max(40, runs(300));

describe.skipIf(!hasPostgres)("a group that is spread", () => {
  it(`runs ${MANY} items on four workers, never more at a time than max_concurrent, each once and in order`, async () => {
    const { fleet } = await fleetOf(each({ count: MANY, most: 8, does: together(4) }), 4);
    const result = await fleet.json(["run", "each.yaml"]);
    expect(result).toMatchObject({ status: "completed", output: { outputs: numbers(MANY), failed: 0, last: MANY } });
    expect(new Set(begun(fleet).map(itemOf)).size).toBe(MANY);
    expect(begun(fleet)).toHaveLength(MANY);
    expect(new Set(begun(fleet).map(workerOf)).size).toBe(4);
    expect(mostAtOnce(fleet.lines("log"))).toBeLessThanOrEqual(8);
    expect(faultsOf(await fleet.events(result.run_id ?? ""))).toEqual([]);
    expect(await leftOf(fleet)).toBe(0);
  });

  it("records each item in its order on a worker whose clock is set back in the middle", async () => {
    const { fleet } = await fleetOf(each({ count: 40, most: 4, does: "true" }), 0);
    const back = Array.from({ length: 30 }, (_, at) => `clock:-5@${4 + at}`).join(",");
    await Promise.all([fleet.workerProcess({ SEGNO_FAULT: back }), fleet.workerProcess({ SEGNO_FAULT: back })]);
    const result = await fleet.json(["run", "each.yaml"]);
    expect(result).toMatchObject({ status: "completed", output: { outputs: numbers(40), failed: 0 } });
    const events = await fleet.events(result.run_id ?? "");
    // Their clocks were set back indeed.
    const began = Date.parse(events[0]?.ts ?? "");
    expect(events.some(({ ts }) => Date.parse(ts) < began - 60_000)).toBe(true);
    expect(faultsOf(events)).toEqual([]);
  });

  it("tells the same as one worker that runs it alone: outputs, errors, letters, events", async () => {
    const file = each({
      count: 24,
      most: 6,
      does: `${together(3)}; test $(($1 % 5)) != 3 || ${FAIL}`,
      group: "failure_mode: continue_on_error",
      section:
        ", resilience: { retry: { max_retries: 1, initial_delay: 0.01, retryable: [item.bad] }, dead_letter: true }",
    });
    const { fleet } = await fleetOf(file, 3);
    fleet.write("alone.yaml", file.replace("spread: true", "spread: false"));
    const both = await fleet.json(["run", "each.yaml"]);
    expect(new Set(begun(fleet).map(workerOf)).size).toBe(3);
    const alone = await fleet.json(["run", "alone.yaml"]);
    expect(both.status).toBe("degraded");
    expect(said(both)).toEqual(said(alone));
    const [one, other] = [await fleet.events(both.run_id ?? ""), await fleet.events(alone.run_id ?? "")];
    expect(faultsOf(one)).toEqual([]);
    expect(told(one)).toEqual(told(other));
    const lettersOf = async (run: string | null): Promise<readonly string[]> => {
      const { letters } = await fleet.json<LettersAnswer>(["dlq", "list", "--run", run ?? ""]);
      return letters
        .map(({ node_id, item_key, kind, attempts }) => `${node_id} ${item_key} ${kind} ${attempts}`)
        .sort();
    };
    expect(await lettersOf(both.run_id)).toEqual(await lettersOf(alone.run_id));
    expect(await lettersOf(both.run_id)).toHaveLength(5);
  });

  it("loses the items that an open breaker refuses, and does not wait for it on behalf of those who met it", async () => {
    const file = each({
      // The two good ones have begun before the first fails: the breaker refuses neither.
      count: 12,
      most: 4,
      does: `test $1 -lt 2 || { until grep -q "+ 0 " log && grep -q "+ 1 " log; do sleep 0.05; done; ${FAIL}; }`,
      group: "failure_mode: continue_on_error",
      section:
        ", resilience: { retry: { max_retries: 2, initial_delay: 0.01 }, dead_letter: true, circuit_breaker: { failure_threshold: 3, recovery_timeout: 10m, scope: step, counts: [item.bad] } }",
    });
    const { fleet } = await fleetOf(file, 2);
    const result = await fleet.json(["run", "each.yaml"]);
    expect(result).toMatchObject({ status: "degraded", output: { failed: 10, last: 2 } });
    expect(result.warnings.some(({ kind }) => kind === "circuit.open")).toBe(true);
    expect(faultsOf(await fleet.events(result.run_id ?? ""))).toEqual([]);
  });

  it("repeats no item that was done when a worker is killed, whether it handed the items out or took some", async () => {
    const fleet = await TestFleet.start();
    fleet.write("each.yaml", each({ count: 40, most: 9, does: "sleep 0.3" }));
    const workers = await Promise.all([fleet.workerProcess(QUICK), fleet.workerProcess(QUICK)]);
    const runId = await fleet.place("each.yaml");
    const holder = async () => (await fleet.sql("select holder from segno.leases where stream = ''"))[0]?.holder;
    // One of the two hands the items out; whoever is left in the end comes when that is decided.
    const name = String(await until(holder));
    await fleet.worker(QUICK);
    const parent = workers.find(({ pid }) => name.includes(`-${pid}:`))!;
    const other = workers.find((worker) => worker !== parent)!;
    await until(() => new Set(begun(fleet).map(workerOf)).size >= 2);
    await other.kill();
    await until(() => begun(fleet).length >= 20);
    await parent.kill();
    expect(await fleet.allEnded([runId])).toEqual(["completed"]);
    expect(faultsOf(await fleet.events(runId))).toEqual([]);
    const { output } = await fleet.json(["show", runId]);
    expect(output).toMatchObject({ outputs: numbers(40) });
    expect(
      mostAtOnce(
        fleet
          .lines("log")
          .filter((line) => workerOf(line) !== String(other.pid) && workerOf(line) !== String(parent.pid)),
      ),
    ).toBeLessThanOrEqual(9);
    expect(await leftOf(fleet)).toBe(0);
  });

  it("begins nothing more after the first failure, and a resume runs only what was not done", async () => {
    const { fleet } = await fleetOf(
      each({
        count: 30,
        most: 6,
        // Those behind the seventh end when its failure is recorded.
        does: `test $1 != 7 || test -e known || ${FAIL}; test $1 -lt 7 || until test -e known; do sleep 0.05; done`,
      }),
      3,
    );
    const runId = await fleet.place("each.yaml");
    await until(async () => (await fleet.events(runId)).some(({ type }) => type === "error_raised"));
    fleet.write("known", "");
    expect(await fleet.allEnded([runId])).toEqual(["failed"]);
    // Seven were done; six ran when it failed, and each of three workers may have begun one before it heard of it.
    expect(begun(fleet).length).toBeLessThanOrEqual(7 + 6 + 3);
    const done = new Set(
      fleet
        .lines("log")
        .filter((line) => line.startsWith("-"))
        .map(itemOf),
    );
    const before = begun(fleet).length;
    const resumed = await fleet.json(["resume", runId]);
    expect(resumed).toMatchObject({ status: "completed", output: { outputs: numbers(30) } });
    const again = begun(fleet).slice(before).map(itemOf);
    expect(again.filter((item) => done.has(item))).toEqual([]);
    expect(again).toHaveLength(30 - done.size);
    expect(faultsOf(await fleet.events(runId))).toEqual([]);
    expect(await leftOf(fleet)).toBe(0);
  });

  it("is cancelled on all workers", async () => {
    const { fleet } = await fleetOf(each({ count: 20, most: 6, does: "sleep 170" }), 3);
    const runId = await fleet.place("each.yaml");
    await until(() => begun(fleet).length >= 6);
    const shown = await fleet.segno(["events", runId]);
    expect(shown.stdout).toMatch(/item/);
    await fleet.json(["cancel", runId]);
    expect(await fleet.allEnded([runId])).toEqual(["cancelled"]);
    expect(begun(fleet)).toHaveLength(6);
    expect(await leftOf(fleet)).toBe(0);
  });

  it("pauses at gates inside its items, and goes on with each answer", async () => {
    const gates = `
workflow: { name: asked, entry_point: begin }
agents:
  - { name: begin, type: set, value: "{{ [1, 2, 3, 4] }}", output_type: list, routes: [{ to: each }] }
for_each:
  - name: each
    type: for_each
    source: begin.output
    as: n
    spread: true
    agent: { name: ask, type: human_gate, prompt: "Ship {{ n }}?", options: [{ label: "Yes", value: "yes", route: $end }] }
output: { answers: "{{ each.outputs | map(attribute='selected') | join(' ') }}" }
`;
    const { fleet } = await fleetOf(gates, 2);
    const paused = await fleet.json(["run", "each.yaml"]);
    expect(paused).toMatchObject({ status: "paused", exit_code: 4, gates: [{}, {}, {}, {}] });
    const runId = paused.run_id ?? "";
    let last: Result = paused;
    for (const n of [0, 1, 2, 3]) last = await fleet.json(["gate", "answer", runId, "yes", "--gate", `each[${n}]`]);
    expect(last).toMatchObject({ status: "completed", output: { answers: "yes yes yes yes" } });
    expect(await leftOf(fleet)).toBe(0);
  });

  it("holds no worker while its items wait for long", async () => {
    const file = each({ count: 4, most: 4, does: "true" }).replace(
      / {6}type: script\n[\s\S]*?\n {4}routes/,
      "      type: wait\n      duration: 10m\n    routes",
    );
    const fleet = await TestFleet.withClock();
    fleet.write("each.yaml", file.replace(/^output: .*$/m, 'output: { last: "{{ last.output }}" }'));
    const short = { SEGNO_HELD_WAIT_SECONDS: "1" };
    await Promise.all([fleet.worker(short), fleet.workerProcess(short)]);
    const runId = await fleet.place("each.yaml");
    // Both shares are put off, and nobody has them.
    const putOff = "select 1 from dbos.workflow_status where queue_name = 'segno-branches' and status = 'DELAYED'";
    const held = "select 1 from segno.leases where stream <> '' and holder is not null";
    await until(async () => (await fleet.sql(putOff)).length === 2 && (await fleet.sql(held)).length === 0);
    await fleet.later(600);
    expect(await fleet.allEnded([runId])).toEqual(["completed"]);
    expect(await fleet.json(["show", runId])).toMatchObject({ output: { last: 4 } });
    const waits = (await fleet.events(runId)).filter(({ type }) => type === "wait_completed");
    expect(waits).toHaveLength(4);
  });

  it("runs in one process as any other group", async () => {
    const { fleet } = await fleetOf(each({ count: 20, most: 4, does: "true" }), 0);
    const result = await fleet.json(["run", "each.yaml"], { SEGNO_ON: "" });
    expect(result).toMatchObject({ status: "completed", output: { outputs: numbers(20) } });
    expect(new Set(begun(fleet).map(workerOf)).size).toBe(1);
  });
});
