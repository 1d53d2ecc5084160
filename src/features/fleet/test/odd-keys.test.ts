// Keys of items come from data: they have any characters and any length, on a fleet as on one machine.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { newRunId } from "../../../storage/run-index.ts";
import { sealWith } from "../postgres/key-seal.ts";
import { comparedKey, comparedKeys, keptKey, keyKept } from "../postgres/state.ts";
import { openPostgresStore, type PostgresStore } from "../postgres/store.ts";
import { cluster, freshDatabase, hasPostgres } from "./cluster.ts";
import { SEAL_KEY, TestFleet } from "./fleet.ts";
import { BEFORE_WHOLE_KEYS } from "./older-tables.ts";

const LONG = Array.from({ length: 9000 }, (_, at) => String.fromCharCode(33 + ((at * 7919) % 90))).join("");
const ODD = [
  ...["plain", "lone\ud800sur", "lone\ud801sur", "zero\0", '"quoted"', "#sha256:00", "", "é".repeat(600)],
  ...[LONG, `${LONG}\0`, "\udfff".repeat(400), "a".repeat(1_000_000)],
];

async function opened(sealKey?: string, url?: string): Promise<PostgresStore> {
  const home = mkdtempSync(join(tmpdir(), "segno-odd-"));
  const store = await openPostgresStore(url ?? (await freshDatabase()), {
    home,
    ...(sealKey === undefined ? {} : { sealKey }),
  });
  onTestFinished(async () => {
    await store.close();
    rmSync(home, { recursive: true, force: true });
  });
  return store;
}

const ASKS = `
workflow: { name: "asks\\0", entry_point: keys, runtime: { affinity: any } }
agents:
  - { name: keys, type: script, command: node, args: [keys.cjs], routes: [{ to: each }] }
for_each:
  - name: each
    type: for_each
    source: keys.output.list
    as: one
    key_by: one.key
    max_concurrent: 4
    agent:
      name: ask
      type: human_gate
      prompt: "Go on?"
      options: [{ label: "Yes", value: "yes", route: $end }]
    routes: [{ to: $end }]
`;

/** A group that is spread: its name stands in the names of its shares. */
const spread = (name: string): string => `
workflow: { name: spread, entry_point: begin, runtime: { affinity: any } }
agents:
  - { name: begin, type: set, value: "{{ range(6) | list }}", output_type: list, routes: [{ to: ${JSON.stringify(name)} }] }
for_each:
  - name: ${JSON.stringify(name)}
    type: for_each
    source: begin.output
    as: n
    spread: true
    max_concurrent: 2
    agent: { name: item, type: set, value: "{{ n }}" }
    routes: [{ to: $end }]
`;

/** As escapes of JSON: the script's stdout is UTF-8. */
const printing = (keys: readonly string[]): string =>
  `console.log(${JSON.stringify(JSON.stringify({ list: keys.map((key) => ({ key })) }))})`;

describe("a key", () => {
  it("is found again from what is kept of it, and no two are kept alike", () => {
    const kept = ODD.map((key) => keptKey(key));
    expect(kept.map((one) => keyKept(one))).toEqual(ODD);
    expect(new Set(kept.map(({ key }) => key)).size).toBe(ODD.length);
    expect(keptKey("each[plain].ask#1")).toEqual({ key: "each[plain].ask#1", whole: null });
    for (const { key } of kept) expect(Buffer.byteLength(key)).toBeLessThanOrEqual(1000);
  });

  it("with an item's own key in it is not in the clear where a fleet is sealed, and is found under each of its keys", () => {
    const [before, now, none] = ["b".repeat(64), `${"n".repeat(64)},${"b".repeat(64)}`, undefined].map(sealWith);
    const key = "each#1[kim@example.com].ask";
    const kept = keptKey(key, now!);
    expect(JSON.stringify(kept)).not.toContain("kim");
    expect(keyKept(kept, now!)).toBe(key);
    // Also one that was kept under the key before, or by a Segno that kept it as it is.
    expect(comparedKeys(key, now!)).toEqual([kept.key, keptKey(key, before!).key, key]);
    expect(comparedKeys(key, none!)).toEqual([key]);
    for (const plain of ["ask#1", "each#1[7].ask"]) expect(comparedKeys(plain, now!)).toEqual([plain]);
    for (const long of ODD) {
      const inItem = `each#1[${long}].ask`;
      const { key: compared, whole } = keptKey(inItem, now!);
      expect(keyKept({ key: compared, whole }, now!)).toBe(inItem);
      expect(Buffer.byteLength(compared)).toBeLessThanOrEqual(1000);
    }
  });

  it("that is long is taken only with the text that its digest is of", () => {
    expect(() => keyKept({ ...keptKey(LONG), whole: '"another"' })).toThrow(/does not fit its digest/);
  });
});

