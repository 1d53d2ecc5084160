// An agent's work on one task, whichever agent it is: its session is chosen and recorded, its deadlines watched, what it
// says and uses becomes events, failures of transport are tried again in one place, and its answer and changes are read.
import { mkdir } from "node:fs/promises";
import { type Raised, raised } from "../../errors/index.ts";
import type { Caller } from "../../steps/caller.ts";
import type { ModelRequest } from "../../steps/world.ts";
import { parseAnswer } from "../answer.ts";
import { type AnswerCap, capAnswer } from "../answer-cap.ts";
import { shapeForApi, unwrapped } from "../answer-shape.ts";
import type { Prices } from "../cost.ts";
import { asRaised, ProviderFailure } from "../failure.ts";
import { failedEnd, type ModelEnd } from "../model-end.ts";
import { type CallOptions, settingsFor } from "../options.ts";
import type { Served } from "../registry.ts";
import { SaidEvents } from "../text-events.ts";
import { NOTHING_SPENT } from "../tokens.ts";
import { type Toolbox, ToolboxFailure } from "../toolbox.ts";
import { tryCall } from "../transport.ts";
import type { CodingAgent, CodingAnswer, CodingHooks, CodingTask, GuardedPaths } from "./agent.ts";
import { changesSince, snapshot } from "./changes.ts";
import { type AgentPatience, startPatience } from "./patience.ts";
import { permissionsOf } from "./permissions.ts";
import type { AgentProcesses } from "./processes.ts";
import {
  type AgentSessions,
  agentHome,
  type ChosenSession,
  CUT_OFF,
  chooseSession,
  keepSession,
  newSession,
  type SessionChoice,
} from "./sessions.ts";
import { tellUse } from "./usage.ts";

/** What a run hands to every agent that works in a folder. */
export interface CodingGround {
  readonly processes: AgentProcesses;
  readonly guarded: GuardedPaths;
  readonly sessions?: AgentSessions;
}

export interface CodingCall {
  readonly agent: CodingAgent;
  readonly target: Served;
  readonly request: ModelRequest;
  readonly attempt: Caller;
  readonly options: CallOptions;
  readonly toolbox: Toolbox;
  readonly ground: CodingGround;
  readonly env: CodingTask["env"];
  readonly prices: Prices;
  readonly random: () => number;
  readonly warn: (message: string) => void;
}

const NO_MORE_TOOLS = "You may not use any more tools. Give your final answer now, with what you have.";

export async function workOut(call: CodingCall): Promise<ModelEnd> {
  const { attempt, options, target } = call;
  const before = await snapshot(options.workingDir);
  const patience = startPatience(
    { idleSeconds: options.timeoutSeconds, sessionSeconds: options.sessionSeconds },
    attempt.signal,
  );
  try {
    const end = await new Work(call, patience).toItsEnd();
    return { ...end, changes: await changesSince(before, options.workingDir) };
  } catch (error) {
    if (!(error instanceof ToolboxFailure)) throw error;
    return { ...failedEnd(target.model, error.raised), changes: await changesSince(before, options.workingDir) };
  } finally {
    patience.clear();
  }
}

class Work {
  readonly #call: CodingCall;
  readonly #patience: AgentPatience;
  readonly #choice: SessionChoice;
  #session: ChosenSession;
  #turns = 0;
  /** What it said last. */
  #text = "";
  /** Something came of the session: it is worth going on with. */
  #hasBegun = false;
  #toolFailure: ToolboxFailure | undefined;

