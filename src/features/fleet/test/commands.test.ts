// A fleet from a machine that is no worker: what commands say, what they do, and what the database shows of it.
import { existsSync, readFileSync } from "node:fs";
import { Pool } from "pg";
import { describe, expect, it } from "vitest";
import { until } from "../../../../test/support/until.ts";
import type { RunEvent } from "../../../base/events/registry.ts";
import { printedIn } from "../../../base/events/secrets-in-events.ts";
import { patiently } from "../postgres/connection.ts";
import { cluster, hasPostgres } from "./cluster.ts";
import { TestFleet } from "./fleet.ts";

const ECHO = `
workflow: { name: echo, entry_point: say, input: { word: { type: string }, token: { type: string, secret: true, required: false } } }
agents:
  - { name: say, type: script, command: sh, args: [-c, 'echo "$1 $SEGNO_SEAL_KEY $SEGNO_ON"', sh, "{{ workflow.input.word }}"] }
output: { said: "{{ say.output.stdout | trim }}" }
`;

const HOLD = `
workflow: { name: hold, entry_point: a, input: { tok: { type: string, secret: true } } }
agents: [{ name: a, type: script, command: sh, args: [-c, "printf h; sleep 0.2; printf u; sleep 0.2; exit 3"], raises: [] }]
`;

const SCRIPTED = `
workflow: echo.yaml
cli_scripts: [{ command: sh, stdout: scripted }]
`;

const LOUD = `
workflow: { name: loud, entry_point: shout }
agents:
  - { name: shout, type: script, command: sh, args: [-c, "head -c 11000000 /dev/zero | tr '\\\\0' x"] }
`;

const GATE = `
workflow: { name: gated, entry_point: ask }
agents:
  - name: ask
    type: human_gate
    prompt: "Ship?"
    options: [{ label: "Yes", value: "yes", route: $end }, { label: "No", value: "no", route: $end }]
output: { chosen: "{{ ask.output.selected }}" }
`;

