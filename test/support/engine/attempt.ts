// An attempt for tests of steps: real clock, collected events, a folder of its own, nothing connected.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect } from "vitest";
import type { EventData, EventType } from "../../../src/base/events/registry.ts";
import type { AgentStep } from "../../../src/steps/agent/schema.ts";
import { outsideWorld } from "../../../src/steps/outside.ts";
import type { Attempt, Clock, EnvelopesRaised, StepScope, WorkflowPlace } from "../../../src/steps/step-type.ts";
import type { StepWorld } from "../../../src/steps/world.ts";

export const realClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => pause(ms, undefined, { signal }).catch(() => {}),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export interface TestAttempt extends Attempt {
  readonly events: readonly { readonly type: EventType; readonly data: Record<string, unknown> }[];
  emitted<Type extends EventType>(type: Type): EventData<Type>[];
}

export interface TestAttemptOptions {
  readonly dir?: string;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  readonly world?: Partial<StepWorld>;
  readonly node?: string;
  readonly key?: string;
  readonly envelopes?: EnvelopesRaised;
}

const refuse = (): never => {
  throw new Error("nothing is connected in this test");
};

export function testAttempt(options: TestAttemptOptions = {}): TestAttempt {
  const dir = options.dir ?? tmpdir();
  const events: { type: EventType; data: Record<string, unknown> }[] = [];
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
  return {
    node: options.node ?? "probe",
    key: options.key ?? "probe#1",
    attempt: 1,
    path: [],
    workflow: { name: "case", file: join(dir, "main.yaml"), dir, rootDir: dir, runtime: {} },
    signal: options.signal ?? new AbortController().signal,
    idempotencyKey: "run/probe#1/1",
    clock: options.clock ?? realClock,
    spillDir: join(dir, "spill"),
    world: { ...outsideWorld({ callTool: refuse, callModel: refuse, env }), ...options.world },
    ...(options.envelopes ? { envelopes: options.envelopes } : {}),
    events,
    assertLease: () => undefined,
    emit: (type, data) => void events.push({ type, data }),
    emitted: (type) => events.flatMap((event) => (event.type === type ? [event.data as never] : [])),
  };
}

/** A folder for each test of a file, with all temporary files below it. After the test no error file may be left. */
export function testFolder(): () => string {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(HOME_OF_TESTS, "steps-test-"));
    process.env.TMPDIR = folder;
  });
  afterEach(() => {
    process.env.TMPDIR = HOME_OF_TESTS;
    const left = readdirSync(folder).filter((name) => name.startsWith("segno-"));
    rmSync(folder, { recursive: true, force: true });
    expect(left, "error files that were left behind").toEqual([]);
  });
  return () => folder;
}

const HOME_OF_TESTS = tmpdir();

export function testScope(names: Record<string, unknown> = {}, workflow: Partial<WorkflowPlace> = {}): StepScope {
  return {
    names: { get: (name) => names[name], names: () => Object.keys(names) },
    node: "probe",
    workflow: { name: "case", file: "/w/main.yaml", dir: "/w", rootDir: "/w", runtime: {}, ...workflow },
  };
}

/** A field of `output:` with the schema's defaults. */
export const field = <Field extends object>(written: Field) => ({ required: true, nullable: false, ...written });

export const agentStep = (fields: Partial<AgentStep> = {}): AgentStep => ({
  type: "agent",
  name: "probe",
  input: [],
  routes: [],
  raise_when: [],
  prompt: "Review.",
  plugins: [],
  cache: false,
  ...fields,
});

let serial = 0;

/** A number of seconds to sleep that is also a name: no other process on this machine sleeps exactly as long. */
export const ownSleep = (): string => `${900 + (process.pid % 90)}.${process.pid}${++serial}`;

export function runningWith(word: string): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
      const state = readFileSync(`/proc/${name}/stat`, "latin1").split(") ").at(-1)?.[0];
      return words.includes(word) && state !== "Z" ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}
