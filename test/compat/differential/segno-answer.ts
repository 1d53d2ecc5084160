// How Segno answers a case: the services that every face uses, a journal in memory, agents that say what is scripted.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Raised, raised } from "../../../src/base/errors/index.ts";
import type { RunEvent } from "../../../src/base/events/registry.ts";
import type { FrameEnd } from "../../../src/engine/interpret.ts";
import { memoryRun } from "../../../src/features/scenarios/memory-run.ts";
import { interpretRun } from "../../../src/services/drive/interpret-run.ts";
import { prepareRun } from "../../../src/services/drive/prepare.ts";
import type { DriveSetup } from "../../../src/services/drive/setup.ts";
import { Refused } from "../../../src/services/refusals.ts";
import type { StepWorld } from "../../../src/steps/world.ts";
import { type HostClock, VirtualClock } from "../../../src/storage/clock.ts";
import { newRunId } from "../../../src/storage/run-index.ts";
import type { Answer, Case } from "./cases.ts";

export interface SegnoAnswer extends Answer {
  /** What Segno said about it, for whoever reads a failing test. */
  readonly message?: string;
}

export async function answerOf({ name, files, inputs = {}, agents = {} }: Case, folder: string): Promise<SegnoAnswer> {
  const cwd = join(folder, name);
  mkdirSync(cwd, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(cwd, file), text);
  const session = { cwd, env: { PATH: process.env.PATH, HOME: cwd } };
  const given = Object.fromEntries(Object.entries(inputs).map(([input, value]) => [input, { value }]));
  const run = memoryRun(newRunId());
  const request = { file: "main.yaml", inputs: given, skipGates: true };
  let setup: DriveSetup;
  try {
    setup = await prepareRun(session, { ...request, runId: run.runId });
  } catch (problem) {
    if (problem instanceof Refused) return { status: "refused", message: problem.result.error ?? "" };
    throw problem;
  }
  const clock = name === "script-timeout" ? passingClock() : new VirtualClock();
  const world = { ...setup.world, callModel: scripted(agents) };
  let reached: FrameEnd | undefined;
  const overrule = (end: FrameEnd): FrameEnd => {
    reached = end;
    return end;
  };
  try {
    const executor = <Own>(own: Own): Own => own;
    const scripting = { overrule, executor, ask: undefined, signal: undefined } as unknown as DriveSetup["scripted"];
    await interpretRun({ ...setup, clock, world, scripted: scripting }, request, {
      log: run,
      hashing: { env: session.env, key: "case" },
    });
    if (!reached) throw new Error("a case did not end");
    return { ...endingOf(reached), trace: traceOf(run.events), prompts: promptsOf(run.events) };
  } finally {
    await setup.close();
    run.close();
  }
}

/** Virtual time that also passes for a deadline alone: the process that it cuts off takes real time, which is never waited for. */
function passingClock(): HostClock {
  const clock = new VirtualClock();
  return {
    now: () => clock.now(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    after: (ms, run) => {
      const cancel = clock.after(ms, run);
      void clock.sleep(ms);
      return cancel;
    },
  };
}

/** The default provider works in a folder. What it changed there must not show in an answer. */
const NO_CHANGES = { files: [], added: 0, removed: 0 };

function scripted(agents: NonNullable<Case["agents"]>): StepWorld["callModel"] {
  const calls = new Map<string, number>();
  return async (_, { node }) => {
    const answers = agents[node] ?? [];
    const call = calls.get(node) ?? 0;
    calls.set(node, call + 1);
    const answer = answers[Math.min(call, answers.length - 1)];
    const isFailure = typeof answer === "object" && answer !== null && "error" in answer;
    return isFailure
      ? { ok: false, error: raised("provider.rejected", String(answer.error)), changes: NO_CHANGES, usage: {} }
      : { ok: true, content: answer ?? "", changes: NO_CHANGES, usage: {} };
  };
}

function endingOf(end: FrameEnd): SegnoAnswer {
  switch (end.type) {
    case "completed":
      return { status: "completed", output: end.output };
    case "terminated":
      return { status: "terminated", termination: end.status, reason: end.reason, output: end.output };
    case "limit":
      return { status: "failed", error_class: "limit", message: end.message };
    case "raised":
    case "halted":
      return { status: "failed", error_class: classOf(end.error), message: end.error.message };
    default:
      throw new Error(`a case ended ${end.type}`);
  }
}

const CLASSES: Readonly<Record<string, string>> = {
  "internal.template_error": "template",
  "internal.schema_violation": "schema",
  "internal.no_route": "route",
  "internal.bad_value": "value",
  "internal.command_not_found": "script",
  "internal.script_error": "script",
  "internal.timeout": "script",
  "subworkflow.terminated": "terminated_child",
};

/** By what a child met, where it is a child's. */
const CHILD_CLASSES: Readonly<Record<string, string>> = {
  MaxIterationsError: "limit",
  ValidationError: "schema",
  InputValidation: "input",
};

function classOf({ kind, message, details }: Raised): string {
  if (kind === "subworkflow.failed") return CHILD_CLASSES[String(details.error_type)] ?? "other";
  if (kind === "internal.template_error" && / asks for .* in its input/.test(message)) return "input";
  return CLASSES[kind] ?? (kind.startsWith("provider.") ? "provider" : "other");
}

function traceOf(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.path.length > 0) return [];
    const isEnd = event.type === "agent_completed";
    const isRefusal = event.type === "agent_failed" && event.data.agent_type === "terminate";
    if ((!isEnd && !isRefusal) || event.data.group !== undefined) return [];
    const { agent_name: node, agent_type: type, output } = event.data;
    return [type === "parallel" || type === "for_each" ? groupTrace(node, output as GroupOutput) : node];
  });
}

interface GroupOutput {
  readonly outputs: Readonly<Record<string, unknown>> | readonly unknown[];
  readonly errors: Readonly<Record<string, unknown>>;
}

function groupTrace(node: string, { outputs, errors }: GroupOutput): string {
  const lost = Object.keys(errors).sort();
  const kept = Object.keys(outputs).filter((member) => !lost.includes(member));
  return `${node}(${[...(Array.isArray(outputs) ? kept : kept.sort()), ...lost.map((member) => `${member}!`)].join(",")})`;
}

const promptsOf = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) =>
    event.type === "agent_prompt_rendered" ? [`${event.data.agent_name}: ${event.data.rendered_prompt}`] : [],
  );
