// Every command line of the pages that commands.test.ts does not run as part of a story is run here, by itself, in a folder
// with what it is about; or it stands in NOT_RUN with the reason why it cannot be.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { GivenInput } from "../../src/services/request.ts";
import { commandLine } from "../support/command-line.ts";
import { Playground } from "../support/play.ts";
import { blocksOf, isRun, pages } from "./markdown.ts";

const FLEET = "needs a Postgres: src/features/fleet/test/commands.test.ts runs these commands on one";
const STAYS =
  "serves until it is stopped: test/project/serve.test.ts, src/frontends/page/test and src/frontends/mcp/test start it";
const CODE = "loads code, which changes its process: test/project/definitions.test.ts does";
const INSTALLS = "installs a package: test/package does, from the packed program";

/** Why a line, or all that begin with it, cannot be run here. */
const NOT_RUN: Readonly<Record<string, string>> = {
  "segno run release.yaml --on": FLEET,
  "segno worker": FLEET,
  "segno doctor --on": FLEET,
  "segno run release.yaml --web": STAYS,
  "segno serve": STAYS,
  "segno mcp": STAYS,
  "segno lsp": "serves an editor until it leaves: src/features/editor/test does, with Neovim too",
  "segno graph release.yaml --watch":
    "serves until Ctrl-C: src/frontends/page/test/preview.test.ts, and src/features/editor/test with Neovim",
  "segno replay 01J8ZQ --step": "reads keys at a terminal: src/frontends/cli/replay",
  "segno run node_modules/segno/examples/release.yaml": "is run by picture.test.ts, and packed by test/smoke",
  "segno repair": "asks a model: src/features/history/test does, with one that is scripted",
  "segno run release.workflow.ts": CODE,
  "segno errors release.workflow.ts": CODE,
  "segno export": CODE,
  "npm install": INSTALLS,
  "git switch": "is of the user's own repository",
  "gh pr create": "opens a pull request",
  "docker ": "needs docker, and a build of the image",
};

const RELEASE = `workflow:
  name: release
  entry_point: build
  input:
    version: { type: string, default: 1.0.0 }
    notes: { type: string, default: none }
    token: { type: string, default: t, secret: true }
agents:
  - name: build
    type: script
    command: sh
    args: [build.sh]
    raises: [build.broken]
    routes: [{ to: publish }, { on_error: true, to: tell }]
  - { name: publish, type: script, command: sh, args: [publish.sh], raises: [publish.refused] }
  - { name: tell, type: terminate, status: failed, reason: "{{ error.message }}" }
`;

const SHIP = `workflow: { name: ship, entry_point: ask }
agents:
  - name: ask
    type: human_gate
    prompt: Publish?
    options:
      - { value: approve, route: $end }
      - { value: reject, route: $end, prompt_for: why }
`;

const CALLS = `workflow:
  name: release
  entry_point: call
  resilience: { retry: { max_retries: 0 }, circuit_breaker: { failure_threshold: 1 }, dead_letter: true }
agents:
  - { name: call, type: http, url: "http://127.0.0.1:1/" }
`;

const TRIAGE = `workflow: { name: triage, entry_point: classify, input: { ticket: { type: string } } }
agents: [{ name: classify, prompt: "{{ workflow.input.ticket }}", output: { label: { type: string } } }]
output: { label: "{{ classify.output.label }}" }
`;
const OFFLINE = `workflow: triage.yaml
agent_scripts: { classify: [{ content: { label: refund } }] }
`;
const evalOf = (up: string): string => `workflow: ${up}/triage.yaml
dataset: ${up}/tickets.jsonl
scenario: ${up}/offline.answers.yaml
grade: [{ equals: "{{ expected.label }}", value: "{{ output.label }}" }]
`;

const FILES: Readonly<Record<string, string>> = {
  "release.yaml": RELEASE,
  "build.sh": "echo built\n",
  "publish.sh": "test ! -e broken\n",
  "CHANGES.md": "much\n",
  "workflows/one.yaml": "workflow: { name: one, entry_point: a }\nagents: [{ name: a, type: set, value: 1 }]\n",
  "tests/broken.scenario.yaml": `workflow: ../release.yaml
cli_scripts: [{ step: build, error: { kind: build.broken, message: it does not compile } }]
expected_trace: { agents_executed: [build, tell], status: terminated }
`,
  "hello.yaml": "workflow: { name: hello, entry_point: a }\nagents: [{ name: a, type: set, value: 1 }]\n",
  "my-workflow.yaml":
    "workflow: { name: mine, entry_point: a, input: { topic: { type: string } } }\nagents: [{ name: a, type: set, value: 1 }]\n",
  "triage.yaml": TRIAGE,
  "triage.eval.yaml": evalOf("."),
  "evals/triage.eval.yaml": evalOf(".."),
  "offline.answers.yaml": OFFLINE,
  "tickets.jsonl": '{"id": "t1", "inputs": {"ticket": "my money"}, "expected": {"label": "refund"}}\n',
  "flows/release.yaml":
    "workflow: { name: w, entry_point: a }\nagents: [{ name: a, type: set, value: 1, routes: [{ to: publsh }] }]\n",
};

