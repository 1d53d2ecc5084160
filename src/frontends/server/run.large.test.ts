// A run with 100 000 events is shown about as soon as a small one, and its answer is small.
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outline, Story } from "../../../test/support/engine/test-events.ts";
import { Served } from "../../../test/support/served.ts";
import type { RunEvent } from "../../base/events/registry.ts";
import { apply } from "../../base/events/state/fold.ts";
import { packState, unpackState } from "../../base/events/state/packed-state.ts";
import { storeFor } from "../../services/session/store.ts";
import { newRunId } from "../../storage/run-index.ts";

const ITEMS = 1000;
const EVENTS = 100_000;
const plan = outline("begin", { name: "each", type: "for_each", item: { name: "call", type: "script" } }, "end");

/** A loop that printed a lot, and a for_each of a thousand items. */
function manyEvents(runId: string, file: string): readonly RunEvent[] {
  const story = new Story().started({ ...plan, name: "large", file });
  story.add("for_each_started", { group_name: "each", key: "each#1", item_count: ITEMS, max_concurrent: 5 } as never);
  for (let item = 0; item < ITEMS; item++) {
    const hash = `sha256:${createHash("sha256").update(String(item)).digest("hex")}`;
    const options = { key: `each#1[${item}].call`, group: "each", item: `${item}`, elapsed: item / 7, hash };
    story.add("for_each_item_started", { group_name: "each", item_key: `${item}`, index: item });
    story.ran("call", options);
    story.add("for_each_item_completed", { group_name: "each", item_key: `${item}`, index: item, elapsed: 1 });
  }
  for (let visit = 1; story.events.length < EVENTS; visit++) {
    const key = `begin#${visit}`;
    story.begin("begin", { key });
    story.add("script_output", { node: "begin", key, stream: "stdout", text: `line ${visit}\n` });
    story.add("script_completed", {
      agent_name: "begin",
      key,
      elapsed: 1,
      exit_code: 0,
      signal: null,
      truncated: false,
      stdin_bytes: 0,
      stdout_bytes: 9,
      stderr_bytes: 0,
    });
    story.done("begin", { key, output: { stdout: `line ${visit}\n` } });
  }
  return story.ended({}).events.map((event) => ({ ...event, run_id: runId }));
}

let served: Served;
let runId: string;
beforeAll(async () => {
  served = await Served.start({ "large.yaml": "workflow: { name: large, entry_point: begin }\nagents: []\n" });
  runId = newRunId();
  const store = await storeFor(served.session);
  const file = `${served.root}/large.yaml`;
  const log = await store.createRun({ runId, workflow: "large", file, durability: "process" });
  const events = manyEvents(runId, file);
  for (let from = 0; from < events.length; from += 1000) await log.append(events.slice(from, from + 1000));
  await log.setStatus("completed", { exitCode: 0 });
  await log.release();
  await store.close();
});
afterAll(() => served.close());

describe("a run with 100 000 events", () => {
  it("is answered with less than 200 KB", async () => {
    const { body } = await served.get(`/api/runs/${runId}`);
    expect(body.seq).toBeGreaterThan(EVENTS);
    expect(JSON.stringify(body).length).toBeLessThan(200 * 1024);
    expect(gzipSync(JSON.stringify(body), { level: 5 }).length).toBeLessThan(80 * 1024);
    expect(unpackState(body.state).root.nodes.get("each")?.group?.succeeded).toBe(ITEMS);
  });

  it("is replayed from a few keyframes, and its last moment is the live picture", async () => {
    const { body: index } = await served.get(`/api/runs/${runId}/keyframes`);
    expect(index.keyframes.length).toBeLessThanOrEqual(129);
    const { body } = await served.get(`/api/runs/${runId}/keyframes?at=${index.last_seq}`);
    const state = (body.events as RunEvent[]).reduce(apply, unpackState(body.state));
    const { body: now } = await served.get(`/api/runs/${runId}`);
    // As text: a thousand items that all know their group are slow to compare one by one.
    expect(JSON.stringify(packState({ ...state, seq: 0 }))).toBe(
      JSON.stringify(packState({ ...unpackState(now.state), seq: 0 })),
    );
  });

  it("gives pages of its log from anywhere", async () => {
    const { body } = await served.get(`/api/runs/${runId}/events?after=90000&limit=3`);
    expect(body.events.map(({ seq }: RunEvent) => seq)).toEqual([90_001, 90_002, 90_003]);
  });
});
