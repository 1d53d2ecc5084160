// A workflow whose every text is hostile: names, item keys, reasons, messages, outputs, file names, the home's path. It goes
// through every command, and no command lets a byte of it reach the terminal, nor a line that it made up.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandLine } from "../support/command-line.ts";
import { KEPT_CODE, PROGRAM } from "../support/program.ts";

const SEQUENCES = "\u001b[2J\u001b]0;title\u0007\u001b[8m\u001bPdevice\u001b\\\u001bc\u009b2J\u009d0;title\u009c";
const CONTROLS = "\u0008\r\u007f\u0085\u202e\u2066\u200f\u061c\u2028";
const HOSTILE = `${SEQUENCES}${CONTROLS}\nFORGED ok 9 - line\n`;
/** A file's name has no line break here: it stands in messages as it is typed. */
const NAME = `n${SEQUENCES.replaceAll("/", "")}${CONTROLS}`;

const OWN_COLOR = /\u001b\[(?:[012349]|2[2349]|3[12369])m/g;
const FOREIGN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/u;

const script = (text: string, ...args: readonly string[]) => ({
  type: "script",
  command: process.execPath,
  args: ["-e", text, ...args],
});
const print = `process.stdout.write(${JSON.stringify(HOSTILE)}); process.stderr.write(${JSON.stringify(HOSTILE)});`;
const escaped = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
const envelope = {
  kind: "hostile.text",
  message: `m${HOSTILE}`,
  details: { [`d${HOSTILE}`]: [HOSTILE], text: HOSTILE },
};

const raise = `${print} require("fs").writeFileSync(process.env.CONDUCTOR_ERROR_OUT, ${JSON.stringify(JSON.stringify(envelope))})`;

const workflow = {
  workflow: {
    name: `w${HOSTILE}`,
    description: HOSTILE,
    entry_point: "pause",
    input: { items: { type: "array", default: [{ id: `a${HOSTILE}` }, { id: `b${HOSTILE}` }], description: HOSTILE } },
    resilience: { dead_letter: true, retry: { max_retries: 1, initial_delay: 0.01, retryable: ["hostile.*"] } },
    hooks: { on_start: `h${HOSTILE}`, on_error: `h${HOSTILE}` },
  },
  agents: [
    { name: "pause", type: "wait", duration: 0.01, reason: `r${HOSTILE}`, routes: [{ to: "each" }] },
    {
      name: "ask",
      description: HOSTILE,
      type: "human_gate",
      prompt: `p${HOSTILE}`,
      options: [{ label: `l${HOSTILE}`, value: "yes", description: HOSTILE, route: "fail" }],
    },
    {
      name: "fail",
      ...script(raise),
      raises: ["hostile.text", "other.kind"],
      routes: [{ to: "stop" }, { on_error: "other.kind", to: "stop" }],
    },
    {
      name: "stop",
      type: "terminate",
      status: "failed",
      reason: `t${HOSTILE}`,
      output_template: { [`o${HOSTILE}`]: HOSTILE },
    },
  ],
  for_each: [
    {
      name: "each",
      type: "for_each",
      source: "workflow.input.items",
      as: "one",
      key_by: "id",
      failure_mode: "continue_on_error",
      agent: {
        name: "work",
        ...script(`if (process.argv[1].startsWith("a")) { ${raise} }`, "{{ one.id }}"),
        raises: ["hostile.text"],
      },
      routes: [{ to: "ask" }],
    },
  ],
};

let folder: string;
let home: string;
const file = `${NAME}.yaml`;

interface Said {
  readonly text: string;
  readonly out: string;
}

const said = ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): Said => ({
  text: `${stdout}${stderr}`,
  out: stdout,
});

const envWith = (more: Record<string, string> = {}) => ({
  PATH: process.env.PATH ?? "",
  ...KEPT_CODE,
  HOME: folder,
  SEGNO_HOME: home,
  ...more,
});

const segno = async (args: readonly string[], more?: Record<string, string>): Promise<Said> =>
  said(await commandLine(args, { cwd: folder, env: envWith(more) }));

/** As a process, with nothing on stdin: a server there ends with it. */
const program = (args: readonly string[], more?: Record<string, string>): Said =>
  said(
    spawnSync(process.execPath, [PROGRAM, ...args], {
      cwd: folder,
      env: envWith(more),
      encoding: "utf8",
      input: "",
      timeout: 150_000,
    }),
  );

let run: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "segno-hostile-"));
  home = join(folder, `home${NAME}`);
  mkdirSync(home);
  // YAML refuses such characters as they are; escaped it takes them all.
  const text = escaped(workflow);
  writeFileSync(join(folder, file), text);
  writeFileSync(
    join(folder, "broken.yaml"),
    escaped({ ...workflow, workflow: { ...workflow.workflow, entry_point: `x${HOSTILE}` } }),
  );
  const scenario = {
    name: `s${HOSTILE}`,
    workflow: `./${file}`,
    commands: {},
    gates: { ask: "yes" },
    expect: { status: `completed` },
  };
  writeFileSync(join(folder, `${NAME}.scenario.yaml`), escaped(scenario));
  const first = await segno(["run", file, "--output-format", "json"]);
  run = JSON.parse(first.out).run_id;
  expect(run, first.text).toBeTruthy();
  expect(readdirSync(join(home, "runs"))).toContain(run);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What would do harm, with what stands around it. */