/** The project of the page on triggers. */
const PROJECT = Object.fromEntries(
  blocksOf(pages.find(({ name }) => name === "docs/triggers.md")!).flatMap(({ file, text }) =>
    file ? [[file, text]] : [],
  ),
);

class World {
  readonly ground = new Playground();
  constructor() {
    this.ground.write(FILES);
  }
  get place() {
    const { cwd, env, home } = this.ground.session;
    return { cwd, env: { ...env, SEGNO_HOME: home } };
  }
  async run(file: string, inputs: Readonly<Record<string, GivenInput>> = {}): Promise<string> {
    return (await this.ground.run(file, { inputs })).result.run_id ?? "";
  }
  remove(name: string): string {
    rmSync(join(this.ground.folder, name));
    return "";
  }
  async failed(): Promise<string> {
    this.ground.write({ broken: "" });
    const run = await this.run("release.yaml");
    this.ground.write({ "publish.sh": "true\n" });
    return run;
  }
  /** Of a run that failed there is an edited copy of the file. */
  async edited(): Promise<string> {
    this.ground.write({ "release-fixed.yaml": RELEASE });
    return this.failed();
  }
  async waits(): Promise<string> {
    this.ground.write({ "ship.yaml": SHIP });
    return this.run("ship.yaml");
  }
  async letter(): Promise<string> {
    this.ground.write({ "calls.yaml": CALLS });
    await this.run("calls.yaml");
    const { stdout } = await commandLine(["dlq", "list", "--output-format", "json"], this.place);
    return (JSON.parse(stdout) as { letters: { id: string }[] }).letters[0]?.id ?? "";
  }
  /** Its files are the revision `main` of git. */
  async committed(): Promise<string> {
    const run = await this.run("release.yaml");
    const git = (...args: string[]) => execFileSync("git", args, { cwd: this.ground.folder });
    git("init", "-q", "-b", "main");
    git("add", ...Object.keys(FILES));
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "first");
    return run;
  }
  /** An eval was made there. */
  async evaluated(): Promise<string> {
    const run = await this.committed();
    await commandLine(["eval", "triage.eval.yaml"], this.place);
    return run;
  }
  async project(): Promise<string> {
    this.ground.write({ ...PROJECT, "tell.sh": "true\n" });
    await commandLine(["trust", "--yes"], { ...this.place, env: { ...this.place.env, HOOK_SECRET: "s3cret" } });
    return this.run("report.yaml", { what: { text: "tides" } });
  }
}

interface Situation {
  /** Gives the id that stands for `01J8ZQ`. */
  readonly before?: (world: World) => Promise<string>;
  readonly exit?: number;
  readonly more?: readonly string[]; // said beside it, where the line alone would take long
  /** What it must say, somewhere. */
  readonly says?: string;
}

const completed = (world: World) => world.run("release.yaml");
const failed = (world: World) => world.failed();
const waits = (world: World) => world.waits();
const letter = (world: World) => world.letter();
const project = (world: World) => world.project();

