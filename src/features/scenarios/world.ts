// The outside of a scenario: whatever is scripted answers at once; what is not either fails the scenario or runs for real.
import { failed, type Outcome, type Raised, raised, succeeded } from "../../base/errors/index.ts";
import { isMapping, keptIn } from "../../base/errors/mapping.ts";
import { fitsStars } from "../../base/errors/path-pattern.ts";
import type { PolicyContext } from "../../engine/guard/resilience/policy.ts";
import { isCodingAgent } from "../../providers/registry.ts";
import type { Caller } from "../../steps/caller.ts";
import type {
  HttpResult,
  McpRequest,
  McpResult,
  ModelRequest,
  ModelResult,
  ProcessResult,
  StepWorld,
} from "../../steps/world.ts";
import { ScenarioError } from "./file.ts";
import type { LiveClock } from "./live-clock.ts";
import { behindBreakers, CUT_SHORT, captured, type QuestionDigests } from "./question.ts";
import type { AgentAnswer, ScenarioFile } from "./schema.ts";

interface ScriptedWorld extends StepWorld {
  /** What a step of an own type came to: as it is scripted, or as its own code says. */
  runOwnStep(own: OwnCall, attempt: Caller, execute: () => Outcome | Promise<Outcome>): Promise<Outcome>;
  /** An earlier drive had an answer for this step: the next call gets the one after it. Only scripts with `step` can tell. */
  useUp(step: Place): void;
}

type Place = Pick<Caller, "node" | "path">;

interface OwnCall {
  readonly type: string;
  readonly values: unknown;
}

/** Called with a call that has no script; it ends the run. */
export type Missing = (problem: ScenarioError) => void;

interface Script {
  readonly step?: string;
  readonly times?: number;
  readonly error?: { readonly kind: string; readonly message: string; readonly details: Record<string, unknown> };
  readonly takes_seconds?: number;
  /** Only for a call that asks this. */
  readonly question?: string;
}

interface ScriptedCalls {
  readonly missing: Missing;
  /** Recorded answers are for one question each. */
  readonly questions: QuestionDigests;
  /** Of a scenario in which some calls are real. */
  readonly clock?: LiveClock | undefined;
}

