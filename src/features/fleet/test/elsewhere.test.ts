// Everything that is asked with `--on`, from a machine that has no worker, none of the files, a folder and a home of its own,
// and none of the workers' settings.
import { describe, expect, it, onTestFinished } from "vitest";
import { startApi } from "../../../../test/resilience/api.ts";
import { until } from "../../../../test/support/until.ts";
import { connect } from "../../../frontends/mcp/test/client.ts";
import { hasPostgres } from "./cluster.ts";
import { SEAL_KEY, TestFleet } from "./fleet.ts";
import type { Machine } from "./machine.ts";

const GATE = `
workflow: { name: gated, entry_point: ask }
agents:
  - name: ask
    type: human_gate
    prompt: "Ship?"
    options: [{ label: "Yes", value: "yes", route: $end }, { label: "No", value: "no", route: $end }]
output: { chosen: "{{ ask.output.selected }}" }
`;

const letters = (url: string): string => `
workflow: { name: fragile, entry_point: each, resilience: { dead_letter: true }, input: { list: { type: array, default: [1, 2] } } }
agents: []
for_each:
  - name: each
    type: for_each
    source: workflow.input.list
    as: n
    failure_mode: continue_on_error
    agent: { name: item, type: http, url: "${url}/{{ n }}", timeout: 60 }
    routes: [{ to: $end }]
`;

const LONG = `
workflow: { name: long, entry_point: a }
agents:
  - { name: a, type: script, command: sh, args: [-c, "echo begun >> log; sleep 170"] }
`;

const STEPS = `
workflow: { name: steps, entry_point: a }
agents:
  - { name: a, type: script, command: sh, args: [-c, "echo a >> log; until test -e go; do sleep 0.05; done"], routes: [{ to: b }] }
  - { name: b, type: script, command: sh, args: [-c, "echo b >> log"] }
`;

interface Scene {
  readonly fleet: TestFleet;
  readonly other: Machine;
  /** What the other machine is asked, with `--on`. */
  ask<Answer = Record<string, unknown>>(...args: string[]): Promise<Answer>;
  /** The same, in words. */
  say(...args: string[]): Promise<string>;
}

async function scene(files: Readonly<Record<string, string>>): Promise<Scene> {
  const fleet = await TestFleet.start();
  for (const [name, text] of Object.entries(files)) fleet.write(name, text);
  await fleet.worker();
  const other = fleet.elsewhere();
  return {
    fleet,
    other,
    ask: (...args) => other.json([...args, "--on", fleet.url]),
    say: async (...args) => {
      const { stdout, stderr } = await other.segno([...args, "--on", fleet.url]);
      return stdout + stderr;
    },
  };
}

/** Every command that is suggested says which fleet it is for. */
function expectOn(text: string, url: string): void {
  // A narrow terminal breaks the line before the address.
  const whole = text.replace(/--on\s+postgres/g, "--on postgres");
  const suggested = whole.match(/segno (gate|dlq|resume|cancel|runs|show|events|explain|workers|breakers)\b.*/g) ?? [];
  expect(suggested.length, text).toBeGreaterThan(0);
  for (const line of suggested) expect(line).toContain(`--on ${url}`);
}

