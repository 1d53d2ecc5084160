// `npm run bench -- scale`: what must not grow with the number of runs. Each row makes its own data and says what it made.
// Processor time, user and system: the machine may be busy with other things.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ListFeed } from "../../src/frontends/server/list-feed.ts";
import { ShownRuns } from "../../src/frontends/server/views/run-list.ts";
import { WatchedRuns } from "../../src/frontends/server/views/watched-runs.ts";
import { defineStep, succeeded } from "../../src/index.ts";
import { resumeRun } from "../../src/services/runs/resume.ts";
import { runWorkflow } from "../../src/services/runs/run.ts";
import { extensionsFrom } from "../../src/services/session/extensions.ts";
import type { Session } from "../../src/services/session/session.ts";
import { openStore } from "../../src/storage/embedded/store.ts";
import { newRunId } from "../../src/storage/run-index.ts";
import { listsRow, listsTook } from "./lists.ts";
import { fileIn, median, printRow, processor, type Row } from "./measured.ts";
import { figuresOf, statsRow } from "./stats.ts";

const [wanted = "", folder = ""] = process.argv.slice(2);

const TWO_STEPS = `workflow: { name: two, entry_point: a }
agents:
  - { name: a, type: set, value: 1, routes: [{ to: b }] }
  - { name: b, type: set, value: 2 }
`;

const sessionAt = (name: string) => {
  const home = join(folder, `${name}-${process.pid}`);
  return { cwd: folder, env: { ...process.env, SEGNO_HOME: home }, home };
};

/** Rows of the index: one of ten failed, of 20 workflows. */
function indexed(count: number) {
  const session = sessionAt(`index-${count}`);
  const store = openStore(session.home);
  const now = Date.now();
  store.state.atOnce(() => {
    for (let at = 0; at < count; at++) {
      const started = new Date(now - at * 1000).toISOString();
      const isFailed = at % 10 === 0;
      store.state.runs.put({
        runId: newRunId(now - at * 1000),
        workflow: `w${at % 20}`,
        file: join(folder, `w${at % 20}.yaml`),
        status: isFailed ? "failed" : "completed",
        started,
        ended: started,
        driver: null,
        failingKind: isFailed ? "external.api" : null,
        exitCode: 0,
        durationMs: 1,
        costUsd: null,
        resumable: false,
        figures: figuresOf(isFailed),
      });
    }
  });
  store.close();
  return session;
}

async function listed(count: number) {
  const session = indexed(count);
  const watched = await WatchedRuns.open(session, folder);
  return { session, watched, list: new ShownRuns(watched, session) };
}

async function listRow(): Promise<Row> {
  const few = await listsTook(await listed(1_000));
  return listsRow(few, await listsTook(await listed(100_000)));
}

async function streamsRow(): Promise<Row> {
  const { watched, list } = await listed(100_000);
  const stop = new AbortController();
  const feed = new ListFeed(list, stop.signal);
  const readers = Array.from({ length: 200 }, () => feed.enter());
  await Promise.all(readers.map((reader) => reader.next()));
  const waiting = readers.map((reader) => reader.changed(stop.signal));
  const seconds = 10;
  const took = await processor(() => pause(seconds * 1000));
  stop.abort();
  await Promise.all(waiting);
  await watched.close();
  const core = took / 1000 / seconds;
  const floor = "a core; 200 who follow the list of 100 000 runs, and nothing happens";
  return { direction: "at most", target: 0.1, ratio: core, subject: `${(core * 100).toFixed(1)} %`, floor };
}

async function runs(count: number, session: ReturnType<typeof sessionAt>): Promise<number> {
  const file = fileIn(folder, "two.yaml", TWO_STEPS);
  return processor(async () => {
    for (let at = 0; at < count; at++) await runWorkflow(session, { file, inputs: {} });
  });
}

const MOST_MORE = 32;

