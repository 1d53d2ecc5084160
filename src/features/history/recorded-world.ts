// The outside of a past run: every step is answered as it was then, on the virtual clock, without processes, network or
// tokens. What was never asked has no answer, and ends the run there.

import { failed, isEngineKind, type Outcome, type Raised, raised, succeeded } from "../../base/errors/index.ts";
import { isMapping } from "../../base/errors/mapping.ts";
import type { PolicyResult } from "../../engine/guard/resilience/policy.ts";
import type { FrameEnd } from "../../engine/interpret.ts";
import type { Answer, Asker, Question } from "../../engine/people/ask.ts";
import type { Scripted } from "../../services/drive/setup.ts";
import { type Caller, isBesideSteps } from "../../steps/caller.ts";
import { answeredBy } from "../../steps/types.ts";
import type { HttpResult, McpResult, ModelRequest, ModelResult, ProcessResult, StepWorld } from "../../steps/world.ts";
import { afterDeadline, behindBreakers, CUT_SHORT, captured, type QuestionDigests } from "../scenarios/question.ts";
import type { RecordedAttempt, RecordedReply } from "../scenarios/recorded-answers.ts";
import { type AskedPolicy, type GivenVerdict, recordedPolicies } from "./recorded-policies.ts";

export interface AskedQuestion {
  readonly key: string;
  readonly number: number;
  /** Digest of all that reached the world. */
  readonly question: string;
  readonly recorded: RecordedAttempt;
}

/** Who asked what was never recorded. */
export interface NotRecorded {
  readonly node: string;
  readonly path: readonly string[];
  readonly key: string;
  /** What it said of the step was not recorded. */
  readonly policy?: string;
}

export interface Answers {
  attempt(call: Pick<Caller, "node" | "path" | "key" | "attempt">, question: string): RecordedAttempt | undefined;
  verdict(asked: AskedPolicy): PolicyResult | undefined;
  reply(question: Question): RecordedReply | undefined;
  /** Whether the run was left waiting there. */
  isOpen(question: Question): boolean;
}

interface PastWorld {
  readonly answers: Answers;
  readonly questions: QuestionDigests;
  readonly env: StepWorld["env"];
  readonly startedBy?: string | undefined;
}

export function recordedRun({ answers, questions, env, startedBy }: PastWorld): {
  readonly world: StepWorld;
  readonly driving: Scripted;
  readonly asked: readonly AskedQuestion[];
  readonly verdicts: readonly GivenVerdict[];
  readonly replies: readonly RecordedReply[];
  readonly unanswered: NotRecorded | undefined;
} {
  const stop = new AbortController();
  const asked: AskedQuestion[] = [];
  const replies: RecordedReply[] = [];
  const verdicts: GivenVerdict[] = [];
  let unanswered: NotRecorded | undefined;
  const nobodyAnswered = ({
    node,
    path = [],
    key,
    policy,
  }: Pick<Question, "node" | "key"> & Partial<NotRecorded>): void => {
    unanswered ??= { node, path, key, ...(policy === undefined ? {} : { policy }) };
    stop.abort(new Error(NOT_RECORDED));
  };

  /** The recorded answer, when its time has passed; nothing when the call was aborted meanwhile. */
  const answerTo = async (call: Caller, question: string): Promise<RecordedAttempt | undefined> => {
    const recorded = answers.attempt(call, question);
    if (!recorded) {
      nobodyAnswered(call);
      return undefined;
    }
    asked.push({ key: call.key, number: call.attempt, question, recorded });
    // Time ran out then, or it was stopped; how it would have gone on with more of it is not known.
    const ranOut = recorded.isStopped ?? recorded.error?.kind === "internal.timeout";
    await call.clock.sleep(recorded.seconds * 1000 + (ranOut ? 1 : 0), call.signal);
    if (call.signal.aborted) return undefined;
    if (!ranOut) return recorded;
    nobodyAnswered(call);
    return undefined;
  };
  /** A hook or an escalation changes nothing of how a run goes on: it went well, whatever it asks. */
  const wentWell = (call: Caller, type: "script" | "http", output: unknown): RecordedAttempt => {
    const { node, path, key, attempt: number } = call;
    const recorded = { node, path, key, type, number, seconds: 0, output, isByRule: false, usage: {} };
    asked.push({ key, number, question: key, recorded });
    return recorded;
  };

  const world: StepWorld = {
    env,
    async run(request, call): Promise<ProcessResult> {
      if (isBesideSteps(call)) return processResult(wentWell(call, "script", { stdout: "", stderr: "", exit_code: 0 }));
      const recorded = await answerTo(call, questions.command(request, env));
      return recorded ? processResult(recorded) : notStarted(CUT_SHORT);
    },
    async fetch(request, call): Promise<HttpResult> {
      if (isBesideSteps(call)) return httpResult(wentWell(call, "http", { status: 200, headers: {}, body: null }));
      const recorded = await answerTo(call, questions.http(request));
      return recorded ? httpResult(recorded) : noAnswer(CUT_SHORT);
    },
    async callTool(request, call): Promise<McpResult> {
      const recorded = await answerTo(call, questions.tool(request));
      if (!recorded) return { ok: false, error: CUT_SHORT };
      if (recorded.error && !isJudged(recorded)) return { ok: false, error: plain(recorded.error) };
      return { ok: true, content: null, recorded: asMapping(recorded.output) };
    },
    // What a judge said, or a person in a dialog, is in the answer that came of it.
    callModel: (request, call) =>
      behindBreakers(request, call, async () => {
        // An answer that was refused now was taken then: what the agent would say instead is not known.
        if (request.refused !== undefined) nobodyAnswered(call);
        else {
          const recorded = await answerTo(call, questions.agent(request));
          if (recorded) return modelResult(recorded, request);
        }
        return { ok: false, error: CUT_SHORT, usage: {} };
      }),
  };

  return {
    world,
    asked,
    verdicts,
    replies,
    get unanswered() {
      return unanswered;
    },
    driving: {
      ask: recordedAsker(answers, replies, nobodyAnswered),
      signal: stop.signal,
      inject: () => undefined,
      policies: recordedPolicies({ answers, questions, given: verdicts, missing: nobodyAnswered }),
      startedBy,
      executor: (own) =>
        answeredBy(own.type) === "step_scripts"
          ? {
              ...own,
              async execute(values: never, call): Promise<Outcome> {
                const recorded = await answerTo(call, questions.own(own.type, values));
                if (!recorded) return failed(CUT_SHORT);
                return recorded.error && !isJudged(recorded)
                  ? failed(plain(recorded.error), recorded.output)
                  : succeeded(recorded.output);
              },
            }
          : own,
      overrule: (end): FrameEnd =>
        unanswered ? { type: "limit", errorType: "ScenarioError", message: NOT_RECORDED, node: unanswered.node } : end,
    },
  };
}

