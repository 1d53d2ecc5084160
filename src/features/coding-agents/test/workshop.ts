// A playground with real agents in it: their packages from .agents/, their model the project's own fake. What is not
// installed is skipped by name, with the reason.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe } from "vitest";
import {
  type Answer,
  type Fake,
  type FakeCall,
  type FakeRequest,
  startAgentFake,
} from "../../../../test/fakes/index.ts";
import { commandLine } from "../../../../test/support/command-line.ts";
import { Playground } from "../../../../test/support/play.ts";
import { KEPT_CODE, PROGRAM } from "../../../../test/support/program.ts";
import type { EventData, EventType, RunEvent } from "../../../base/events/registry.ts";

export type AgentName = "claude-agent-sdk" | "codex" | "copilot";

const installed = fileURLToPath(new URL("../../../../.agents/node_modules/", import.meta.url));

const PACKAGES: Readonly<Record<AgentName, readonly string[]>> = {
  "claude-agent-sdk": [
    "@anthropic-ai/claude-agent-sdk",
    `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}`,
  ],
  codex: ["@openai/codex", `@openai/codex-${process.platform}-${process.arch}`],
  copilot: ["@github/copilot-sdk", `@github/copilot-sdk-${process.platform}-${process.arch}`],
};

/** Of programs that only start another one: the package that has it. There is not one for every machine. */
const BINARIES: Readonly<Record<string, string>> = { goose: `@aaif/goose-binary-${process.platform}-${process.arch}` };

/** Agents that speak ACP, by their programs. */
export function describeAcpAgent(program: string, what: string, tests: () => void): void {
  const binary = BINARIES[program];
  const isThere = [join(".bin", program), ...(binary ? [binary] : [])].every((one) => existsSync(join(installed, one)));
  const reason = isThere
    ? ""
    : ` (skipped: ${program} is not installed: npm run agents:install, if there is one for this machine)`;
  const sandbox = hasSandbox ? "" : " (skipped: there is no bwrap or socat)";
  describe.skipIf(!isThere || !hasSandbox)(`${program} by ACP, ${what}${reason}${sandbox}`, tests);
}

/** Why an agent cannot be driven here; nothing when it can. */
export function missing(agent: AgentName): string | undefined {
  const absent = PACKAGES[agent].find((name) => !existsSync(join(installed, name, "package.json")));
  return absent && `${absent} is not installed: npm run agents:install, if there is one for this machine`;
}

const runtime = fileURLToPath(new URL("../../../../test/fakes/copilot-runtime.js", import.meta.url));

/** Copilot's own SDK, with a stand-in behind it: where its runtime is not to be had, and for what that never does. */
export function describeStandIn(what: string, tests: () => void): void {
  const isThere = existsSync(join(installed, "@github/copilot-sdk/package.json"));
  const reason = isThere ? "" : " (skipped: @github/copilot-sdk is not installed: npm run agents:install)";
  describe.skipIf(!isThere)(`copilot's SDK before a stand-in, ${what}${reason}`, tests);
}

export function describeAgent(agent: AgentName, what: string, tests: () => void): void {
  const reason = missing(agent);
  describe.skipIf(reason !== undefined)(`${agent}, ${what}${reason ? ` (skipped: ${reason})` : ""}`, tests);
}

export interface RealAgent {
  readonly agent: AgentName;
  readonly model: string;
  /** A call that runs a command. */
  command(line: string): FakeCall;
}

/** The agents that have their programs here. */
export const REAL_AGENTS: readonly RealAgent[] = [
  {
    agent: "claude-agent-sdk",
    model: "claude-sonnet-4-5",
    command: (command) => ({ name: "Bash", input: { command, description: "try" } }),
  },
  {
    agent: "codex",
    model: "gpt-5",
    command: (cmd) => ({ name: "exec_command", input: { cmd, yield_time_ms: 20_000 } }),
  },
];

/** One step of an agent in the folder `work`. */
export const oneStep = ({ agent, model }: Pick<RealAgent, "agent" | "model">, step: string, runtime = ""): string => `
workflow:
  name: code
  entry_point: fix
  runtime: { provider: ${agent}, default_model: ${model}, working_dir: work${runtime} }
agents:
  - { name: fix, ${step} }
`;

/** What the fake model does, call by call: `results` says how far it is. */
export type Play = (request: FakeRequest) => Answer | Promise<Answer>;

/** The calls in order, then the last one for ever. */
export const inTurn =
  (...answers: readonly Answer[]): Play =>
  ({ results }) =>
    answers[Math.min(results.length, answers.length - 1)] ?? "ok";

interface Started {
  readonly file?: string;
  /** Arguments of node before the program. */
  readonly node?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** How it ended: by a signal, or with a code. */
export async function ended(child: ChildProcess): Promise<string | number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.signalCode ?? child.exitCode;
}