/** By the beginning of the line; the longest that fits counts. */
const SITUATIONS: Readonly<Record<string, Situation>> = {
  "segno run": {},
  "segno resume": { before: failed },
  "segno resume 01J8ZQ release-fixed.yaml": { before: (world) => world.edited() },
  "segno cancel": { before: waits },
  "segno validate": { says: "valid" },
  "segno validate workflows": { says: "Runs as it is" },
  "segno validate workflows/*.yaml --strict": { says: "valid" },
  "segno validate flows/release.yaml": { exit: 2, says: "unknown-step" },
  "segno errors": { says: "build.broken" },
  "segno errors release.yaml --fail-on-unhandled": { exit: 1, says: "publish.refused" },
  "segno graph": { says: "publish", before: completed },
  "segno test": { says: "1 scenario passed" },
  "segno test --record": { before: completed, says: "plays the run again" },
  "segno backtest": { before: completed, says: "1 same" },
  "segno backtest release.yaml --against main": { before: (world) => world.committed(), says: "1 same" },
  "segno eval": { says: "triage" },
  "segno eval triage.eval.yaml --compare main": { before: (world) => world.evaluated(), says: "Against the earlier" },
  "segno eval add": { before: completed, says: "has the row" },
  "segno schema": { says: "$schema" },
  "segno convert": { says: "release.yaml" },
  "segno convert release.yaml --to steps --out -": { says: "steps:" },
  "segno types": { says: "segno.d.ts declares 1 workflow" },
  "segno runs": { before: failed, says: "release" },
  "segno runs --input": { before: failed, says: "No runs." },
  "segno stats": { before: completed, says: "1 completed" },
  "segno stats release.yaml --input": { before: completed, says: "No run has ended" },
  "segno runs prune": { before: completed, says: "1 kept" },
  "segno show": { before: completed, says: "release" },
  "segno events": { before: completed, says: "workflow_completed" },
  "segno replay": { before: completed, says: "publish" },
  "segno explain": { before: failed, says: "publish" },
  "segno trace": { before: completed, says: "publish" },
  "segno gate list": { before: waits, says: "Publish?" },
  "segno gate answer": { before: waits, says: "ship" },
  "segno dlq list": { before: letter, says: "http.network" },
  "segno dlq list --kind 'external.*'": { before: letter, says: "No dead letters" },
  "segno dlq show": { before: letter, says: "http.network" },
  "segno dlq retry": { before: letter, exit: 3 },
  "segno dlq drop": { before: letter, says: "dropped" },
  "segno limits": { says: "No call was made under a limit" },
  "segno breakers": { before: letter, says: "127.0.0.1" },
  "segno triggers": { before: project },
  "segno triggers fire pushed": { before: project, says: "report" },
  "segno init --list": { says: "nightly-import  " },
  "segno init": { says: "Next:", before: async (world) => world.remove("hello.yaml") },
  "segno trust": { before: project },
  "segno doctor": {},
  "segno completion": { says: "segno" },
};

const PORT = "http:127.0.0.1:1";

/** As a shell would take it apart, as far as the pages need one. */
function wordsOf(line: string): readonly string[] {
  const command = line.replace(/^(\w+=\S+ )?(npx )?segno /, "").replace(/ > .*$/, "");
  return (command.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? [])
    .map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double))
    .map((word) => word.replace("*.yaml", "one.yaml").replace("http:api.example.com", PORT));
}

const longest = <Value>(table: Readonly<Record<string, Value>>, line: string): [string, Value] | undefined =>
  Object.entries(table)
    .filter(([start]) => line.startsWith(start))
    .sort(([a], [b]) => b.length - a.length)[0];

/** `source <(segno completion bash)` runs what stands inside. */
const plainLine = (line: string): string =>
  line
    .replace(/\s+# .*$/, "")
    .replace(/^\$ /, "")
    .replace(/^source <\((.*)\)$/, "$1")
    .trim();

const lines = pages.flatMap((page) =>
  blocksOf(page)
    .filter((block) => ["sh", "console"].includes(block.language) && !block.file)
    .filter((block) => page.name === "README.md" || !isRun(block))
    .flatMap((block) => block.text.split("\n").map((line) => ({ where: `${page.name}:${block.line}`, line, block })))
    .filter(({ line, block }) => line.trim() !== "" && (block.language === "sh" || line.startsWith("$ ")))
    .map(({ where, line }) => ({ where, line: plainLine(line) })),
);
const normal = (line: string): string => line.replace(/^(\w+=\S+ )?npx /, "");
const toRun = lines.filter(({ line }) => !longest(NOT_RUN, normal(line)));
const worlds: World[] = [];
afterAll(() => {
  for (const { ground } of worlds) ground.close();
});

describe("each example of a command", () => {
  it("is run, or is in the list of those that cannot be", () => {
    expect(toRun.length).toBeGreaterThan(60);
    const unknown = toRun.filter(({ line }) => !longest(SITUATIONS, normal(line)));
    expect(unknown).toEqual([]);
    const used = lines.flatMap(({ line }) => longest(NOT_RUN, normal(line))?.[0] ?? []);
    expect(Object.keys(NOT_RUN).filter((start) => !used.includes(start))).toEqual([]);
  });

  it.each(toRun)("$where $line", async ({ line }) => {
    const world = new World();
    worlds.push(world);
    const [, { before, exit = 0, more = [], says = "" }] = longest(SITUATIONS, normal(line))!;
    const id = (await before?.(world)) ?? "";
    const words = wordsOf(line).map((word) => word.replace("01J8ZQ", id));
    // A secret from stdin would be read from the terminal that the tests run in.
    const { code, stdout, stderr } = await commandLine(
      [...words.map((word) => word.replace(/=-$/, "=@CHANGES.md")), ...more],
      world.place,
    );
    expect({ code, text: stdout + stderr }, stdout + stderr).toEqual({
      code: exit,
      text: expect.stringContaining(says),
    });
  });
});
