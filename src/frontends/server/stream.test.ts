// Whoever follows a run hears everything once, in order, however often the connection is cut.
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Served } from "../../../test/support/served.ts";
import type { RunEvent } from "../../base/events/registry.ts";
import { apply, initialState } from "../../base/events/state/fold.ts";
import { unpackState } from "../../base/events/state/packed-state.ts";
import type { RunState } from "../../base/events/state/state.ts";
import { createRedactor } from "../../base/redact/index.ts";
import { resultOf } from "../../base/results/index.ts";
import { runEvents, showRun } from "../../services/runs/runs.ts";
import { openStore } from "../../storage/embedded/store.ts";
import { newRunId } from "../../storage/run-index.ts";
import { STREAM_MESSAGES, type StreamMessageName } from "./contract/log.ts";

/** Fifteen steps, each of which waits until a file says that it may go on. */
const STEPS = Array.from({ length: 15 }, (_, index) => `s${index}`);
const LONG = `workflow: { name: long, entry_point: s0, limits: { max_iterations: 50 }, input: { gate: { type: string } } }
agents:
${STEPS.map(
  (name, index) => `  - name: ${name}
    type: script
    command: sh
    args: ["-c", "while [ $(cat {{ workflow.input.gate }}) -lt ${index} ]; do sleep 0.02; done; echo ${name}"]
    routes: [{ to: ${STEPS[index + 1] ?? "$end"} }]`,
).join("\n")}
`;
const LOUD = `workflow: { name: loud, entry_point: talk }
agents:
  - name: talk
    type: script
    command: sh
    args: ["-c", "i=0; while [ $i -lt 60 ]; do head -c 60000 /dev/zero | tr '\\\\0' x; echo; i=$((i+1)); done"]
`;
const QUICK = `workflow: { name: quick, entry_point: a }
agents: [{ name: a, type: set, value: 1 }]
`;

interface Heard {
  readonly id: string | undefined;
  readonly name: StreamMessageName;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it asked for.
  readonly data: any;
}

/** The messages of a connection, each held against the contract. */
async function* listenTo(served: Served, query: string, signal?: AbortSignal): AsyncGenerator<Heard> {
  const response = await served.fetch(`/api/stream?${query}`, signal ? { signal } : {});
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      // A heartbeat.
      if (lines.every((line) => line.startsWith(":"))) continue;
      const field = (name: string): string | undefined =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const name = field("event") as StreamMessageName;
      const data = JSON.parse(field("data") ?? "null");
      expect(STREAM_MESSAGES[name].parse(data)).toEqual(data);
      yield { id: field("id"), name, data };
    }
  }
}

let served: Served;
beforeAll(async () => {
  served = await Served.start({ "long.yaml": LONG, "loud.yaml": LOUD, "quick.yaml": QUICK });
});
afterAll(() => served.close());