describe.skipIf(!hasPostgres)("keys of any characters and any length", () => {
  it.each([["sealed", SEAL_KEY] as const, ["in clear", undefined] as const])(
    "keep questions, letters, breakers, slots and steps apart (%s)",
    async (_, sealKey) => {
      const { state } = await opened(sealKey);
      const { gates, letters, breakers, slots, running } = state;
      for (const [at, key] of ODD.entries()) {
        await gates.present("R1", key, { prompt: String(at) });
        await letters.put({
          id: `L${at}`,
          runId: "R1",
          place: key,
          workflow: key,
          node: key,
          kind: key || "none",
          body: { at },
        });
        await breakers.update(key, () => ({ at }));
        expect(await slots.acquire(key, 1)).toMatchObject({ scope: key, slot: 1 });
        await running.begin(key, `R${at}`, key);
        expect(await running.begin(key, "another", key)).toMatchObject({ runningIn: [`R${at}`] });
        await running.end(key, `R${at}`, key, at % 2 === 0);
      }
      expect(new Set((await gates.pending("R1")).map(({ key }) => key))).toEqual(new Set(ODD));
      for (const [at, key] of ODD.entries()) {
        expect(await gates.answer("R1", key, { at })).toBe("ok");
        expect(await slots.acquire(key, 1)).toBeUndefined();
        expect(await breakers.get(key)).toEqual({ at });
        expect(await letters.list({ workflow: key })).toMatchObject([{ id: `L${at}`, place: key, node: key }]);
        expect((await running.begin(key, "R0", key)).lastFailed).toBe(at % 2 === 1);
      }
      for (const [at, key] of ODD.entries()) expect(await gates.get("R1", key)).toEqual({ answer: { at } });
      expect(new Set((await breakers.list()).map(({ name }) => name))).toEqual(new Set(ODD));
    },
  );

  it("are found under what an earlier Segno wrote, also the long ones", async () => {
    const server = await cluster();
    const url = await freshDatabase();
    const before = await opened(SEAL_KEY, url);
    const long = `each[${"long ".repeat(300)}"\t].ask#1`;
    for (const key of ["each[a].ask#1", long]) {
      await before.state.gates.present("R1", key, { prompt: key });
      const kept = comparedKey(key, sealWith(SEAL_KEY));
      await server.sql(`update segno.answers set key = $$${key}$$, whole = null where key = '${kept}'`, url);
    }
    await server.sql(BEFORE_WHOLE_KEYS, url);
    const { state } = await opened(SEAL_KEY, url);
    const asked = async () => (await state.gates.pending("R1")).map(({ key }) => key).sort();
    expect(await asked()).toEqual(["each[a].ask#1", long].sort());
    // Asked again, it is the same question.
    await state.gates.present("R1", "each[a].ask#1", { prompt: "each[a].ask#1" });
    expect(await asked()).toEqual(["each[a].ask#1", long].sort());
    expect(await state.gates.answer("R1", "each[a].ask#1", "yes")).toBe("ok");
    expect(await state.gates.answer("R1", long, "yes")).toBe("ok");
  });

  it("are asked about item by item, and each is answered", async () => {
    const fleet = await TestFleet.start();
    fleet.write("asks.yaml", ASKS);
    const keys = ["plain", "lone\ud800sur", "lone\ud801sur", "zero\0", LONG];
    fleet.write("keys.cjs", printing(keys));
    await fleet.worker();
    const { run_id, status } = await fleet.json(["run", "asks.yaml"]);
    expect(status).toBe("paused");
    const { gates } = await fleet.json<{ gates: readonly { key: string }[] }>(["gate", "list"]);
    expect(gates).toHaveLength(keys.length);
    const store = await opened(SEAL_KEY, fleet.url);
    const answer = { kind: "gate", value: "yes", additional_input: {}, by: "cli", person: "somebody" };
    for (const { runId, key } of await store.state.gates.pending())
      expect(await store.state.gates.answer(runId, key, answer)).toBe("ok");
    expect(await fleet.json(["resume", run_id ?? ""])).toMatchObject({ status: "completed", workflow: "asks\0" });
  });

  it("are the name of a group that is spread, and its shares are driven", async () => {
    const fleet = await TestFleet.start();
    fleet.write("spread.yaml", spread(`zero\0 ${"name ".repeat(400)}`));
    await Promise.all([fleet.worker(), fleet.workerProcess()]);
    expect(await fleet.json(["run", "spread.yaml"])).toMatchObject({ status: "completed" });
    const shares = "select status from dbos.workflow_status where queue_name = 'segno-branches'";
    expect(await fleet.sql(shares)).toEqual([{ status: "SUCCESS" }, { status: "SUCCESS" }]);
  });
});

describe.skipIf(!hasPostgres)("what a trigger was sent", () => {
  it("is told apart by every character of it", async () => {
    const store = await opened();
    const fired = async (mark: string, reason: string) =>
      store.state.firings?.record({
        runId: newRunId(),
        trigger: "hook",
        at: Date.now(),
        depth: 0,
        refused: reason,
        marks: [{ name: mark }],
        body: { inputs: { mark } },
      });
    expect(await fired("a\ud800", "no\0way")).toMatchObject({ isNew: true, firing: { reason: "no\0way" } });
    expect(await fired("a\ud801", "no")).toMatchObject({ isNew: true });
    expect(await fired("a\ud801", "no")).toMatchObject({ isNew: false });
  });
});