const NOT_RECORDED = "nothing was recorded for what it asks";

/** The engine, or the author's rules, made the error of the answer, and will again as they are now. */
const isJudged = ({ error, isByRule, output }: RecordedAttempt): boolean =>
  output !== undefined && error !== undefined && (isByRule || JUDGEMENTS.has(error.kind));

const JUDGEMENTS: ReadonlySet<string> = new Set([
  "internal.script_error",
  "internal.template_error",
  "http.status",
  "http.unavailable",
]);

const plain = ({ kind, message, details }: Raised): Raised => raised(kind, message, details);

const unanswered = (error: Raised) => ({ code: "RECORDED", message: error.message, error });
const notStarted = (error: Raised): ProcessResult => ({ started: false, ...unanswered(error) });
const noAnswer = (error: Raised): HttpResult => ({ answered: false, ...unanswered(error) });

function processResult(recorded: RecordedAttempt): ProcessResult {
  const { error, output } = recorded;
  if (!isMapping(output)) return notStarted(error ? plain(error) : CUT_SHORT);
  const { stdout, stderr, exit_code } = output;
  return {
    started: true,
    exitCode: typeof exit_code === "number" ? exit_code : 0,
    signal: null,
    // A script whose own fields are called so: its output is what it printed.
    stdout: captured(typeof stdout === "string" ? stdout : JSON.stringify(output)),
    stderr: captured(typeof stderr === "string" ? stderr : ""),
    errorFile: raisedInFile(recorded),
  };
}

/** The error file as the script wrote it. */
function raisedInFile(recorded: RecordedAttempt): { readonly text: string } | { readonly unreadable: string } {
  const { error } = recorded;
  if (!error || isJudged(recorded)) return { text: "" };
  const { kind, message, details } = error;
  if (kind === "internal.undeclared_kind") {
    const { original_kind, original_message, original_details } = details;
    return {
      text: JSON.stringify({ kind: original_kind, message: original_message, details: original_details ?? {} }),
    };
  }
  if (details.source === "error_channel") return { unreadable: String(details.reason) };
  return { text: isEngineKind(kind) ? "" : JSON.stringify({ kind, message, details }) };
}

function httpResult({ error, output }: RecordedAttempt): HttpResult {
  if (!isMapping(output)) return noAnswer(error ? plain(error) : CUT_SHORT);
  const { status, headers, body, response_time } = output;
  return {
    answered: true,
    status: Number(status),
    headers: asMapping(headers) as Record<string, string>,
    body,
    seconds: Number(response_time ?? 0),
  };
}

function modelResult(recorded: RecordedAttempt, { schema }: ModelRequest): ModelResult {
  const { error, output, usage, changes } = recorded;
  const end = { usage, ...(changes ? { changes } : {}) };
  if (error && !isJudged(recorded)) return { ok: false, error: plain(error), ...end };
  // Free text stands under `result`.
  const text = isMapping(output) && schema === undefined ? output.result : undefined;
  return { ok: true, content: typeof text === "string" ? text : output, ...end };
}

const asMapping = (value: unknown): Readonly<Record<string, unknown>> => (isMapping(value) ? value : {});

function recordedAsker(answers: Answers, given: RecordedReply[], missing: (question: Question) => void): Asker {
  return async (question, signal, _, clock): Promise<Answer | undefined> => {
    if (question.kind === "dialog") return { kind: "dialog", text: null, by: "recorded" };
    const reply = answers.reply(question);
    if (!reply) {
      if (!answers.isOpen(question)) missing(question);
      return undefined;
    }
    given.push(reply);
    // No one answered in time: the engine says what follows.
    if (reply.by === "timeout") return afterDeadline(question.deadline, signal, clock);
    await clock?.sleep(reply.seconds * 1000, signal);
    if (signal.aborted) return undefined;
    const who = { by: reply.by, person: reply.person };
    if (reply.kind === "gate" && question.kind === "gate")
      return { kind: "gate", value: reply.value, additional_input: reply.additional_input, ...who };
    if (reply.kind === "questions" && question.kind === "questions")
      return {
        kind: "questions",
        outcome: reply.outcome as "completed",
        answers: reply.answers.map(({ id, answer, source }) => ({
          id,
          answer: String(answer),
          source: source as "choice",
        })),
        ...who,
      };
    missing(question);
    return undefined;
  };
}
