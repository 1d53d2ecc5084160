// Escalates an error: to a command that reads the result object, or by a request that carries it. If that fails, there is an
// event and a warning; the run ends as it would. It counts as work: a worker that is leaving lets it end.
import type { Envelope } from "../../base/errors/index.ts";
import { DriveStopped } from "../../base/errors/leave-process.ts";
import type { Resilience } from "../../language/schema/resilience.ts";
import type { Attempt } from "../../steps/step-type.ts";
import type { Governance } from "../contract.ts";
import type { Visit, WorkflowFrame } from "../frame.ts";
import { attemptBeside, noteFor } from "../visit/attempt-under-way.ts";
import { RetryPolicy } from "./resilience/retry-policy.ts";

type Escalation = NonNullable<Resilience["escalate"]>;

const COMMAND_SECONDS = 60;
const REQUEST_SECONDS = 10;
/** Requests are tried again; a command may have done half of its work. */
const REQUESTS = new RetryPolicy({ max_retries: 2, initial_delay: 0.5, max_delay: 5, jitter: 0 }, () => 0);

export async function escalate(
  governance: Governance,
  visit: Visit,
  to: Escalation,
  error: Envelope,
  signal: AbortSignal,
): Promise<void> {
  const { frame, key } = visit;
  const node = visit.work.name;
  // The result is a fold of what is written: this error belongs in it, and `step` writes it first.
  const { value: problem } = await frame.engine.durable.step(() =>
    trouble(() => deliver(frame, node, to, governance.resultWith(error, node, frame.path), signal)),
  );
  // Not before: a resume escalates again what was not yet recorded, and nothing else.
  const about = { node, key, kind: error.kind };
  noteFor(visit, "error_escalated", { ...about, by: shown(to), failed: problem === undefined ? undefined : true });
  if (problem !== undefined) noteFor(visit, "escalation_failed", { ...about, message: problem });
}

const shown = ({ command, url }: Escalation): string => (url ? `POST ${url.replace(/[?#].*$/s, "")}` : (command ?? ""));

async function trouble(send: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await send();
  } catch (problem) {
    if (problem instanceof DriveStopped) throw problem;
    return problem instanceof Error ? problem.message : String(problem);
  }
}

/** Why it did not get through; nothing when it did. */
async function deliver(
  frame: WorkflowFrame,
  node: string,
  to: Escalation,
  result: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (to.url === undefined)
    return within(frame, COMMAND_SECONDS, signal, (limit) => runCommand(frame, node, to, result, limit));
  for (let attempt = 0; ; attempt += 1) {
    const sent = await within(frame, REQUEST_SECONDS, signal, (limit) => post(frame, node, to, result, limit));
    if (sent === undefined || sent.final || attempt >= REQUESTS.settings.max_retries || signal.aborted)
      return sent?.why;
    await frame.engine.clock.sleep(REQUESTS.delay(attempt) * 1000, signal);
  }
}

async function within<Value>(
  frame: WorkflowFrame,
  seconds: number,
  signal: AbortSignal,
  work: (limit: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const limit = frame.engine.durable.timeLimit(seconds, signal);
  try {
    return await work(limit.signal);
  } finally {
    limit.dispose();
  }
}

async function runCommand(
  frame: WorkflowFrame,
  node: string,
  { command = "", args, env }: Escalation,
  stdin: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { world } = frame.engine;
  const request = { command, args, cwd: frame.place.rootDir, env: { ...world.env, ...env }, stdin };
  const result = await world.run(request, attemptOf(frame, node, signal));
  if (!result.started) return `${command} could not be started: ${result.message}`;
  if (result.interrupted) return `${command} did not end within ${COMMAND_SECONDS} s`;
  if (result.exitCode === 0) return undefined;
  const said = result.stderr.text.trim().slice(-500);
  return `${command} exited with ${result.exitCode ?? result.signal}${said ? `: ${said}` : ""}`;
}

async function post(
  frame: WorkflowFrame,
  node: string,
  { url = "", headers }: Escalation,
  body: string,
  signal: AbortSignal,
): Promise<{ readonly why: string; readonly final: boolean } | undefined> {
  const request = { url, method: "POST", headers: { "content-type": "application/json", ...headers }, body };
  const answer = await frame.engine.world.fetch(request, attemptOf(frame, node, signal));
  if (!answer.answered) return { why: `no answer: ${answer.message} (${answer.code})`, final: false };
  if (answer.status < 300) return undefined;
  return { why: `it answered ${answer.status}`, final: answer.status < 500 && answer.status !== 429 };
}

function attemptOf(frame: WorkflowFrame, node: string, signal: AbortSignal): Attempt {
  const key = `${frame.prefix}${node}.escalate`;
  const idempotencyKey = `${frame.engine.durable.runId}:${key}`;
  return attemptBeside(frame, { node: "resilience.escalate", key, idempotencyKey, signal });
}