describe.skipIf(!hasPostgres)("from another machine", () => {
  it("gates are listed, shown and answered, and every command that is suggested names the fleet", async () => {
    const { fleet, ask, say } = await scene({ "gate.yaml": GATE });
    const { run_id: run = "" } = (await fleet.json(["run", "gate.yaml"])) as { run_id?: string };
    expectOn(await say("gate", "list"), fleet.url);
    expectOn(await say("show", run), fleet.url);
    expectOn(await say("explain", run), fleet.url);
    expectOn(JSON.stringify((await ask("show", run)).gate), fleet.url);
    expect(await ask("gate", "answer", run, "yes")).toMatchObject({ status: "completed", output: { chosen: "yes" } });
  });

  it("dead letters are listed, shown, tried again and dropped", async () => {
    const api = await startApi({ isUp: false });
    const { fleet, ask, say } = await scene({ "letter.yaml": letters(api.url) });
    await fleet.json(["run", "letter.yaml"]);
    const { letters: open } = await ask<{ letters: readonly { id: string }[] }>("dlq", "list");
    expect(open).toHaveLength(2);
    expectOn(await say("dlq", "list"), fleet.url);
    expectOn(await say("dlq", "show", open[0]!.id), fleet.url);
    expect(await ask("dlq", "drop", open[1]!.id)).toMatchObject({ letters: [{ status: "dropped" }] });
    expectOn(await say("dlq", "list"), fleet.url);
    api.isUp = true;
    expect(await ask("dlq", "retry", open[0]!.id)).toMatchObject({ letters: [{ status: "resolved" }] });
  });

  it("a run is followed while it goes on, explained and cancelled", async () => {
    const { fleet, other, ask, say } = await scene({ "steps.yaml": STEPS, "long.yaml": LONG });
    const run = await fleet.place("steps.yaml");
    await until(() => fleet.lines("log").length === 1);
    const following = other.follow(["events", run, "--follow", "--output-format", "ndjson", "--on", fleet.url]);
    // Only then does the run go on: what comes after was seen as it happened.
    await until(() => following.answer().includes('"script_spawned"'));
    fleet.write("go", "");
    expect(await following.ended).toBe(0);
    const last = following.answer().trimEnd().split("\n").at(-1) ?? "";
    expect(JSON.parse(last)).toMatchObject({ type: "workflow_completed" });
    expect(await say("explain", run)).toContain("steps");
    const long = await fleet.place("long.yaml");
    await until(() => fleet.lines("log").includes("begun"));
    expect(await ask("cancel", long)).toMatchObject({ status: "cancelled" });
    expect(await fleet.statusOf(long)).toBe("cancelled");
  });

  it("a worker is drained: it hands over, ends, and is gone from the list", async () => {
    const fleet = await TestFleet.start();
    const worker = await fleet.worker({}, { id: "leaving" });
    const other = fleet.elsewhere();
    const on = ["--on", fleet.url];
    const unknown = await other.segno(["workers", "drain", "nobody", ...on]);
    expect(unknown.code).toBe(2);
    expectOn(unknown.stderr, fleet.url);
    expect(await other.json(["workers", "drain", "leaving", ...on])).toMatchObject({ workers: [{ draining: true }] });
    expect(await worker.ended).toBe(0);
    expect(await other.json(["workers", ...on])).toMatchObject({ workers: [] });
  });

  it("the page shows the fleet's runs, and a gate is answered there", async () => {
    const { fleet, other } = await scene({ "gate.yaml": GATE });
    const run = await fleet.place("gate.yaml");
    await until(async () => (await fleet.statusOf(run)) === "paused");
    // The page shows runs of files below its root.
    const serving = other.start(["serve", "--port", "0", "--on", fleet.url, "--root", fleet.folder], {
      SEGNO_SERVE_TOKEN: "t".repeat(32),
    });
    let said = "";
    serving.stderr.on("data", (bytes) => {
      said += bytes;
    });
    const address = await until(() => {
      if (serving.exitCode !== null) throw new Error(said);
      return /http:\/\/[^/]+/.exec(said)?.[0];
    });
    expect(said).not.toContain("stop as well");
    let session = "";
    const call = async (path: string, body?: unknown) => {
      const answer = await fetch(`${address}/api${path}`, {
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
        headers: {
          origin: address,
          "content-type": "application/json",
          "idempotency-key": path,
          authorization: `Bearer ${session}`,
        },
      });
      return (await answer.json()) as Record<string, unknown>;
    };
    ({ session } = (await call("/session", { token: "t".repeat(32) })) as { session: string });
    expect(await call("/runs")).toMatchObject({ runs: [{ run_id: run, status: "paused" }] });
    const { gates } = (await call("/gates")) as { gates: readonly { id: string }[] };
    const { seq } = (await call(`/runs/${run}`)) as { seq: number };
    const answered = await call(`/gates/${encodeURIComponent(gates[0]!.id)}`, { seq, value: "yes" });
    expect(answered).toMatchObject({ run_id: run, value: "yes" });
    await until(async () => (await fleet.statusOf(run)) === "completed");
  });

  it("a coding agent runs a workflow and answers its gate by way of `mcp --on`", async () => {
    const { fleet, other } = await scene({});
    const agent = await connect("stdio", {
      folder: other.folder,
      args: ["--on", fleet.url, "--allow-gate-answers"],
      env: { SEGNO_SEAL_KEY: SEAL_KEY },
    });
    onTestFinished(() => agent.close());
    agent.write("gate.yaml", GATE);
    const started = await agent.call("workflow_run", { file: "gate.yaml" });
    expect(started.text).toBeTruthy();
    const { run_id } = started.object as { run_id: string };
    await until(async () => (await fleet.statusOf(run_id)) === "paused");
    expect((await agent.call("gate_list")).object).toMatchObject({ gates: [{ run_id }] });
    await agent.call("gate_answer", { run_id, value: "yes" });
    await until(async () => (await fleet.statusOf(run_id)) === "completed");
    expect((await agent.call("run_status", { run_id })).object).toMatchObject({ status: "completed" });
    expect((await fleet.json<{ runs: unknown[] }>(["runs"])).runs).toHaveLength(1);
  });
});
