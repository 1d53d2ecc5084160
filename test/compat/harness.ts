// Runs workflow files as they are, through the service that every face uses, against a model that speaks the wire.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunEvent } from "../../src/base/events/registry.ts";
import type { Result } from "../../src/base/results/result.ts";
import { loadWorkflow } from "../../src/language/load.ts";
import type { DriveListeners, RunRequest } from "../../src/services/request.ts";
import { runWorkflow } from "../../src/services/runs/run.ts";
import { realFiles } from "../../src/services/session/files.ts";
import type { Session } from "../../src/services/session/session.ts";
import {
  type Answer,
  answerForSchema,
  type Fake,
  type FakeRequest,
  startAnthropicFake,
  startOpenAiFake,
} from "../fakes/index.ts";

export type Vendor = "anthropic" | "openai";

export interface Given extends Partial<Omit<RunRequest & DriveListeners & Session, "inputs" | "file">> {
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Fields of answers that decide where a workflow goes; the rest is the least that fits. */
  readonly says?: Readonly<Record<string, unknown>>;
  /** Answers what `says` cannot; nothing to leave it to the rest. */
  readonly answer?: (request: FakeRequest) => Answer | undefined;
}

const ZERO: Readonly<Record<string, unknown>> = {
  string: "bridges",
  number: 1,
  boolean: true,
  array: ["a"],
  object: {},
};

/** A value for every input that a file insists on. */
export function neededInputs(file: string): Record<string, unknown> {
  const fields = loadWorkflow(file, realFiles({})).workflow?.definition.workflow.input ?? {};
  const needed = Object.entries(fields).filter(([, field]) => field.required && field.default === undefined);
  return Object.fromEntries(needed.map(([name, { type }]) => [name, ZERO[type]]));
}

export interface Ran {
  readonly result: Result;
  readonly events: readonly RunEvent[];
  readonly requests: Fake["requests"];
}

export interface Bench {
  run(file: string, given?: Given): Promise<Ran>;
  readonly home: string;
  /** What a run would be given by its session, for resumes. */
  session(): {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly home: string;
  };
  close(): Promise<void>;
}

/** A model, a home, and a PATH on which commands that fetch MCP servers start a stand-in. */
export async function openBench(vendor: Vendor): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), "segno-compat-"));
  const home = join(folder, "home");
  let given: Given = {};
  const answers = (request: FakeRequest): Answer => given.answer?.(request) ?? leastAnswer(request, given.says ?? {});
  const fake = await (vendor === "openai" ? startOpenAiFake : startAnthropicFake)({ answers });
  const env = {
    PATH: [standIns(folder), process.env.PATH].join(delimiter),
    HOME: folder,
    TMPDIR: folder,
    ANTHROPIC_API_KEY: "key-of-nobody",
    ANTHROPIC_BASE_URL: fake.url,
    OPENAI_API_KEY: "key-of-nobody",
    OPENAI_BASE_URL: `${fake.url}/v1`,
  };
  const session = () => ({ cwd: folder, env, home });
  return {
    home,
    session,
    async run(file, next = {}) {
      given = next;
      const { inputs = {}, says: _, answer: _answer, ...request } = next;
      const events: RunEvent[] = [];
      const first = fake.requests.length;
      const result = await runWorkflow(
        { ...session(), ...request },
        {
          file,
          inputs: Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, { value }])),
          skipGates: true,
          provider: vendor,
          ...request,
        },
        { on: (event) => void events.push(event), ...request },
      );
      return { result, events, requests: fake.requests.slice(first) };
    },
    async close() {
      await fake.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const leastAnswer = ({ schema, prompt }: FakeRequest, says: Readonly<Record<string, unknown>>): Answer =>
  schema ? { json: overlaid(answerForSchema(schema), says) } : `about ${prompt.slice(0, 40)}`;

/** Puts in what matters, wherever such a field is. */
function overlaid(value: unknown, says: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map((item) => overlaid(item, says));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, Object.hasOwn(says, key) ? says[key] : overlaid(inner, says)]),
  );
}

function standIns(folder: string): string {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const server = join(dirname(fileURLToPath(import.meta.url)), "mcp-server.mjs");
  for (const command of ["npx", "git-mcp-server"]) {
    const file = join(bin, command);
    writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${server}"\n`);
    chmodSync(file, 0o755);
  }
  return bin;
}