function harm(text: string): string | undefined {
  const bare = text.replace(OWN_COLOR, "");
  const at = bare.search(FOREIGN);
  if (at >= 0) return JSON.stringify(bare.slice(Math.max(at - 60, 0), at + 20));
  const forged = /^FORGED.*$/m.exec(bare);
  return forged ? JSON.stringify(bare.slice(Math.max(forged.index - 80, 0), forged.index + 20)) : undefined;
}

const waiting: readonly (() => readonly string[])[] = [
  () => ["validate", file],
  () => ["validate", "broken.yaml"],
  () => ["validate", `missing${NAME}.yaml`],
  () => ["errors", file],
  () => ["graph", file],
  () => ["graph", file, "--format", "dot"],
  () => ["graph", file, "--format", "svg"],
  () => ["graph", file, "--run", run],
  () => ["run", file, "--dry-run"],
  () => ["run", file],
  () => ["run", file, "-v"],
  () => ["run", file, "-i", `x${NAME}=1`],
  () => ["run", file, "--scenario", `${NAME}.scenario.yaml`],
  () => ["gate", "list"],
  () => ["runs"],
  () => ["show", run],
  () => ["explain", run],
  () => ["events", run],
  () => ["replay", run, "--speed", "1000"],
  () => ["trace", run],
  () => ["breakers"],
  () => ["dlq", "list"],
  () => ["test", `${NAME}.scenario.yaml`],
  () => ["test", `${NAME}.scenario.yaml`, "--coverage"],
  () => ["test", `${NAME}.scenario.yaml`, "--reporter", "tap"],
  () => ["test", `${NAME}.scenario.yaml`, "--reporter", "junit"],
  () => ["doctor", file],
  () => ["resume", run],
  () => ["gate", "answer", run, `no${NAME}`],
  () => ["gate", "answer", run, "yes", "-v"],
  () => ["show", run],
  () => ["explain", run],
  () => ["events", run],
  () => ["replay", run, "--speed", "1000"],
  () => ["cancel", run],
  () => ["show", `no${NAME}`],
  () => [`cmd${NAME}`],
  () => ["run", file, `--opt${NAME}`],
  () => ["test", "--generate", file],
  () => ["runs", "prune", "--dry-run"],
  () => ["repair", run],
  () => ["repair", run, "--yes"],
  () => ["repair", `no${NAME}`],
  () => ["init", `in${NAME}`],
  () => ["init", `in${NAME}`],
  () => ["init", file],
  () => ["completion", "bash"],
  () => ["completion", `sh${NAME}`],
  () => ["schema"],
  () => ["schema", `s${NAME}`],
  () => ["mcp", "--root", `no${NAME}`],
  () => ["mcp", "--http", `p${NAME}`],
  () => ["mcp", `x${NAME}`],
  () => ["breakers", "reset", `b${NAME}`],
  () => ["breakers", "reset", "--all"],
];

describe("hostile text", () => {
  it("reaches no terminal by any command, colours or not", async () => {
    const found: string[] = [];
    for (const args of waiting) {
      const line = args();
      const colors = { FORCE_COLOR: "1" };
      const { text } = line[0] === "mcp" ? program(line, colors) : await segno(line, colors);
      const problem = harm(text);
      if (problem) found.push(`${line.join(" ").replace(FOREIGN, "?").slice(0, 30)}: ${problem}`);
    }
    expect(found).toEqual([]);
  }, 240_000);

  it("reaches none from the program itself, whatever writes there besides its commands", () => {
    for (const line of [
      ["run", file, "-v"],
      ["show", run],
      ["run", `missing${NAME}.yaml`],
    ])
      expect(harm(program(line, { FORCE_COLOR: "1" }).text), line[0]).toBeUndefined();
  });

  it("is dead letters and item keys too", async () => {
    const letters = JSON.parse((await segno(["dlq", "list", "--output-format", "json"])).out).letters;
    expect(letters.length).toBeGreaterThan(0);
    expect(letters.find(({ item_key }: { item_key?: string }) => item_key !== undefined)?.item_key).toContain("FORGED");
    for (const args of [
      ["dlq", "show", letters[0].id],
      ["dlq", "retry", letters[0].id],
      ["dlq", "drop", letters[0].id],
    ])
      expect(harm((await segno(args)).text), args.join(" ")).toBeUndefined();
  });

  it("is escaped in JSON, which keeps its value", async () => {
    for (const args of [
      ["show", run],
      ["explain", run],
      ["dlq", "list", "--all"],
      ["gate", "list"],
      ["runs"],
      ["events", run],
      ["graph", file],
      ["errors", file],
    ]) {
      const format = args[0] === "events" ? "ndjson" : "json";
      const { out } = await segno([...args, "--output-format", format]);
      expect(FOREIGN.exec(out)?.[0], args.join(" ")).toBeUndefined();
    }
    expect(JSON.parse((await segno(["show", run, "--output-format", "json"])).out).workflow).toBe(`w${HOSTILE}`);
  });

  it("does not leave the comment of a Mermaid drawing, nor begin a directive", async () => {
    const lines = (await segno(["graph", file])).out.split("\n");
    expect([lines[0]?.startsWith("%% w"), lines[1]]).toEqual([true, "flowchart TB"]);
  });
});