export function scriptedWorld(
  scenario: ScenarioFile,
  real: StepWorld,
  { missing, questions, clock }: ScriptedCalls,
): ScriptedWorld {
  const uses = new Map<Script, number>();

  const isLive = (attempt: Place): boolean => scenario.live.some((name) => isStep(name, attempt));
  const live = <Came>(call: () => Promise<Came>, isFailure: (came: Came) => boolean): Promise<Came> =>
    clock ? clock.during(call, isFailure) : call();

  /** The first script that fits and is not used up. */
  const find = <One extends Script>(
    list: readonly One[],
    fits: (script: One) => boolean,
    asked: () => string,
  ): One | undefined => {
    const found = list.find((script) => {
      const isLeft = script.times === undefined || (uses.get(script) ?? 0) < script.times;
      return isLeft && fits(script) && (script.question === undefined || script.question === asked());
    });
    if (found) uses.set(found, (uses.get(found) ?? 0) + 1);
    return found;
  };
  const fail = (what: string, attempt: Caller, more = "; with `strict: false` it would run for real"): Raised =>
    stop(`${what}, called by ${qualified(attempt)}, is not scripted${more}`);
  const stop = (message: string): Raised => {
    const problem = new ScenarioError(message);
    missing(problem);
    return raised("internal.step_error", problem.message, { exception_type: problem.name });
  };
  const pass = async (script: Script, { clock, signal }: Caller): Promise<void> => {
    if (script.takes_seconds) await clock.sleep(script.takes_seconds * 1000, signal);
  };

  /** A call runs for real where its step is live or nothing of its kind has to be scripted; else a script answers. */
  const answer = async <List extends ScriptList, Came>(
    attempt: Caller,
    call: ScriptedCall<List, Came>,
  ): Promise<Came> => {
    const { list, what, fits, asked, forReal, isFailure } = call;
    if (isLive(attempt)) return live(forReal, isFailure);
    const scripts: readonly ScenarioFile[List][number][] = scenario[list];
    const script = find(scripts, fits, asked);
    if (!script) return (scenario.strict ?? scripts.length > 0) ? call.unscripted(fail(what, attempt)) : forReal();
    await pass(script, attempt);
    return call.scripted(script);
  };
  const isOfStep = ({ step }: Script, attempt: Place): boolean => step === undefined || isStep(step, attempt);

  return {
    useUp(step) {
      if (isLive(step) || isLiveAgent(scenario, step)) return;
      nextAnswer(scenario, step);
      const fits = (one: Script): boolean =>
        one.step !== undefined && one.question === undefined && isStep(one.step, step);
      for (const list of SCRIPT_LISTS) find<Script>(scenario[list], fits, () => "");
    },
    env: { ...real.env, ...scenario.env },
    run: (request, attempt) =>
      answer<"cli_scripts", ProcessResult>(attempt, {
        list: "cli_scripts",
        what: `the command ${[request.command, ...request.args].join(" ").slice(0, 200)}`,
        fits: ({ step, command, args }) =>
          step === undefined
            ? command === request.command && args.every((arg, index) => request.args[index] === arg)
            : isStep(step, attempt),
        asked: () => questions.command(request, real.env),
        forReal: () => real.run(request, attempt),
        isFailure: ({ started }) => !started,
        unscripted: ({ message }) => ({ started: false, code: "SCENARIO", message }),
        scripted({ exit_code, stdout, stderr, error }) {
          if (error && OF_ENGINE.has(error.kind) && !attempt.signal.aborted)
            return { started: false, code: error.kind, message: error.message, error: raisedBy(error) };
          return {
            started: true,
            ...(attempt.signal.aborted ? { exitCode: null, interrupted: true } : { exitCode: exit_code }),
            signal: null,
            stdout: captured(stdout),
            stderr: captured(stderr),
            errorFile: { text: error ? JSON.stringify(error) : "" },
          };
        },
      }),
    fetch: (request, attempt) =>
      answer<"http_scripts", HttpResult>(attempt, {
        list: "http_scripts",
        what: `${request.method} ${request.url}`,
        fits: (one) =>
          isOfStep(one, attempt) &&
          (one.url === undefined || fitsStars(one.url, request.url)) &&
          (one.method === undefined || one.method.toUpperCase() === request.method.toUpperCase()),
        asked: () => questions.http(request),
        forReal: () => real.fetch(request, attempt),
        isFailure: ({ answered }) => !answered,
        unscripted: ({ message }) => ({ answered: false, code: "SCENARIO", message }),
        scripted({ status, headers, body = null, takes_seconds = 0, ...script }) {
          if (attempt.signal.aborted) return { answered: false, code: "ABORTED", message: CUT_SHORT.message };
          const error = script.error && raisedBy(script.error);
          if (error) return { answered: false, code: error.kind, message: error.message, error };
          const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
          return { answered: true, status, headers: Object.fromEntries(lowerCase), body, seconds: takes_seconds };
        },
      }),
    callTool: (request, attempt) =>
      answer<"mcp_scripts", McpResult>(attempt, {
        list: "mcp_scripts",
        what: `the tool ${request.server}/${request.tool}`,
        fits: (one) =>
          isOfStep(one, attempt) &&
          (one.server === undefined || one.server === request.server) &&
          (one.tool === undefined || one.tool === request.tool),
        asked: () => questions.tool(request),
        forReal: () => real.callTool(request, attempt),
        isFailure: ({ ok }) => !ok,
        unscripted: (error) => ({ ok: false, error }),
        scripted({ content = null, error }) {
          if (attempt.signal.aborted) return { ok: false, error: CUT_SHORT };
          if (error) return { ok: false, error: raisedBy(error) };
          return toolResult(content, request);
        },
      }),
    runOwnStep: ({ type, values }, attempt, execute) =>
      answer<"step_scripts", Outcome>(attempt, {
        list: "step_scripts",
        what: `the own step type ${type}`,
        fits: (one) => isOfStep(one, attempt) && (one.type === undefined || one.type === type),
        asked: () => questions.own(type, values),
        forReal: async () => execute(),
        isFailure: ({ ok }) => !ok,
        unscripted: (error) => failed(error),
        scripted({ output = null, error }) {
          if (attempt.signal.aborted) return failed(CUT_SHORT);
          return error ? failed(raisedBy(error)) : succeeded(output);
        },
      }),
    async callModel(request, attempt): Promise<ModelResult> {
      if (isLive(attempt) || isLiveAgent(scenario, attempt))
        return live(
          () => real.callModel(request, attempt),
          ({ ok }) => !ok,
        );
      return behindBreakers(request, attempt, async () => {
        const result = await answerOf(attempt, request);
        return isCodingAgent(request.provider) ? { changes: NO_CHANGES, ...result } : result;
      });
    },
  };

  async function answerOf(attempt: Caller, { refused, provider }: ModelRequest): Promise<ModelResult> {
    const answer = nextAnswer(scenario, attempt);
    if (!answer) {
      const error = refused ? stop(refusedAnswer(refused, attempt)) : fail("the agent", attempt, "");
      return { ok: false, error, usage: {} };
    }
    await pass(answer, attempt);
    if (attempt.signal.aborted) return { ok: false, error: CUT_SHORT, usage: {} };
    const { changes, error } = answer;
    if (changes && !isCodingAgent(provider))
      return { ok: false, error: stop(withoutChanges(attempt, provider)), usage: {} };
    const end = { usage: {}, ...(changes ? { changes } : {}) };
    return error ? { ok: false, error: raisedBy(error), ...end } : { ok: true, content: answer.content ?? "", ...end };
  }
}

