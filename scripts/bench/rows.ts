// The rows that run in one process: steps per second, groups, resume, memory, context, templates, many runs at once.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { resumeRun } from "../../src/services/runs/resume.ts";
import { runWorkflow } from "../../src/services/runs/run.ts";
import { compile } from "../../src/template/index.ts";
import { best, fileIn, inTurns, loopFile, ofStepsAlone, printRow, type Row, seconds } from "./measured.ts";
import { pageRow } from "./page.ts";

const [wanted = "", folder = ""] = process.argv.slice(2);
const home = join(folder, `home-${process.pid}`);
const session = { cwd: folder, env: { ...process.env, SEGNO_HOME: home }, home };

const file = (name: string, text: string): string => fileIn(folder, name, text);
const loop = (steps: number): string => loopFile(folder, steps);

async function run(
  path: string,
  options: { durability?: "process" | "power"; inputs?: Record<string, unknown> } = {},
): Promise<void> {
  const inputs = Object.fromEntries(Object.entries(options.inputs ?? {}).map(([name, value]) => [name, { value }]));
  const result = await runWorkflow(session, {
    file: path,
    inputs,
    ...(options.durability ? { durability: options.durability } : {}),
  });
  if (!result.success) throw new Error(`${path}: ${result.error}`);
}

interface Floor {
  exec(sql: string): void;
  prepare(sql: string): { run(values: readonly unknown[]): void };
}

/** Of a row that a `set` step leaves in the journal. */
const ROW_BYTES = 475;