/** Ends it as a power cut would. */
export function kill(child: ChildProcess): Promise<unknown> {
  child.kill("SIGKILL");
  return ended(child);
}

export class CodingPlayground extends Playground {
  fake!: Fake;
  play: Play = () => "done";
  /** The agent's folder. */
  readonly work = join(this.folder, "work");

  async open(): Promise<this> {
    this.fake = await startAgentFake({ answers: (request) => this.play(request) });
    mkdirSync(this.work);
    mkdirSync(join(this.folder, "node_modules"));
    symlinkSync(fileURLToPath(new URL("../../../..", import.meta.url)), join(this.folder, "node_modules/segno"));
    for (const scope of ["@anthropic-ai", "@openai", "@github", ".bin"])
      symlinkSync(join(installed, scope), join(this.folder, "node_modules", scope));
    Object.assign(this.session.env, {
      ANTHROPIC_BASE_URL: this.fake.url,
      ANTHROPIC_API_KEY: "key-of-nobody-at-all",
      OPENAI_BASE_URL: `${this.fake.url}/v1`,
      OPENAI_API_KEY: "key-of-nobody-at-all",
      GOOGLE_GEMINI_BASE_URL: this.fake.url,
      GEMINI_API_KEY: "key-of-nobody-at-all",
    });
    return this;
  }

  /** A command in this process, which prints what is given. Fails like the command. */
  async segno(...args: readonly string[]): Promise<string> {
    const { env, home } = this.session;
    const { code, stdout, stderr } = await commandLine(args, {
      cwd: this.folder,
      env: { ...env, SEGNO_HOME: home, NO_COLOR: "1" },
    });
    if (code !== 0) throw new Error(`segno ${args.join(" ")} ended with ${code}: ${stderr}`);
    return stdout;
  }

  /** A process of its own that drives the file: one that can be killed. */
  start({ file = "main.yaml", node = [], env = {} }: Started = {}): ChildProcess {
    return this.startNode([...node, PROGRAM, "run", file], env);
  }

  startNode(args: readonly string[], env: Started["env"] = {}): ChildProcess {
    const { env: own, home } = this.session;
    return spawn(process.execPath, args, {
      cwd: this.folder,
      env: { ...own, ...KEPT_CODE, SEGNO_HOME: home, ...env },
      stdio: "ignore",
    });
  }

  /** Puts the stand-in behind Copilot's SDK. */
  standIn(): this {
    this.session.env.COPILOT_CLI_PATH = runtime;
    return this;
  }

  /** What the stand-in was asked, in order. */
  standInHeard(): Readonly<Record<string, unknown>>[] {
    const home = this.session.home ?? "";
    return readdirSync(home, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith("stand-in.jsonl"))
      .flatMap((path) => readFileSync(join(home, path), "utf8").trim().split("\n"))
      .map((line) => JSON.parse(line));
  }

  get requests(): readonly FakeRequest[] {
    return this.fake.requests;
  }

  files(): string[] {
    return readdirSync(this.work).sort();
  }
}

export function codingPlayground(): () => CodingPlayground {
  let play: CodingPlayground;
  beforeEach(async () => {
    play = await new CodingPlayground().open();
  });
  afterEach(async () => {
    await play.fake.close();
    play.close();
  });
  return () => play;
}

export const told = <Type extends EventType>(events: readonly RunEvent[], type: Type): EventData<Type>[] =>
  events.flatMap((event) => (event.type === type ? [event.data as EventData<Type>] : []));

/** The text of all events of a type: where it is cut depends on the time it takes. */
export const saidIn = (events: readonly RunEvent[], type: "agent_message" | "agent_reasoning"): string =>
  told(events, type)
    .map(({ content }) => content)
    .join("");

/** A command with a process that has left its session: when `begun` is there, both sleep. */
export const SLEEPERS =
  "setsid sleep 300 & until grep -q sleep /proc/$!/comm; do sleep 0.1; done; touch begun; sleep 300";

/** Processes that have a word in their environment. */
export const pidsWith = (word: string): number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && environmentOf(pid).includes(word));

function environmentOf(pid: number): string {
  try {
    return readFileSync(join("/proc", String(pid), "environ"), "utf8");
  } catch {
    return "";
  }
}

/** The same, by their command lines: what a run has left behind. */
export const processesWith = (word: string): string[] =>
  pidsWith(word).flatMap((pid) => {
    try {
      return [readFileSync(join("/proc", String(pid), "cmdline"), "utf8").replaceAll("\0", " ")];
    } catch {
      return [];
    }
  });

export const hasSandbox = ["bwrap", "socat"].every((program) =>
  (process.env.PATH ?? "").split(":").some((folder) => existsSync(join(folder, program))),
);

/** A PATH on which there is a shell, and nothing that confines commands. */
export function bareFolder(folder: string): string {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  for (const program of ["bash", "sh", "env", "cat"]) symlinkSync(`/bin/${program}`, join(bin, program));
  return bin;
}