  constructor(call: CodingCall, patience: AgentPatience) {
    const { target, request, attempt, options, ground } = call;
    this.#call = call;
    this.#patience = patience;
    this.#choice = {
      provider: target.provider,
      request,
      attempt,
      sessionKey: options.sessionKey,
      sessions: ground.sessions,
    };
    this.#session = chooseSession(this.#choice);
  }

  async toItsEnd(): Promise<ModelEnd> {
    const { request, target, options, warn } = this.#call;
    await this.#findSession();
    const opening = this.#session.note || request.prompt;
    const first = await this.#try(opening, { maxTurns: options.toolRounds, mayUseTools: true });
    if (!("type" in first)) return first;
    if (first.type !== "out_of_turns") return this.#read(first);
    const limit = `max_agent_iterations (${options.toolRounds})`;
    warn(`The agent has used up ${limit}; it is asked to answer with what it has.`);
    const last = await this.#try(NO_MORE_TOOLS, { maxTurns: LAST_TURNS, mayUseTools: false });
    if (!("type" in last)) return last;
    if (last.type !== "out_of_turns") return this.#read(last);
    const failure = new ProviderFailure("unavailable", `it used up ${limit} and gave no answer`);
    return failedEnd(target.model, asRaised(target.provider, target.model, 1, failure), NOTHING_SPENT, this.#text);
  }

  /** A session that its agent does not know, as when the run's folder was moved, is begun anew. */
  async #findSession(): Promise<void> {
    const { agent, warn } = this.#call;
    if (this.#session.isNew || (await agent.hasSession(agentHome(this.#choice), this.#session.id))) return;
    warn(`The session ${this.#session.id} is not there any more: the agent begins anew, without what it knew.`);
    this.#session = newSession();
  }

  /** One task, again after failures of transport: what was begun goes on in its session. */
  async #try(prompt: string, limits: TaskLimits): Promise<CodingAnswer | ModelEnd> {
    const { attempt, options, target, random } = this.#call;
    let said = prompt;
    const tried = await tryCall({
      policy: options.policy,
      signal: attempt.signal,
      random,
      sleep: (ms, signal) => this.#patience.whileWaiting(attempt.clock.sleep(ms, signal)),
      onRetry: (failure, number, delay) => {
        attempt.emit("agent_retry", {
          agent_name: attempt.node,
          attempt: number,
          max_attempts: options.policy.attempts,
          error: failure.message,
          error_type: failure.status === null ? failure.reason : String(failure.status),
          delay,
        });
        if (this.#hasBegun) said = CUT_OFF;
        else if (this.#session.isNew) this.#session = newSession();
      },
      call: () => this.#work(said, limits),
    });
    if (tried.ok) return tried.value;
    if (this.#toolFailure) throw this.#toolFailure;
    const error = asRaised(target.provider, target.model, tried.attempts, tried.failure ?? STOPPED);
    return failedEnd(target.model, error, NOTHING_SPENT, this.#text);
  }

  async #work(prompt: string, limits: TaskLimits): Promise<CodingAnswer> {
    const { agent, attempt, options } = this.#call;
    const said = new SaidEvents(attempt);
    // An agent that does not stop to talk would fill the memory before its time is over.
    const cap = capAnswer(this.#patience.signal);
    try {
      const task = await this.#task(prompt, limits);
      return await agent.work({ ...task, signal: cap.signal }, this.#hooks(said, cap));
    } catch (error) {
      if (this.#toolFailure) throw this.#toolFailure;
      const endless = cap.exceeded();
      if (endless) throw endless;
      const over = this.#patience.over();
      if (over === "idle")
        throw new ProviderFailure("timeout", `nothing was heard of it for ${options.timeoutSeconds} s`);
      if (over === "session")
        throw new ProviderFailure("unavailable", `it ran past max_session_seconds (${options.sessionSeconds})`);
      throw error;
    } finally {
      said.flush();
    }
  }

  async #task(prompt: string, { maxTurns, mayUseTools }: TaskLimits): Promise<CodingTask> {
    const { request, attempt, options, target, toolbox, ground, env } = this.#call;
    const home = agentHome(this.#choice);
    await mkdir(home, { recursive: true, mode: 0o700 });
    const settings = settingsFor(target.provider, request, attempt);
    const usesTools = mayUseTools && request.tools?.length !== 0;
    const budgetUsd = attempt.budgetLeftUsd?.();
    return {
      model: target.model,
      system: request.system,
      prompt,
      session: this.#session,
      ...(request.schema ? { schema: shapeForApi(request.schema).schema } : {}),
      tools: usesTools ? toolbox.definitions : [],
      builtIns: usesTools ? (request.tools === null ? null : toolbox.unknown) : [],
      ...(options.effort ? { effort: options.effort } : {}),
      maxTurns,
      ...(budgetUsd === undefined ? {} : { budgetUsd }),
      settings,
      permissions: permissionsOf(settings as Readonly<Record<string, unknown>>),
      env,
      cwd: options.workingDir,
      home,
      project: attempt.workflow.rootDir,
      guarded: ground.guarded,
      mark: ["SEGNO_IDEMPOTENCY_KEY", attempt.idempotencyKey],
      processes: ground.processes,
      signal: this.#patience.signal,
    };
  }

  #hooks(said: SaidEvents, cap: AnswerCap): CodingHooks {
    const { attempt, request, target, options, toolbox, prices, warn } = this.#call;
    const { node: agent_name, key } = attempt;
    const patience = this.#patience;
    const alive = (): void => {
      patience.heard();
    };
    return {
      session: async (id) => {
        alive();
        const resumed = !this.#session.isNew && id === this.#session.id;
        this.#session = { id, isNew: false, note: "" };
        keepSession(this.#choice, id);
        const { sessionKey: session_key } = options;
        attempt.emit("agent_session", {
          agent_name,
          key,
          id,
          provider: target.provider,
          ...(session_key ? { session_key } : {}),
          ...(resumed ? { resumed } : {}),
        });
        await attempt.recorded?.();
      },
      spawned: (pid, started_at) => attempt.emit("script_spawned", { agent_name, key, pid, started_at }),
      heard: alive,
      turn: () => {
        alive();
        this.#turns += 1;
        const { model } = target;
        attempt.emit("agent_turn_start", { agent_name, turn: this.#turns, ...(model ? { model } : {}) });
      },
      text: (chunk) => {
        alive();
        this.#hasBegun = true;
        cap.said(chunk);
        said.text(chunk);
      },
      reasoning: (chunk) => {
        alive();
        cap.said(chunk);
        said.reasoning(chunk);
      },
      warn,
      toolStarted: (tool_name, input) => {
        alive();
        this.#hasBegun = true;
        said.flush();
        attempt.emit("agent_tool_start", { agent_name, tool_name, arguments: input });
      },
      toolCompleted: (tool_name, result, failed) => {
        alive();
        attempt.emit("agent_tool_complete", { agent_name, tool_name, result, ...(failed ? { failed } : {}) });
      },
      runTool: async (tool) => {
        this.#hasBegun = true;
        said.flush();
        try {
          return await patience.whileWaiting(toolbox.run(tool));
        } catch (error) {
          if (error instanceof ToolboxFailure) this.#toolFailure = error;
          throw error;
        }
      },
      used: (used) => {
        alive();
        return tellUse({ attempt, purpose: request.purpose, model: target.model, prices, warn }, used);
      },
      permit: async (what) => {
        if (!attempt.permissions) return "deny";
        said.flush();
        return await patience.whileWaiting(attempt.permissions.ask(what));
      },
    };
  }

  #read(answer: Exclude<CodingAnswer, { type: "out_of_turns" }>): ModelEnd {
    const { request, target, attempt } = this.#call;
    const { model } = target;
    switch (answer.type) {
      case "unfit":
        return failedEnd(model, unfit(attempt.node, answer.reason, answer.text), NOTHING_SPENT, answer.text);
      case "asks":
        // The engine pauses the run here, and reads this only as "it did not end by itself".
        return failedEnd(model, asRaised(target.provider, model, 1, STOPPED));
      case "answered": {
        const isWrapped = request.schema ? shapeForApi(request.schema).wrapped : false;
        const { text, structured } = answer;
        if (!request.schema) return { model, spent: NOTHING_SPENT, outcome: { ok: true, content: text } };
        const content =
          structured === undefined ? parseAnswer(text, isWrapped) : isWrapped ? unwrapped(structured) : structured;
        return { model, spent: NOTHING_SPENT, outcome: { ok: true, content } };
      }
      default:
        return answer satisfies never;
    }
  }
}

interface TaskLimits {
  readonly maxTurns: number;
  readonly mayUseTools: boolean;
}

/** An answer of the asked shape may take an agent more than one call. */
const LAST_TURNS = 3;

const STOPPED = new ProviderFailure("unavailable", "it was stopped");

const unfit = (node: string, reason: string, answer: string): Raised =>
  raised("internal.schema_violation", `the answer of ${node} does not fit its \`output:\`: ${reason}`, {
    node,
    source: "agent",
    reason,
    failed_field: null,
    answer: answer.slice(-2000),
  });