async function flatRow(): Promise<Row> {
  const session = sessionAt("flat");
  await runs(100, session);
  const first = (await runs(300, session)) / 300;
  const heapThen = heapMegabytes();
  await runs(19_300, session);
  const last = (await runs(300, session)) / 300;
  const more = heapMegabytes() - heapThen;
  const say = (ms: number): string => `${ms.toFixed(2)} ms`;
  return {
    direction: "at most",
    target: 1.1,
    ratio: Math.max(last / first, 1.1 * (more / MOST_MORE)),
    subject: `${say(last)}, run 20 000; ${more.toFixed(1)} MB more`,
    floor: `${say(first)}; ${MOST_MORE} MB`,
  };
}

/** What is held, without garbage. */
function heapMegabytes(): number {
  (globalThis as { gc?: () => void }).gc?.();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

async function pruneRow(): Promise<Row> {
  const session = sessionAt("prune");
  await runs(10_000, session);
  const { seconds, megabytes } = command(session, ["runs", "prune", "--all", "--keep", "0", "--yes"]);
  const subject = `${seconds.toFixed(2)} s, ${megabytes.toFixed(0)} MB`;
  const ratio = Math.max(seconds / 3, megabytes / 150);
  return { direction: "at most", target: 1, ratio, subject, floor: "3 s and 150 MB; 10 000 runs of two steps" };
}

async function diskRow(): Promise<Row> {
  const session = sessionAt("disk");
  await runs(1, session);
  const [run = ""] = readdirSync(join(session.home, "runs"));
  const files = readdirSync(join(session.home, "runs", run));
  const kilobytes = files.reduce((sum, name) => sum + statSync(join(session.home, "runs", run, name)).size, 0) / 1024;
  const subject = `${kilobytes.toFixed(1)} KB in ${files.length} files`;
  return { direction: "at most", target: 1, ratio: kilobytes / 24, subject, floor: "24 KB; a run of two steps" };
}

/** So many steps of a loop, and then a gate. */
function longWorkflow(steps: number) {
  const session = sessionAt(`long-${steps}`);
  const file = fileIn(
    folder,
    `long-${steps}.yaml`,
    `workflow: { name: long, entry_point: a, limits: { max_iterations: unlimited } }
agents:
  - { name: a, type: set, value: "{{ context.iteration }}", routes: [{ to: g, when: "{{ context.iteration >= ${steps} }}" }, { to: a }] }
  - { name: g, type: human_gate, prompt: On?, options: [{ label: Y, value: "y", route: $end }] }
`,
  );
  return { session, file };
}

/** Exit code of a run that waits at a gate. */
const AT_GATE = 4;

const FEW = 1_000;
const MANY = 100_000;

async function resumeRow(): Promise<Row> {
  const took: number[] = [];
  for (const steps of [FEW, MANY]) {
    const { session, file } = longWorkflow(steps);
    const { run_id } = await runWorkflow(session, { file, inputs: {} });
    const times: number[] = [];
    for (let turn = 0; turn < 7; turn++)
      times.push(await processor(() => resumeRun(session, { target: run_id ?? "", inputs: {} })));
    took.push(median(times));
  }
  const [few = 0, many = 0] = took;
  const [subject, floor] = [`${many.toFixed(1)} ms after 100 000 steps`, `${few.toFixed(1)} ms after 1 000 steps`];
  return { direction: "at most", target: 1.2, ratio: many / few, subject, floor };
}

/** Says at its end what the process took. `maxRSS` counts what the process that forked it held; VmHWM does not. */
const TAKEN = `data:text/javascript,import { readFileSync } from "node:fs";
process.on("exit", () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  const [, kilobytes] = /VmHWM:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"));
  process.stderr.write("\\n" + (userCPUTime + systemCPUTime) / 1e6 + " " + kilobytes / 1024);
})`;

/** A command as a user gives it: its processor time and memory, with Node's own. */
function command(
  session: Session,
  args: readonly string[],
  expected = 0,
): { readonly seconds: number; readonly megabytes: number } {
  const program = ["--import", TAKEN, join(process.cwd(), "dist/main.cjs"), ...args];
  const { status, stderr } = spawnSync(process.execPath, program, {
    cwd: session.cwd,
    env: session.env as NodeJS.ProcessEnv,
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [seconds = 0, megabytes = 0] = (stderr.split("\n").at(-1) ?? "").split(" ").map(Number);
  if (status !== expected || !(seconds > 0 && megabytes > 0))
    throw new Error(`segno ${args.join(" ")} ended with ${status}: ${stderr.slice(-500)}`);
  return { seconds, megabytes };
}

/** A command that reads a run: of ten times as many steps. */
async function readRow(name: string): Promise<Row> {
  const taken: ReturnType<typeof command>[] = [];
  for (const steps of [MANY / 10, MANY]) {
    const { session, file } = longWorkflow(steps);
    command(session, ["run", "-q", file], AT_GATE);
    taken.push(command(session, [name, ...readdirSync(join(session.home, "runs"))]));
  }
  const [few, many] = taken;
  if (!few || !many) throw new Error("nothing was measured");
  return {
    direction: "at most",
    target: 11,
    ratio: many.seconds / few.seconds,
    subject: `${many.seconds.toFixed(1)} s for 100 000 steps, ${many.megabytes.toFixed(0)} MB`,
    floor: `${few.seconds.toFixed(2)} s for 10 000`,
  };
}

const OUTPUTS = 200;
const OUTPUT_BYTES = 1_000_000;

/** A group of so many items that each give a large text. `run` gives the megabytes of memory that it took. */
async function outputsRow(
  name: string,
  step: string,
  run: (session: Session, file: string) => Promise<number>,
): Promise<Row> {
  const session = sessionAt(name);
  const file = fileIn(
    folder,
    `${name}.yaml`,
    `workflow: { name: large, entry_point: all }
agents: []
for_each: [{ name: all, type: for_each, source: "{{ range(${OUTPUTS}) | list }}", as: n, max_concurrent: 4, agent: { name: one, ${step} } }]
`,
  );
  const memory = await run(session, file);
  const disk = bytesIn(join(session.home, "runs")) / (OUTPUTS * OUTPUT_BYTES);
  const subject = `${disk.toFixed(2)} × on disk, ${memory.toFixed(0)} MB of memory`;
  const ratio = Math.max(disk, 1.3 * (memory / 250));
  return { direction: "at most", target: 1.3, ratio, subject, floor: "200 outputs of 1 MB; 250 MB" };
}

/** In this process, as a program that uses the library has it. */
const ownOutputsRow = () =>
  outputsRow("own-outputs", "type: large", async (session, file) => {
    const large = defineStep({
      type: "large",
      description: "gives a large text",
      schema: { type: "object", properties: {} } as const,
      execute: () => succeeded(randomBytes((OUTPUT_BYTES / 4) * 3).toString("base64")),
    });
    await runWorkflow({ ...session, extensions: await extensionsFrom({ steps: [large] }) }, { file, inputs: {} });
    return process.resourceUsage().maxRSS / 1024;
  });

const scriptOutputsRow = () =>
  outputsRow("script-outputs", SCRIPT, async (session, file) => command(session, ["run", file]).megabytes);

const bytesIn = (place: string): number =>
  readdirSync(place, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(place, entry.name);
    return sum + (entry.isDirectory() ? bytesIn(path) : statSync(path).size);
  }, 0);

const SCRIPT = `type: script, command: sh, args: ["-c", "head -c 750000 /dev/urandom | base64 -w0"]`;

const rows: Readonly<Record<string, () => Promise<Row>>> = {
  "scale: lists of 100 000 runs": listRow,
  "scale: stats of 100 000 runs": () => statsRow(indexed(100_000)),
  "scale: 200 idle streams on 100 000 runs": streamsRow,
  "scale: run 20 000 of one process": flatRow,
  "scale: prune of 10 000 runs": pruneRow,
  "scale: disk of a run of two steps": diskRow,
  "scale: resume after 100 000 steps": resumeRow,
  "scale: explain 100 000 steps": () => readRow("explain"),
  "scale: trace 100 000 steps": () => readRow("trace"),
  "scale: events of 100 000 steps": () => readRow("events"),
  "scale: 200 outputs of 1 MB, own steps": ownOutputsRow,
  "scale: 200 outputs of 1 MB, scripts": scriptOutputsRow,
};

await printRow(rows, wanted);