/** Seconds for one-row commits of that size into a new file, as a run has one, with the same driver and the same promise. */
async function commits(durability: "process" | "power", count: number): Promise<number> {
  mkdirSync(home, { recursive: true });
  const Database = createRequire(import.meta.url)("libsql") as new (path: string) => Floor;
  const database = new Database(join(home, `floor-${randomUUID()}.db`));
  database.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=${durability === "power" ? "FULL" : "NORMAL"}`);
  database.exec("CREATE TABLE batches (first_seq INTEGER PRIMARY KEY, last_seq INTEGER, data TEXT)");
  const insert = database.prepare("INSERT INTO batches VALUES (?, ?, ?)");
  const payload = "x".repeat(ROW_BYTES);
  return seconds(() => {
    for (let at = 0; at < count; at++) insert.run([at, at, payload]);
  });
}

async function loopRow(durability: "process" | "power", steps: number): Promise<Row> {
  await run(loop(200), { durability });
  const { floor, subject, ratio } = await inTurns(
    durability === "power" ? 9 : 25,
    () => commits(durability, steps),
    () => ofStepsAlone(steps, (count) => seconds(() => run(loop(count), { durability }))),
  );
  return {
    direction: "at least",
    target: 0.5,
    ratio: 1 / ratio,
    subject: `${(steps / subject).toFixed(0)} steps/s`,
    floor: `${(steps / floor).toFixed(0)} commits/s`,
  };
}

async function spawnPool(count: number, concurrency: number): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      next++;
      await new Promise((done) => spawn("/bin/true", { stdio: ["ignore", "pipe", "pipe"] }).on("close", done));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/** How long two stretches of one run took, in milliseconds: the best of several runs. */
async function windows(
  path: string,
  first: [number, number],
  second: [number, number],
): Promise<{ early: number; late: number }> {
  let early = Number.POSITIVE_INFINITY;
  let late = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 5; turn++) {
    const at = new Map<number, number>();
    const marks = new Set([...first, ...second]);
    const result = await runWorkflow(
      session,
      { file: path, inputs: {} },
      {
        on: (event) => {
          if (event.type === "agent_started" && marks.has(event.data.iteration))
            at.set(event.data.iteration, performance.now());
        },
      },
    );
    if (!result.success) throw new Error(`${path}: ${result.error}`);
    const took = ([from, to]: [number, number]): number => (at.get(to) ?? 0) - (at.get(from) ?? 0);
    early = Math.min(early, took(first));
    late = Math.min(late, took(second));
  }
  return { early, late };
}

const memory = (): number => {
  (globalThis as { gc?: () => void }).gc?.();
  return process.memoryUsage().rss;
};

const rows: Readonly<Record<string, () => Promise<Row>>> = {
  "loop: 2 000 set steps, durability process": () => loopRow("process", 2000),

  "loop: 2 000 set steps, durability power": () => loopRow("power", 2000),

  "loop: cost per step, step 10 000 against step 100": async () => {
    await run(loop(2000));
    const { early, late } = await windows(loop(10_200), [100, 1100], [9100, 10_100]);
    return {
      direction: "at most",
      target: 1.2,
      ratio: late / early,
      subject: `${late.toFixed(1)} ms`,
      floor: `${early.toFixed(1)} ms for 1 000`,
    };
  },

  "group: for_each of 500 /bin/true, 8 at a time": async () => {
    const path = file(
      "each.yaml",
      `workflow: { name: each, entry_point: each, limits: { max_iterations: 2000 } }
for_each:
  - { name: each, type: for_each, source: workflow.input.xs, as: x, max_concurrent: 8, agent: { name: w, type: script, command: /bin/true } }
`,
    );
    const inputs = { xs: Array.from({ length: 500 }, (_, i) => i) };
    await spawnPool(100, 8);
    const { floor, subject, ratio } = await inTurns(
      9,
      () => seconds(() => spawnPool(500, 8)),
      () => seconds(() => run(path, { inputs })),
    );
    return {
      direction: "at least",
      target: 0.7,
      ratio: 1 / ratio,
      subject: `${(500 / subject).toFixed(0)} /s`,
      floor: `${(500 / floor).toFixed(0)} /s`,
    };
  },

  "resume: 2 000 completed script steps": async () => {
    const flag = join(folder, "go");
    const path = file(
      "resume.yaml",
      `workflow: { name: resume, entry_point: a, limits: { max_iterations: 5000 } }
agents:
  - { name: a, type: script, command: /bin/true, routes: [{ to: b, when: "{{ context.iteration >= 2000 }}" }, { to: a }] }
  - { name: b, type: script, command: test, args: [-e, "${flag}"], raises: [b.b] }
`,
    );
    const fresh = await seconds(() => runWorkflow(session, { file: path, inputs: {} }));
    writeFileSync(flag, "");
    const resumed = await seconds(async () => {
      const result = await resumeRun(session, { target: path, inputs: {} });
      if (!result.success) throw new Error(String(result.error));
    });
    return {
      direction: "at most",
      target: 0.05,
      ratio: resumed / fresh,
      subject: `${(resumed * 1000).toFixed(0)} ms`,
      floor: `${(fresh * 1000).toFixed(0)} ms`,
    };
  },

  "memory: after 50 000 steps, in MB over 1 000": async () => {
    await run(loop(1000));
    const before = memory();
    await run(loop(50_000));
    const grown = (memory() - before) / 2 ** 20;
    return {
      direction: "at most",
      target: 64,
      ratio: grown,
      subject: `${grown.toFixed(0)} MB more`,
      floor: `${(before / 2 ** 20).toFixed(0)} MB`,
    };
  },

  "context: step 2 000 with 200 KB of outputs": async () => {
    const wide = Array.from(
      { length: 20 },
      (_, i) =>
        `  - { name: w${i}, type: set, value: "{{ 'x' * 10240 }}", routes: [{ to: ${i < 19 ? `w${i + 1}` : "a"} }] }`,
    );
    const path = (steps: number, outputs: string[]): string =>
      file(
        `context-${steps}-${outputs.length}.yaml`,
        `workflow: { name: context, entry_point: ${outputs.length ? "w0" : "a"}, limits: { max_iterations: 5000 } }
agents:
${outputs.join("\n")}
  - { name: a, type: set, value: "{{ context.iteration }}", routes: [{ to: $end, when: "{{ context.iteration >= ${steps} }}" }, { to: a }] }
`,
      );
    await run(path(500, wide));
    const narrow = await windows(path(2100, []), [1000, 2000], [1000, 2000]);
    const broad = await windows(path(2100, wide), [1000, 2000], [1000, 2000]);
    return {
      direction: "at most",
      target: 1.5,
      ratio: broad.late / narrow.late,
      subject: `${broad.late.toFixed(1)} ms for 1 000`,
      floor: `${narrow.late.toFixed(1)} ms`,
    };
  },

  "template: renders per second, 60 KB context": async () => {
    const context: Record<string, unknown> = { user: { name: "ann", tags: ["a", "b"] } };
    for (let i = 0; i < 60; i++) context[`step${i}`] = { output: { text: "x".repeat(1000) } };
    const template = compile(
      "Hello {{ user.name }}: {% for tag in user.tags %}{{ tag | upper }} {% endfor %}{{ step3.output.text | length }}",
    );
    const times = 20_000;
    const time = await best(5, () => {
      for (let i = 0; i < times; i++) template.render(context);
    });
    return {
      direction: "at least",
      target: 20_000,
      ratio: times / time,
      subject: `${(times / time).toFixed(0)} /s`,
      floor: "–",
    };
  },

  "runs: 64 at once in one process": async () => {
    const path = loop(300);
    await run(path);
    const one = await best(4, () => run(path));
    const many = await best(2, () => Promise.all(Array.from({ length: 64 }, () => run(path))));
    return {
      direction: "at least",
      target: 0.8,
      ratio: (64 * one) / many,
      subject: `${((64 * 300) / many).toFixed(0)} steps/s`,
      floor: `${(300 / one).toFixed(0)} steps/s`,
    };
  },

  "dashboard: first picture of a run with 100 000 events, ms": () => pageRow(folder, "first picture", 1500),
  "dashboard: longest frame in a minute of 2 000 events a second, ms": () => pageRow(folder, "longest frame", 100),
  "dashboard: heap growth in a minute of 2 000 events a second, MB": () => pageRow(folder, "heap growth", 50, "MB"),
  "dashboard: longest frame while 300 nodes are moved, ms": () => pageRow(folder, "panning 300 nodes", 100),
  "dashboard: an item of 1 000 opens, ms": () => pageRow(folder, "an item opens", 100),
  "dashboard: a moment of a replay of 100 000 events, ms": () => pageRow(folder, "a moment of a replay", 100),
};

await printRow(rows, wanted);