describe.skipIf(!hasPostgres)("from a machine that is no worker", () => {
  it("a run gives the result that it gives here, and its files are under the home of who follows it", async () => {
    const fleet = await TestFleet.start();
    fleet.write("echo.yaml", ECHO);
    // The program as it is built; what follows is asked of the same commands in this process.
    await fleet.workerProcess();
    const result = await fleet.program.json(["run", "echo.yaml", "-i", "word=pomegranate"]);
    // What Segno was told in confidence reaches no script.
    expect(result).toMatchObject({ success: true, status: "completed", exit_code: 0, output: { said: "pomegranate" } });
    expect(result.artifacts?.events_jsonl).toContain(`${fleet.folder}/home/runs/`);
    expect(existsSync(result.artifacts?.events_jsonl ?? "")).toBe(true);
    const runId = result.run_id ?? "";
    expect(await fleet.json(["show", runId])).toMatchObject({ status: "completed", output: { said: "pomegranate" } });
    expect(await fleet.json(["runs"])).toMatchObject({ runs: [{ run_id: runId, status: "completed" }] });
    expect((await fleet.segno(["explain", runId])).stdout).toContain("echo");
    expect((await fleet.segno(["events", runId, "--follow"])).stdout).toContain("workflow_completed");
    expect(await fleet.json(["resume", runId])).toMatchObject({ status: "completed", exit_code: 0 });
    expect(await fleet.json(["workers"])).toMatchObject({
      workers: [{ concurrency: 8, runs: [] }],
      queue: { waiting: 0 },
    });
  });

  it("every line of a run has a number of its own, also where a script ends with what could begin a secret", async () => {
    const fleet = await TestFleet.start();
    fleet.write("hold.yaml", HOLD);
    await fleet.worker();
    const { run_id, artifacts } = await fleet.json(["run", "hold.yaml", "-i", "tok=hunter2secret"]);
    const lines = readFileSync(artifacts?.events_jsonl ?? "", "utf8")
      .trimEnd()
      .split("\n");
    for (const all of [lines.map((line) => JSON.parse(line) as RunEvent), await fleet.events(run_id ?? "")]) {
      expect(all.map(({ seq }) => seq)).toEqual(all.map((_, at) => at + 1));
      expect(all.flatMap(printedIn).map(({ text }) => text)).toEqual(["", "hu"]);
    }
  });

  it("a scenario plays here, and on a worker when its run is left to the workers", async () => {
    const fleet = await TestFleet.start();
    fleet.write("echo.yaml", ECHO);
    fleet.write("echo.scenario.yaml", SCRIPTED);
    const rehearsal = ["echo.yaml", "-i", "word=x", "--scenario", "echo.scenario.yaml"];
    expect(await fleet.json(["run", ...rehearsal])).toMatchObject({
      status: "completed",
      output: { said: "scripted" },
    });
    const run = await fleet.place(rehearsal[0]!, ...rehearsal.slice(1));
    expect(await fleet.json(["show", run])).toMatchObject({ status: "queued" });
    // What has to play it is what travelled.
    fleet.write("echo.scenario.yaml", SCRIPTED.replace("scripted", "edited"));
    await fleet.worker();
    expect(await fleet.allEnded([run])).toEqual(["completed"]);
    expect(await fleet.json(["show", run])).toMatchObject({ output: { said: "scripted" } });
  });

  it("a run that is left to the workers prints its id, for scripts to go on with", async () => {
    const fleet = await TestFleet.start();
    fleet.write("echo.yaml", ECHO);
    const { code, stdout, stderr } = await fleet.segno(["run", "echo.yaml", "-i", "word=x", "--detach"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[0-9A-Z]{26}\n$/);
    expect(stderr).toMatch(/queued: a worker takes it/);
    expect(await fleet.json(["runs"])).toMatchObject({ runs: [{ run_id: stdout.trim() }] });
  });

  it("secrets that are gone are said to be gone from the database, and cut output to be on its worker", async () => {
    const fleet = await TestFleet.start();
    fleet.write("echo.yaml", ECHO);
    fleet.write("loud.yaml", LOUD);
    await fleet.worker({}, { id: "pomelo" });
    // One that can be resumed: those of others are forgotten at their end.
    fleet.write("fails.yaml", ECHO.replace("command: sh", "command: no-such-program"));
    const { run_id } = await fleet.json(["run", "fails.yaml", "-i", "word=x", "-i", "token=tangerine"]);
    await fleet.sql("delete from segno.secrets");
    const { stderr } = await fleet.segno(["show", run_id ?? ""]);
    expect(stderr.replace(/\s+/g, " ")).toMatch(/kept in the row of this run in segno\.secrets, in postgres:/);
    expect(stderr).not.toContain("secrets.json");
    const loud = await fleet.json(["run", "loud.yaml"]);
    expect(JSON.stringify(loud.warnings)).toMatch(
      /the whole of it is in [^"]*stdout on the worker pomelo:[0-9a-f]{10}"/,
    );
  });

  it("a database that has no place for one more connection is waited for", async () => {
    const server = await cluster();
    const name = `crowd${process.pid}`;
    await server.sql(`create role ${name} login connection limit 0`);
    const pool = new Pool({ connectionString: server.url.replace("segno@", `${name}@`) });
    let attempts = 0;
    const answer = await patiently(
      async () => {
        attempts += 1;
        try {
          return await pool.query<{ one: number }>("select 1 as one");
        } catch (problem) {
          await server.sql(`alter role ${name} connection limit 5`);
          throw problem;
        }
      },
      { forMs: 10_000 },
    );
    await pool.end();
    expect([attempts, answer.rows]).toEqual([2, [{ one: 1 }]]);
  });

  it("doctor says whether the fleet can be reached, and whether anybody drives runs there", async () => {
    const fleet = await TestFleet.start();
    const check = async (name: string, ...more: string[]) => {
      const { checks } = await fleet.json<{ checks: readonly { name: string; ok: boolean; message: string }[] }>([
        ...["doctor", ...more],
      ]);
      return checks.find((one) => one.name === name);
    };
    expect(await check("fleet.workers")).toMatchObject({
      ok: false,
      message: expect.stringContaining("none is there"),
    });
    await fleet.worker();
    expect(await check("fleet.workers")).toMatchObject({ ok: true, message: "1 is there; no run waits for one" });
    const nobody = new URL(fleet.url);
    nobody.pathname = "/nothing";
    expect(await check("fleet.database", "--on", nobody.href)).toMatchObject({ ok: false });
  });

  it("a run that nobody waits for is queued, and one without a worker says so", async () => {
    const fleet = await TestFleet.start();
    fleet.write("echo.yaml", ECHO);
    const { code, stdout } = await fleet.segno([
      "run",
      "echo.yaml",
      "-i",
      "word=a",
      "--detach",
      "--output-format",
      "json",
    ]);
    const placed = JSON.parse(stdout) as { run_id: string; status: string };
    expect([code, placed.status]).toEqual([0, "queued"]);
    expect(await fleet.json(["runs"])).toMatchObject({ runs: [{ status: "queued" }] });
    const cancelled = await fleet.json(["cancel", placed.run_id]);
    expect(cancelled).toMatchObject({ status: "cancelled" });
    expect(await fleet.statusOf(placed.run_id)).toBe("cancelled");
    const lonely = fleet.follow(["run", "echo.yaml", "-i", "word=b"]);
    await until(() => lonely.said().includes("No worker is there"));
    await fleet.worker();
    expect(await lonely.ended).toBe(0);
  });

  it("a run that was cancelled before a worker took it begins when it is resumed, as it was asked", async () => {
    const fleet = await TestFleet.start();
    fleet.write("echo.yaml", ECHO);
    const run = await fleet.place("echo.yaml", "-i", "word=hello", "-i", "token=hush-hush");
    const cancelled = await fleet.json(["cancel", run]);
    const hint = expect.stringMatching(`Nothing of it was done. To begin it: (npx )?segno resume ${run}`);
    expect(cancelled).toMatchObject({ status: "cancelled", checkpoint: { resumable: true }, errors: [{ hint }] });
    const shown = await fleet.json(["show", run]);
    expect(shown).toMatchObject({ status: "cancelled", workflow: "echo", file: "echo.yaml", errors: [{ hint }] });
    expect(shown.errors[0]?.location ?? null).toBeNull();
    expect((await fleet.segno(["explain", run])).stdout).toContain(`segno resume ${run}`);
    for (const more of [
      ["-i", "word=bye"],
      ["--from", "say"],
    ]) {
      const { code, stderr } = await fleet.segno(["resume", run, ...more]);
      expect([code, stderr]).toEqual([2, expect.stringContaining("it begins as it was asked to")]);
    }
    // Taken back once more before it could begin.
    const first = fleet.json(["resume", run]);
    await until(async () => (await fleet.statusOf(run)) === "underway");
    expect(await fleet.json(["show", run])).toMatchObject({ status: "queued", workflow: "echo" });
    await fleet.json(["cancel", run]);
    expect(await first).toMatchObject({ status: "cancelled" });
    const following = fleet.json(["resume", run]);
    await fleet.worker();
    expect(await following).toMatchObject({ status: "completed", output: { said: "hello" } });
    expect(await fleet.json(["show", run])).toMatchObject({ status: "completed", output: { said: "hello" } });
    expect((await fleet.segno(["explain", run])).stdout).toContain("completed");
    expect((await fleet.json<{ runs: unknown[] }>(["runs"])).runs).toMatchObject([
      { run_id: run, status: "completed" },
    ]);
  });

  it("a gate holds no worker; its answer, from anywhere, lets the run go on", async () => {
    const fleet = await TestFleet.start();
    fleet.write("gate.yaml", GATE);
    await fleet.worker({}, { concurrency: 1 });
    const paused = await fleet.json(["run", "gate.yaml"]);
    expect(paused).toMatchObject({ status: "paused", exit_code: 4, gate: { node_id: "ask" } });
    expect(await fleet.json(["workers"])).toMatchObject({ workers: [{ runs: [] }] });
    expect(await fleet.json(["gate", "list"])).toMatchObject({ gates: [{ node_id: "ask" }] });
    // Who said where it is has to say it again: the command that is shown does.
    const shown = await fleet.json(["show", paused.run_id ?? "", "--on", fleet.url], { SEGNO_ON: "" });
    expect(shown.gate?.answer).toMatch(new RegExp(`^(npx )?segno gate answer .* --on ${fleet.url}$`));
    const refused = await fleet.segno(["gate", "answer", paused.run_id ?? "", "perhaps"]);
    expect(refused.code).toBe(2);
    const answered = await fleet.json(["gate", "answer", paused.run_id ?? "", "yes"]);
    expect(answered).toMatchObject({ status: "completed", output: { chosen: "yes" } });
  });

  it("a run is stopped on its worker", async () => {
    const fleet = await TestFleet.start();
    fleet.write(
      "long.yaml",
      'workflow: { name: long, entry_point: a }\nagents: [{ name: a, type: script, command: sh, args: [-c, "touch begun; sleep 170"] }]\n',
    );
    await fleet.worker();
    const run = await fleet.place("long.yaml");
    await until(() => existsSync(`${fleet.folder}/begun`));
    expect(await fleet.json(["cancel", run])).toMatchObject({ status: "cancelled" });
    expect(await fleet.statusOf(run)).toBe("cancelled");
  });

  it("the database shows no input, output or secret, and a source that was changed in it is refused", async () => {
    const fleet = await TestFleet.start();
    fleet.write("echo.yaml", ECHO);
    const run = await fleet.place("echo.yaml", "-i", "word=pomegranate", "-i", "token=tangerine");
    await fleet.worker();
    expect(await fleet.allEnded([run])).toEqual(["completed"]);
    const server = await cluster();
    const tables = ["runs", "events", "blobs", "sources", "secrets", "answers", "letters", "cache"];
    for (const table of tables) {
      const rows = await server.sql(`select * from segno.${table}`, fleet.url);
      expect(JSON.stringify(rows), table).not.toMatch(/pomegranate|tangerine|printenv|SEGNO_SEAL_KEY/);
    }
    fleet.write(
      "plain.yaml",
      "workflow: { name: plain, entry_point: a }\nagents: [{ name: a, type: set, value: '1' }]\n",
    );
    // Placed by somebody without the key, as by whoever can write to the database.
    const clear = await fleet.json(["run", "plain.yaml"], { SEGNO_SEAL_KEY: "" });
    expect(clear).toMatchObject({ success: false });
    // Pinned as one text, and changed to another that somebody has sealed elsewhere.
    fleet.write(
      "other.yaml",
      "workflow: { name: other, entry_point: b }\nagents: [{ name: b, type: set, value: '2' }]\n",
    );
    const moved = await fleet.place("other.yaml");
    expect(await fleet.allEnded([moved])).toEqual(["completed"]);
    await server.sql(
      `update segno.pins set hash = (select hash from segno.pins where run_id <> '${run}' and path like '%other%' limit 1)
       where run_id = '${run}'`,
      fleet.url,
    );
    const changed = await fleet.json(["show", run]);
    expect(changed.error).toMatch(/is not what was pinned/);
    const secret = await fleet.json(["run", "echo.yaml", "-i", "word=x", "-i", "token=t"], { SEGNO_SEAL_KEY: "" });
    expect(secret).toMatchObject({ success: false });
    expect(secret.error).toMatch(/SEGNO_SEAL_KEY/);
  });

  it("never says the password of the database", async () => {
    const fleet = await TestFleet.start();
    const url = fleet.url.replace("segno@", "segno:hunter2@").replace(/:\d+\//, ":1/");
    const { code, stdout, stderr } = await fleet.segno(["runs", "--on", url]);
    expect(code).not.toBe(0);
    expect(stdout + stderr).not.toContain("hunter2");
    expect(stdout + stderr).toContain("postgres://segno@127.0.0.1:1/");
  });
});
