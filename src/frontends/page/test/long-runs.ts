// Runs that nobody wants to wait for, written into the store as a drive would: one of many events, one that goes on.
import { setTimeout as pause } from "node:timers/promises";
import { outline, Story } from "../../../../test/support/engine/test-events.ts";
import type { RunEvent } from "../../../base/events/registry.ts";
import type { Session } from "../../../services/session/session.ts";
import { storeFor } from "../../../services/session/store.ts";
import { newRunId } from "../../../storage/run-index.ts";

const plan = outline("begin", { name: "each", type: "for_each", item: { name: "call", type: "script" } });
interface Shop {
  readonly root: string;
  readonly session: Session;
}

const ITEMS = 1000;
/** What the graph is drawn from. */
export const LARGE = `
workflow: { name: large, entry_point: begin, input: { items: { type: array, default: [] } } }
agents: [{ name: begin, type: script, command: "true", routes: [{ to: each, when: "false" }, { to: begin }] }]
for_each: [{ name: each, type: for_each, source: workflow.input.items, as: item, agent: { name: call, type: script, command: "true" } }]
`;

export const NODES = 300;
/** A graph of 300 steps. */
export const WIDE = `
workflow: { name: wide, entry_point: s0, limits: { max_iterations: 400 } }
agents:
${Array.from({ length: NODES }, (_, at) => `  - { name: s${at}, type: set, value: "${at}", routes: [{ to: ${at + 1 < NODES ? `s${at + 1}` : "$end"} }] }`).join("\n")}
`;

/** A loop that printed a lot, and a for_each of a thousand items, in so many events. Gives the run's id. */
export async function recordedRun(served: Shop, events: number): Promise<string> {
  const file = `${served.root}/large.yaml`;
  const story = new Story().started({ ...plan, name: "large", file });
  story.begin("each", { key: "each#1", type: "for_each" });
  story.add("for_each_started", { group_name: "each", key: "each#1", item_count: ITEMS, max_concurrent: 5 } as never);
  for (let index = 0; index < ITEMS; index++) {
    const item = { group_name: "each", item_key: `${index}`, index };
    story.add("for_each_item_started", item);
    story.ran("call", { key: `each#1[${index}].call`, group: "each", item: `${index}` });
    story.add("for_each_item_completed", { ...item, elapsed: 1 });
  }
  for (let visit = 1; story.events.length < events; visit++) {
    const key = `begin#${visit}`;
    story.begin("begin", { key });
    story.add("script_output", { node: "begin", key, stream: "stdout", text: `line ${visit}\n` });
    story.add("script_completed", ENDED(key));
    story.done("begin", { key, output: { stdout: `line ${visit}\n` } });
  }
  const { runId, log, close } = await begun(served, file);
  const all = story.ended({}).events.map((event) => ({ ...event, run_id: runId }));
  for (let from = 0; from < all.length; from += 1000) await log.append(all.slice(from, from + 1000));
  await log.setStatus("completed", { exitCode: 0 });
  await close();
  return runId;
}

const ENDED = (key: string) => ({
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

export interface StreamedRun {
  readonly run: string;
  /** So many events a second, for so long. */
  send(perSecond: number, seconds: number): Promise<void>;
  /** Comes to another step, after all that was sent: whoever sees it running has heard the rest. */
  last(): Promise<void>;
  end(): Promise<void>;
}

/** A step that prints and is visited again and again, as fast as is wanted. */
export async function streamedRun(served: Shop): Promise<StreamedRun> {
  const file = `${served.root}/large.yaml`;
  const { runId, log, close } = await begun(served, file);
  const story = new Story().started({ ...plan, name: "large", file });
  let [sent, visit] = [0, 0];
  const flush = async (): Promise<void> => {
    const now = new Date().toISOString();
    const events = story.events.slice(sent).map((event): RunEvent => ({ ...event, run_id: runId, ts: now }));
    sent = story.events.length;
    if (events.length > 0) await log.append(events);
  };
  const turn = (): void => {
    const key = `begin#${++visit}`;
    story.begin("begin", { key });
    for (let line = 0; line < 8; line++)
      story.add("script_output", { node: "begin", key, stream: "stdout", text: `line ${visit} ${line}\n` });
    story.add("script_completed", ENDED(key));
    story.done("begin", { key });
  };
  story.begin("begin", { key: "begin#0" });
  await flush();
  return {
    run: runId,
    async send(perSecond, seconds) {
      const began = Date.now();
      for (let due = 0; due < perSecond * seconds; ) {
        const wanted = Math.min(perSecond * seconds, (perSecond * (Date.now() - began)) / 1000);
        for (; due < wanted; due += 10) turn();
        await flush();
        await pause(25);
      }
    },
    async last() {
      story.begin("each", { key: "each#1", type: "for_each" });
      await flush();
    },
    async end() {
      story.ended({});
      await flush();
      await log.setStatus("completed", { exitCode: 0 });
      await close();
    },
  };
}

async function begun({ session }: Shop, file: string) {
  const runId = newRunId();
  const store = await storeFor(session);
  const log = await store.createRun({ runId, workflow: "large", file, durability: "process" });
  await log.pin(1, new Map([[file, LARGE]]));
  return {
    runId,
    log,
    async close() {
      await log.release();
      await store.close();
    },
  };
}
