// An agent's work on one task, whichever agent it is: its session is chosen and recorded, its deadlines watched, failures
// of transport are tried again in one place, and its answer and changes are read.
import { realpathSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { type AgentChanges, type Raised, raised } from "../../base/errors/index.ts";
import { parseAnswer, shapeForApi, unwrapped } from "../../providers/answer.ts";
import { capAnswer, SaidEvents } from "../../providers/answer-stream.ts";
import { asRaised, ProviderFailure, usedUp } from "../../providers/failure.ts";
import { failedEnd, type ModelEnd, NOTHING_SPENT } from "../../providers/tokens.ts";
import { ToolboxFailure } from "../../providers/toolbox.ts";
import { tryTurns } from "../../providers/transport.ts";
import type { Caller } from "../../steps/caller.ts";
import { whenOurs } from "../../steps/when-ours.ts";
import type { CodingAnswer } from "./agent.ts";
import { Baseline, changesSince } from "./changes.ts";
import { refuseLinkedRepository, repositoriesBelow } from "./guarded.ts";
import { expectPlaceholders, isPlaceholder, type Placeholders, sweepLeftOver } from "./placeholders.ts";
import { AgentProgress, deniedTo } from "./progress.ts";
import {
  type AgentPatience,
  agentHome,
  type ChosenSession,
  CUT_OFF,
  chooseSession,
  keepSession,
  newSession,
  type SessionChoice,
  SessionGone,
  startPatience,
} from "./sessions.ts";
import { byRealPath, type CodingCall, codingTask, type FoldersBelow, type TaskLimits } from "./task.ts";

const NO_MORE_TOOLS = "You may not use any more tools. Give your final answer now, with what you have.";

/** Of each attempt: an agent that is asked again for its answer has changed what it changed before. */
const baselines = new WeakMap<Caller, Baseline>();

export async function workOut(call: CodingCall): Promise<ModelEnd> {
  const { attempt, options, target } = call;
  const folder = options.workingDir;
  // What a killed process left behind is neither there nor gone: it was never anybody's.
  const home = agentHome({ provider: target.provider, attempt, sessionKey: options.sessionKey });
  await sweepLeftOver(home, call.ground.processes);
  const leftOut = byRealPath(call.ground.guarded.unreadable);
  const baseline = baselines.get(attempt) ?? new Baseline(attempt, folder, leftOut);
  baselines.set(attempt, baseline);
  const before = await baseline.found();
  try {
    const end = await new Work(call).toItsEnd();
    const changes = await changesOf(attempt, before, folder, leftOut);
    if (end.outcome.ok) await baseline.putAside();
    return { ...end, changes };
  } catch (error) {
    if (!(error instanceof ToolboxFailure)) throw error;
    return { ...failedEnd(target.model, error.raised), changes: await changesOf(attempt, before, folder, leftOut) };
  }
}

const changesOf = async (attempt: Caller, ...looked: Parameters<typeof changesSince>): Promise<AgentChanges> => {
  const changes = await changesSince(...looked);
  const denied = deniedTo(attempt);
  const files = changes.files.filter((file) => !isPlaceholder(file));
  return { ...changes, files, ...(denied.length > 0 ? { denied } : {}) };
};

class Work {
  /** When `max_session_seconds` are over, of all tries together. */
  readonly #endsAt: number;
  readonly #choice: SessionChoice;
  readonly #progress: AgentProgress;
  #session: ChosenSession;

  constructor(private readonly call: CodingCall) {
    const { target, request, attempt, options, ground } = call;
    this.#endsAt = performance.now() + (options.sessionSeconds ?? Number.POSITIVE_INFINITY) * 1000;
    this.#choice = {
      provider: target.provider,
      request,
      attempt,
      sessionKey: options.sessionKey,
      sessions: ground.sessions,
    };
    this.#session = chooseSession(this.#choice);
    this.#progress = new AgentProgress(call, (id) => this.#keep(id));
  }

  async toItsEnd(): Promise<ModelEnd> {
    const { request, target, options, warn } = this.call;
    await this.#findSession();
    const limits = { maxTurns: options.toolRounds, mayUseTools: true };
    const first = await this.#try(this.#session.note || request.prompt, limits).catch((error: unknown) => {
      if (!(error instanceof SessionGone)) throw error;
      this.#beginAnew();
      return this.#try(request.prompt, limits);
    });
    if (!("type" in first)) return first;
    if (first.type !== "out_of_turns") return endOfAnswer(this.call, first);
    const limit = `max_agent_iterations (${options.toolRounds})`;
    warn(`The agent has used up ${limit}; it is asked to answer with what it has.`);
    const last = await this.#try(NO_MORE_TOOLS, { maxTurns: LAST_TURNS, mayUseTools: false });
    if (!("type" in last)) return last;
    if (last.type !== "out_of_turns") return endOfAnswer(this.call, last);
    const failure = usedUp("max_agent_iterations", `it used up ${limit}`);
    const error = asRaised(target, 1, failure, this.call.attempt.clock.now());
    return failedEnd(target.model, error, NOTHING_SPENT, this.#progress.text);
  }

  /** A session that its agent does not know, as when the run's folder was moved, is begun anew. */
  async #findSession(): Promise<void> {
    if (!this.#session.isNew && !(await this.#isKept())) this.#beginAnew();
  }

  async #isKept(): Promise<boolean> {
    const { agent } = this.call;
    return !agent.hasSession || agent.hasSession(agentHome(this.#choice), this.#session.id);
  }

  #beginAnew(): void {
    const { warn } = this.call;
    warn(
      `The session ${this.#session.id} is not there any more, or is damaged: the agent begins anew, without what it knew.`,
    );
    this.#session = newSession();
  }

  /** True when it goes on with a session. */
  #keep(id: string): boolean {
    const isResumed = !this.#session.isNew && id === this.#session.id;
    this.#session = { id, isNew: false, note: "" };
    keepSession(this.#choice, id);
    return isResumed;
  }

  /** One task, again after failures of transport: what was begun goes on in its session. */
  async #try(prompt: string, limits: TaskLimits): Promise<CodingAnswer | ModelEnd> {
    const { attempt, options, target, random } = this.call;
    const progress = this.#progress;
    let before = 0;
    const tried = await tryTurns(
      { attempt, policy: options.policy, random },
      target,
      async (isAgain) => {
        before = progress.inputTokens;
        return this.#work(isAgain ? await this.#afterFailure(prompt) : prompt, limits);
      },
      () => ({ inputTokens: progress.inputTokens - before }),
    );
    if (tried.ok) return tried.value;
    if (progress.toolFailure) throw progress.toolFailure;
    const error = asRaised(target, tried.attempts, tried.failure ?? STOPPED, attempt.clock.now());
    return failedEnd(target.model, error, NOTHING_SPENT, progress.text);
  }

  /** What is said after a failure; a session that was not kept before it is begun anew, with the whole task. */
  async #afterFailure(prompt: string): Promise<string> {
    const { request } = this.call;
    if (!this.#session.isNew && (await this.#isKept())) return this.#progress.hasBegun ? CUT_OFF : prompt;
    this.#session = newSession();
    return request.prompt;
  }

  async #work(prompt: string, limits: TaskLimits): Promise<CodingAnswer> {
    const { agent, attempt, options } = this.call;
    const progress = this.#progress;
    const said = new SaidEvents(attempt);
    const stop = new AbortController();
    // Each try has its own: who was silent once may speak the next time.
    const patience = startPatience(
      { idleSeconds: options.timeoutSeconds, sessionSeconds: (this.#endsAt - performance.now()) / 1000 },
      attempt.signal,
      attempt.clock,
    );
    // An agent that does not stop to talk would fill the memory before its time is over.
    const cap = capAnswer(patience.signal);
    const signal = AbortSignal.any([cap.signal, stop.signal]);
    let placeholders: Placeholders | undefined;
    try {
      const home = agentHome(this.#choice);
      await mkdir(home, { recursive: true, mode: 0o700 });
      const guarded = await this.#foldersBelow();
      const task = codingTask(this.call, { prompt, limits, session: this.#session, home, guarded, signal });
      refuseLinkedRepository(task);
      placeholders = await expectPlaceholders(task);
      const hooks = progress.hooks({ said, patience, count: cap.said, stop: () => stop.abort(STOPPED) });
      const answer = await whenOurs(attempt, () => agent.work(task, hooks));
      if (progress.toolFailure) throw progress.toolFailure;
      return answer;
    } catch (error) {
      throw progress.toolFailure ?? cap.exceeded() ?? this.#outOfTime(patience) ?? error;
    } finally {
      await placeholders?.sweep();
      patience.clear();
      said.flush();
    }
  }

  /** What an agent may not change of the repositories and the packages below its folder. */
  async #foldersBelow(): Promise<FoldersBelow> {
    const { options, warn } = this.call;
    const { guarded, bins, isComplete } = await repositoriesBelow(realpathSync(options.workingDir));
    if (!isComplete)
      warn(
        `There is more below ${options.workingDir} than is looked through for repositories: the hooks and settings of those that were not found are not guarded from the agent. Give it a smaller working_dir.`,
      );
    return { guarded, bins };
  }

  #outOfTime(patience: AgentPatience): ProviderFailure | undefined {
    const { timeoutSeconds, sessionSeconds } = this.call.options;
    switch (patience.over()) {
      case "idle":
        return new ProviderFailure("timeout", `nothing was heard of it for ${timeoutSeconds} s`);
      case "session":
        return usedUp("max_session_seconds", `it ran past max_session_seconds (${sessionSeconds})`);
      default:
        return undefined;
    }
  }
}

/** An answer of the asked shape may take an agent more than one call. */
const LAST_TURNS = 3;

/** The engine knows why it stopped the step, and reads this only as "it did not end by itself". */
const STOPPED = new ProviderFailure("unavailable", "it was stopped");

function endOfAnswer(
  { request, target, attempt }: CodingCall,
  answer: Exclude<CodingAnswer, { type: "out_of_turns" }>,
): ModelEnd {
  const { model } = target;
  switch (answer.type) {
    case "unfit":
      return failedEnd(model, unfit(attempt.node, answer.reason, answer.text), NOTHING_SPENT, answer.text);
    case "asks":
      return failedEnd(model, asRaised(target, 1, STOPPED, attempt.clock.now()));
    case "answered":
      return { model, spent: NOTHING_SPENT, outcome: { ok: true, content: contentOf(answer, request.schema) } };
    default:
      return answer satisfies never;
  }
}

function contentOf(
  { text, structured }: Extract<CodingAnswer, { type: "answered" }>,
  schema: CodingCall["request"]["schema"],
): unknown {
  if (!schema) return text;
  const isWrapped = shapeForApi(schema).wrapped;
  if (structured === undefined) return parseAnswer(text, isWrapped);
  return isWrapped ? unwrapped(structured) : structured;
}

const unfit = (node: string, reason: string, answer: string): Raised =>
  raised("internal.schema_violation", `the answer of ${node} does not fit its \`output:\`: ${reason}`, {
    node,
    source: "agent",
    reason,
    failed_field: null,
    answer: answer.slice(-2000),
  });