describe("a stream", () => {
  it("that is cut five times, and begins with a snapshot, ends in the state that segno show tells", async () => {
    const gate = join(served.folder, "gate");
    const letOn = (count: number): void => writeFileSync(gate, String(count));
    letOn(-1);
    const { body: started } = await served.post("/api/runs", { file: "long.yaml", inputs: { gate } });
    const { body: snapshot } = await served.get(`/api/runs/${started.run_id}`);
    const state: RunState = unpackState(snapshot.state);
    let position: number = snapshot.seq;
    for (let cut = 0; state.status === "running"; cut++) {
      letOn(cut < 5 ? cut * 3 : STEPS.length);
      const stop = new AbortController();
      const heard = listenTo(served, `run=${started.run_id}:${position}`, stop.signal);
      let events = 0;
      for await (const { name, data, id } of heard) {
        expect(name).not.toBe("gap");
        if (name !== "events") continue;
        expect(data.from).toBe(position);
        for (const event of data.events as RunEvent[]) apply(state, event);
        position = data.to;
        expect(id).toBe(`${started.run_id}:${position}`);
        events += 1;
        // Cut off in the middle of it: the run goes on meanwhile.
        if (cut < 5 && events >= 1) break;
        if (state.status !== "running") break;
      }
      stop.abort();
    }
    const shown = await showRun(served.session, { run: started.run_id });
    const own = resultOf(state, {
      redactor: createRedactor({ secrets: [] }),
      file: shown.file,
      artifacts: shown.artifacts,
    });
    expect(shown.status).toBe("completed");
    expect({ ...own, artifacts: null }).toEqual({ ...shown, artifacts: null });
    expect(JSON.parse(readFileSync(gate, "utf8"))).toBe(STEPS.length);
  });

  it("tells a reader that is too slow which part it has to fetch, and goes on after it", async () => {
    const run = await served.run("loud.yaml");
    const { body: snapshot } = await served.get(`/api/runs/${run}`);
    const heard: Heard[] = [];
    const stop = new AbortController();
    for await (const one of listenTo(served, `run=${run}:0`, stop.signal)) {
      heard.push(one);
      if (one.data.to === snapshot.seq) break;
    }
    stop.abort();
    const told = heard.filter(({ name }) => name !== "ping");
    expect(told[0]).toMatchObject({ name: "gap", data: { run_id: run, from: 0 } });
    const { to } = told[0]?.data ?? {};
    const { body: missed } = await served.get(`/api/runs/${run}/events?after=0&to=${to}&limit=5000`);
    const state = initialState(run);
    for (const event of missed.events as RunEvent[]) apply(state, event);
    expect(state.seq).toBe(to);
    for (const { data, name } of told.slice(1)) {
      expect(name).toBe("events");
      for (const event of data.events) apply(state, event);
    }
    expect(state).toEqual(unpackState(snapshot.state));
    const bytes = told.slice(1).reduce((sum, { data }) => sum + JSON.stringify(data).length, 0);
    expect(bytes).toBeLessThan(1.2 * 1024 * 1024);
  });

  it("lets nobody's slowness hold up others, or the run", async () => {
    // A reader that asks and never reads.
    const socket = connect(served.listening.port, "127.0.0.1");
    socket.pause();
    socket.write(
      `GET /api/stream?runs=1 HTTP/1.1\r\nHost: 127.0.0.1:${served.listening.port}\r\nAuthorization: Bearer ${served.bearer}\r\n\r\n`,
    );
    const run = await served.run("loud.yaml");
    expect((await served.get(`/api/runs/${run}`)).body.status).toBe("completed");
    socket.destroy();
  });

  it("begins with the server's time, tells of new runs, and of runs that are not there", async () => {
    const stop = new AbortController();
    const seen: Heard[] = [];
    let run: string | undefined;
    for await (const heard of listenTo(served, "run=01NOSUCHRUN:3&runs=1", stop.signal)) {
      seen.push(heard);
      if (heard.name === "runs") run ??= await served.run("quick.yaml");
      if (heard.name === "runs" && heard.data.rows.some((row: { run_id: string }) => row.run_id === run)) break;
    }
    stop.abort();
    expect(seen[0]).toMatchObject({ name: "problem", data: { run_id: "01NOSUCHRUN" } });
    expect(seen[1]).toMatchObject({ name: "ping" });
    // After the first message, which tells the newest, no row of a run that has not changed.
    const [, ...later] = seen.filter(({ name }) => name === "runs");
    const told = later.flatMap(({ data }) => data.rows.map((row: { run_id: string }) => row.run_id));
    expect(new Set(told)).toEqual(new Set([run]));
  });

  it("says something every second, also when nothing happens: one that hangs is told from it", async () => {
    const run = await served.run("quick.yaml");
    const stop = new AbortController();
    const { body } = await served.fetch(`/api/stream?run=${run}`, { signal: stop.signal });
    let text = "";
    for await (const chunk of body ?? []) {
      text += new TextDecoder().decode(chunk);
      if (text.split("\n\n").filter((one) => one === ":").length === 2) break;
    }
    stop.abort();
    expect(text).toContain("event: ping");
  });

  it("joins the chunks that a script printed, and loses none of them", async () => {
    const run = await served.run("loud.yaml");
    const { body } = await served.get(`/api/runs/${run}/events?type=script_output&limit=5000`);
    const text = body.events.map((event: { data: { text: string } }) => event.data.text).join("");
    expect(text.length).toBe(60 * 60_001);
  });

  it("tells that nobody drives a run any more, which no event does, and nothing of the kind when one ends", async () => {
    const whole: RunEvent[] = [];
    for await (const event of runEvents(served.session, { run: await served.run("quick.yaml") })) whole.push(event);
    const store = openStore(served.home);
    const [cut, ended] = [newRunId(), newRunId()].map((runId) => {
      const file = join(served.root, "quick.yaml");
      const run = store.createRun({ runId, workflow: "quick", file, durability: "process" });
      run.append(whole.slice(0, 3).map((event) => ({ ...event, run_id: runId })));
      return run;
    }) as [ReturnType<typeof store.createRun>, ReturnType<typeof store.createRun>];
    const stop = new AbortController();
    const told: unknown[] = [];
    let isEnded = false;
    for await (const { name, data } of listenTo(served, `run=${cut.runId}:3&run=${ended.runId}:3`, stop.signal)) {
      if (name === "ping") {
        // There is another one where all of this takes long.
        if (isEnded) continue;
        isEnded = true;
        ended.append(whole.slice(3).map((event) => ({ ...event, run_id: ended.runId })));
        ended.release();
      } else told.push(name === "events" ? [data.run_id, data.to] : data);
      if (name === "events") cut.release();
      if (name === "driver") break;
    }
    stop.abort();
    store.close();
    expect(told).toEqual([[ended.runId, whole.length], { run_id: cut.runId, is_gone: true }]);
  });

  it("refuses what is no position", async () => {
    expect((await served.get("/api/stream?run=../x")).status).toBe(400);
  });
});

describe("a long value", () => {
  it("stands as its beginning, and is given whole or in parts", async () => {
    const run = await served.run("loud.yaml");
    const { body } = await served.get(`/api/runs/${run}/steps/talk`);
    const { output } = body.attempts[0];
    expect(output.$big).toMatch(/^sha256:/);
    const whole = await served.fetch(`/api/blobs/${output.$big}?run=${run}`);
    const text = await whole.text();
    expect(text.length).toBe(output.bytes);
    const part = await served.fetch(`/api/blobs/${output.$big}`, { headers: { range: "bytes=10-19" } });
    expect([part.status, await part.text()]).toEqual([206, text.slice(10, 20)]);
    expect(part.headers.get("content-range")).toBe(`bytes 10-19/${output.bytes}`);
    expect((await served.fetch(`/api/blobs/${output.$big}`, { headers: { range: "bytes=99999999-" } })).status).toBe(
      416,
    );
    expect((await served.get("/api/blobs/sha256:none")).status).toBe(404);
  });
});