/** `content` may be written as the output of a step: with `structured` and `is_error`. */
function toolResult(content: unknown, { server, tool }: McpRequest): McpResult {
  if (!isMapping(content)) return { ok: true, content };
  const { structured, is_error } = content;
  if (typeof is_error !== "boolean" || structured === undefined) return { ok: true, content, structured: content };
  const answer = { content: content.content ?? [], ...(isMapping(structured) ? { structured } : {}) };
  if (!is_error) return { ok: true, ...answer };
  const message = `Tool ${tool} of MCP server ${server} answered with an error`;
  return { ok: false, answer, error: raised("mcp.tool_error", message, { server, tool, content: answer.content }) };
}

const SCRIPT_LISTS = ["cli_scripts", "http_scripts", "mcp_scripts", "step_scripts"] as const;
type ScriptList = (typeof SCRIPT_LISTS)[number];

interface ScriptedCall<List extends ScriptList, Came> {
  readonly list: List;
  /** What is called, for the sentence that it is not scripted. */
  readonly what: string;
  fits(script: ScenarioFile[List][number]): boolean;
  /** The digest of what it asks. */
  asked(): string;
  forReal(): Promise<Came>;
  isFailure(came: Came): boolean;
  unscripted(problem: Raised): Came;
  scripted(script: ScenarioFile[List][number]): Came;
}

/** What the engine says of a script in place of its output; other kinds of the engine are claimed in the error file. */
const OF_ENGINE: ReadonlySet<string> = new Set([
  "internal.command_not_found",
  "internal.resource_exhausted",
  "internal.schema_violation",
  "internal.undeclared_kind",
]);

const raisedBy = ({ kind, message, details }: NonNullable<Script["error"]>): Raised => raised(kind, message, details);

/** A scripted agent touches no files; what it would have changed is said in `changes` of its answer. */
const NO_CHANGES = { files: [], added: 0, removed: 0 };

const withoutChanges = (attempt: Caller, provider: string): string =>
  `agent_scripts gives \`changes\` for ${qualified(attempt)}, which asks ${provider}: only agents that work in a folder have changes. Leave \`changes\` out.`;

/** The agent is asked again, and that nothing is scripted for that is not the point. */
const refusedAnswer = (why: string, attempt: Caller): string =>
  `the answer scripted for ${qualified(attempt)} was refused: ${why.replaceAll("\n", "; ")} (and agent_scripts has no further one)`;

const answered = new WeakMap<ScenarioFile, Map<string, number>>();

/** One answer per call, in order. A used-up list fails in strict, otherwise its last answer repeats. */
function nextAnswer(scenario: ScenarioFile, attempt: Place): AgentAnswer | undefined {
  const name = scriptedName(scenario, attempt);
  const list = name === undefined ? undefined : scenario.agent_scripts[name];
  if (name === undefined || !list) return undefined;
  const counts = keptIn(answered, scenario, () => new Map<string, number>());
  const count = counts.get(name) ?? 0;
  counts.set(name, count + 1);
  return list[count] ?? ((scenario.strict ?? true) ? undefined : list.at(-1));
}

/** An answer that is scripted goes before. */
function isLiveAgent(scenario: ScenarioFile, attempt: Place): boolean {
  const { live_agents = false } = scenario;
  const isMeant = typeof live_agents === "boolean" ? live_agents : live_agents.some((name) => isStep(name, attempt));
  return isMeant && scriptedName(scenario, attempt) === undefined;
}

/** A step that the scenario names as one that runs for real. */
export const isLiveStep = (
  scenario: ScenarioFile,
  { name: node, path = [], type }: NonNullable<PolicyContext["step"]>,
): boolean =>
  scenario.live.some((one) => isStep(one, { node, path })) ||
  (type === "agent" && isLiveAgent(scenario, { node, path }));

const scriptedName = ({ agent_scripts }: ScenarioFile, attempt: Place): string | undefined =>
  [qualified(attempt), attempt.node].find((one) => Object.hasOwn(agent_scripts, one));

export const qualified = ({ path, node }: Pick<Caller, "path" | "node">): string => [...path, node].join("/");

const isStep = (name: string, attempt: Place): boolean => name === attempt.node || name === qualified(attempt);
