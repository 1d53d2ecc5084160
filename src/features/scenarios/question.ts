// What a step asks the outside, as one word (two calls that ask the same have the same digest, wherever they stand),
// and what is the same for calls that a scenario answers and for those that a recording does.

import { raised } from "../../base/errors/index.ts";
import { REDACTED } from "../../base/redact/index.ts";
import type { AttemptContext } from "../../engine/guard/resilience/policy.ts";
import type { AskingClock } from "../../engine/people/ask.ts";
import { hashOfParts } from "../../engine/visit/hash.ts";
import { textsOf } from "../../services/session/run-secrets.ts";
import { hashedRequest } from "../../steps/agent/request.ts";
import type { Caller } from "../../steps/caller.ts";
import { modelTarget } from "../../steps/step-type.ts";
import type {
  Captured,
  HttpRequest,
  McpRequest,
  ModelRequest,
  ModelResult,
  ProcessRequest,
  StepWorld,
} from "../../steps/world.ts";

export interface QuestionDigests {
  command(request: ProcessRequest, inherited: StepWorld["env"]): string;
  http(request: HttpRequest): string;
  tool(request: McpRequest): string;
  agent(request: ModelRequest): string;
  /** Of a step of an own type: the values that it was given. */
  own(type: string, values: unknown): string;
  /** What a policy is asked: what is about to be done, with which inputs. What runs beside it is another each time. */
  policy(name: string, attempt: AttemptContext): string;
}

/** Shorter secrets would be found inside ordinary words. */
const SHORTEST = 4;

/** `secrets`: the run's secret inputs. No journal keeps them, so a question is the same with other ones. */
export function questionsWithout(secrets: Readonly<Record<string, unknown>>): QuestionDigests {
  const texts = [...new Set(textsOf(secrets))].filter(({ length }) => length >= SHORTEST);
  const written = texts.sort((a, b) => b.length - a.length).map((text) => JSON.stringify(text).slice(1, -1));
  const own = (type: string, asked: unknown): string =>
    hashOfParts(
      type,
      written.reduce((json, text) => json.replaceAll(text, REDACTED), JSON.stringify(asked) ?? ""),
    );
  return {
    own,
    /** Of the environment only what the step sets itself: the rest is the same for all. */
    command({ command, args, cwd, stdin, env }, inherited) {
      const { SEGNO_IDEMPOTENCY_KEY: _, PYTHONUTF8: _utf8, ...set } = env;
      const changed = Object.entries(set).filter(([name, value]) => inherited[name] !== value);
      return own("script", [command, args, cwd, stdin, changed]);
    },
    http: ({ url, method, headers, body }) => own("http", [method, url, headers, body]),
    tool: (request) => own("mcp", request),
    agent: (request) => own("agent", hashedRequest(request)),
    policy: (name, { step, inputs, root_inputs }) => own("policy", [name, step, inputs, root_inputs]),
  };
}

/** What was still going on when the step's time was over; the engine says which limit it was. */
export const CUT_SHORT = raised("internal.timeout", "the call was cut short");

/** Breakers admit the call of a model and hear how it ended. Answers are for agents: judges and dialogs find no fault. */
export async function behindBreakers(
  { purpose, provider, models: [model = ""] }: ModelRequest,
  { breakers, signal }: Caller,
  ask: () => Promise<ModelResult>,
): Promise<ModelResult> {
  if (purpose !== "answer") return { ok: true, content: { passed: true, issues: [] }, usage: {} };
  const target = modelTarget(provider, model);
  const refused = await breakers?.admit(target);
  if (refused) return { ok: false, error: refused, usage: {} };
  const result = await ask();
  if (!signal.aborted) await breakers?.report(target, result.ok ? undefined : result.error);
  return result;
}

/** No one answers: time passes until the deadline does; without one the run pauses. */
export async function afterDeadline(
  deadline: string | undefined,
  signal: AbortSignal,
  clock: AskingClock | undefined,
): Promise<undefined> {
  if (deadline !== undefined && clock) await clock.sleep(Date.parse(deadline) - clock.now() + 1000, signal);
  return undefined;
}

export const captured = (text: string): Captured => ({ text, bytes: Buffer.byteLength(text), truncated: false });
