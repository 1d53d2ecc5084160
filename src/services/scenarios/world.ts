// The outside of a scenario: whatever is scripted answers at once; what is not either fails the scenario or runs for real.
import { failed, type Outcome, type Raised, raised, succeeded } from "../../errors/index.ts";
import { isMapping, keptIn } from "../../errors/mapping.ts";
import { isCodingAgent } from "../../providers/registry.ts";
import type { Caller } from "../../steps/caller.ts";
import { modelTarget } from "../../steps/step-type.ts";
import type {
  Captured,
  HttpResult,
  McpResult,
  ModelRequest,
  ModelResult,
  ProcessResult,
  StepWorld,
} from "../../steps/world.ts";
import type { QuestionDigests } from "../history/question.ts";
import { ScenarioError } from "./file.ts";
import type { LiveClock } from "./live-clock.ts";
import type { AgentAnswer, ScenarioFile } from "./schema.ts";

export interface ScriptedWorld extends StepWorld {
  /** Which scripts were used, for reports of unused ones. */
  readonly used: ReadonlySet<string>;
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
  const used = new Set<string>();
  const uses = new Map<Script, number>();
  const isStrict = (list: readonly unknown[]): boolean => scenario.strict ?? list.length > 0;

  const isLive = (attempt: Place): boolean => scenario.live.some((name) => isStep(name, attempt));
  const live = <Came>(call: () => Promise<Came>, isFailure: (came: Came) => boolean): Promise<Came> =>
    clock ? clock.during(call, isFailure) : call();

  /** The first script that fits and is not used up. */
  const find = <One extends Script>(
    list: readonly One[],
    label: string,
    fits: (script: One) => boolean,
    asked: () => string,
  ): One | undefined => {
    for (const [index, script] of list.entries()) {
      const count = uses.get(script) ?? 0;
      if (!fits(script) || (script.times !== undefined && count >= script.times)) continue;
      if (script.question !== undefined && script.question !== asked()) continue;
      uses.set(script, count + 1);
      used.add(`${label}[${index}]`);
      return script;
    }
    return undefined;
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

  return {
    used,
    useUp(step) {
      if (isLive(step) || isLiveAgent(scenario, step)) return;
      nextAnswer(scenario, step, used);
      const { cli_scripts, http_scripts, mcp_scripts, step_scripts } = scenario;
      const lists = { cli_scripts, http_scripts, mcp_scripts, step_scripts };
      for (const [label, list] of Object.entries(lists))
        find<Script>(
          list,
          label,
          (one) => one.step !== undefined && one.question === undefined && isStep(one.step, step),
          () => "",
        );
    },
    env: { ...real.env, ...scenario.env },
    async run(request, attempt): Promise<ProcessResult> {
      const { command, args } = request;
      if (isLive(attempt))
        return live(
          () => real.run(request, attempt),
          (ran) => !ran.started,
        );
      const script = find(
        scenario.cli_scripts,
        "cli_scripts",
        (one) =>
          one.step !== undefined
            ? isStep(one.step, attempt)
            : one.command === command && one.args.every((arg, index) => args[index] === arg),
        () => questions.command(request, real.env),
      );
      if (!script && !isStrict(scenario.cli_scripts)) return real.run(request, attempt);
      if (!script) {
        const problem = fail(`the command ${[command, ...args].join(" ").slice(0, 200)}`, attempt);
        return { started: false, code: "SCENARIO", message: problem.message };
      }
      await pass(script, attempt);
      return {
        started: true,
        exitCode: attempt.signal.aborted ? null : script.exit_code,
        signal: null,
        stdout: captured(script.stdout),
        stderr: captured(script.stderr),
        errorFile: { text: script.error ? JSON.stringify(script.error) : "" },
      };
    },
    async fetch(request, attempt): Promise<HttpResult> {
      if (isLive(attempt))
        return live(
          () => real.fetch(request, attempt),
          ({ answered }) => !answered,
        );
      const script = find(
        scenario.http_scripts,
        "http_scripts",
        (one) =>
          (one.step === undefined || isStep(one.step, attempt)) &&
          (one.url === undefined || isLike(one.url, request.url)) &&
          (one.method === undefined || one.method.toUpperCase() === request.method.toUpperCase()),
        () => questions.http(request),
      );
      if (!script && !isStrict(scenario.http_scripts)) return real.fetch(request, attempt);
      if (!script)
        return {
          answered: false,
          code: "SCENARIO",
          message: fail(`${request.method} ${request.url}`, attempt).message,
        };
      await pass(script, attempt);
      if (attempt.signal.aborted) return { answered: false, code: "ABORTED", message: CUT_SHORT.message };
      if (script.error) {
        const { kind, message, details } = script.error;
        return { answered: false, code: kind, message, error: raised(kind, message, details) };
      }
      return {
        answered: true,
        status: script.status,
        headers: Object.fromEntries(Object.entries(script.headers).map(([name, value]) => [name.toLowerCase(), value])),
        body: script.body ?? null,
        seconds: script.takes_seconds ?? 0,
      };
    },
    async callTool(request, attempt): Promise<McpResult> {
      if (isLive(attempt))
        return live(
          () => real.callTool(request, attempt),
          ({ ok }) => !ok,
        );
      const script = find(
        scenario.mcp_scripts,
        "mcp_scripts",
        (one) =>
          (one.step === undefined || isStep(one.step, attempt)) &&
          (one.server === undefined || one.server === request.server) &&
          (one.tool === undefined || one.tool === request.tool),
        () => questions.tool(request),
      );
      if (!script && !isStrict(scenario.mcp_scripts)) return real.callTool(request, attempt);
      if (!script) return { ok: false, error: fail(`the tool ${request.server}/${request.tool}`, attempt) };
      await pass(script, attempt);
      if (attempt.signal.aborted) return { ok: false, error: CUT_SHORT };
      if (script.error)
        return { ok: false, error: raised(script.error.kind, script.error.message, script.error.details) };
      const structured = isMapping(script.content) ? { structured: script.content } : {};
      return { ok: true, content: script.content ?? null, ...structured };
    },
    async runOwnStep({ type, values }, attempt, execute): Promise<Outcome> {
      if (isLive(attempt))
        return live(
          async () => execute(),
          ({ ok }) => !ok,
        );
      const script = find(
        scenario.step_scripts,
        "step_scripts",
        (one) => (one.step === undefined || isStep(one.step, attempt)) && (one.type === undefined || one.type === type),
        () => questions.own(type, values),
      );
      if (!script && !isStrict(scenario.step_scripts)) return execute();
      if (!script) return failed(fail(`the own step type ${type}`, attempt));
      await pass(script, attempt);
      if (attempt.signal.aborted) return failed(CUT_SHORT);
      if (script.error) return failed(raised(script.error.kind, script.error.message, script.error.details));
      return succeeded(script.output ?? null);
    },
    async callModel(request, attempt): Promise<ModelResult> {
      if (isLive(attempt) || isLiveAgent(scenario, attempt))
        return live(
          () => real.callModel(request, attempt),
          ({ ok }) => !ok,
        );
      // Scripted answers are for the agent's own questions: judges find no fault, and there is no dialog.
      if (request.purpose !== "answer") return { ok: true, content: { passed: true, issues: [] }, usage: {} };
      const target = modelTarget(request.provider, request.models[0] ?? "");
      const refused = await attempt.breakers?.admit(target);
      if (refused) return { ok: false, error: refused, usage: {} };
      const result = await answerOf(attempt, request);
      if (!attempt.signal.aborted) await attempt.breakers?.report(target, result.ok ? undefined : result.error);
      return isCodingAgent(request.provider) ? { changes: NO_CHANGES, ...result } : result;
    },
  };

  async function answerOf(attempt: Caller, { refused, provider }: ModelRequest): Promise<ModelResult> {
    const answer = nextAnswer(scenario, attempt, used);
    if (!answer && refused) return { ok: false, error: stop(refusedAnswer(refused, attempt)), usage: {} };
    if (!answer) return { ok: false, error: fail("the agent", attempt, ""), usage: {} };
    await pass(answer, attempt);
    if (attempt.signal.aborted) return { ok: false, error: CUT_SHORT, usage: {} };
    const { changes } = answer;
    if (changes && !isCodingAgent(provider))
      return { ok: false, error: stop(withoutChanges(attempt, provider)), usage: {} };
    const end = { usage: {}, ...(changes ? { changes } : {}) };
    if (answer.error)
      return { ok: false, error: raised(answer.error.kind, answer.error.message, answer.error.details), ...end };
    return { ok: true, content: answer.content ?? "", ...end };
  }
}

/** A scripted agent touches no files; what it would have changed is said in `changes` of its answer. */
const NO_CHANGES = { files: [], added: 0, removed: 0 };

const withoutChanges = (attempt: Caller, provider: string): string =>
  `agent_scripts gives \`changes\` for ${qualified(attempt)}, which asks ${provider}: only agents that work in a folder have changes. Leave \`changes\` out.`;

/** The agent is asked again, and that nothing is scripted for that is not the point. */
const refusedAnswer = (why: string, attempt: Caller): string =>
  `the answer scripted for ${qualified(attempt)} was refused: ${why.replaceAll("\n", "; ")} (and agent_scripts has no further one)`;

/** What was still going on when the step's time was over; the engine says which limit it was. */
const CUT_SHORT = raised("internal.timeout", "the call was cut short");

const answered = new WeakMap<ScenarioFile, Map<string, number>>();

/** One answer per call, in order. A used-up list fails in strict, otherwise its last answer repeats. */
function nextAnswer(scenario: ScenarioFile, attempt: Place, used: Set<string>): AgentAnswer | undefined {
  const name = scriptedName(scenario, attempt);
  const list = name === undefined ? undefined : scenario.agent_scripts[name];
  if (name === undefined || !list) return undefined;
  const counts = keptIn(answered, scenario, () => new Map<string, number>());
  const count = counts.get(name) ?? 0;
  counts.set(name, count + 1);
  used.add(`agent_scripts.${name}[${Math.min(count, list.length - 1)}]`);
  return list[count] ?? ((scenario.strict ?? true) ? undefined : list.at(-1));
}

/** An answer that is scripted goes before. */
function isLiveAgent(scenario: ScenarioFile, attempt: Place): boolean {
  const { live_agents = false } = scenario;
  const isMeant = typeof live_agents === "boolean" ? live_agents : live_agents.some((name) => isStep(name, attempt));
  return isMeant && scriptedName(scenario, attempt) === undefined;
}

/** As whom the scenario answers for an agent. */
const scriptedName = ({ agent_scripts }: ScenarioFile, attempt: Place): string | undefined =>
  [qualified(attempt), attempt.node].find((one) => Object.hasOwn(agent_scripts, one));

export const qualified = ({ path, node }: Pick<Caller, "path" | "node">): string => [...path, node].join("/");

const isStep = (name: string, attempt: Place): boolean => name === attempt.node || name === qualified(attempt);

export function isLike(pattern: string, text: string): boolean {
  const parts = pattern.split("*");
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const found = text.indexOf(part, at);
    if (found < 0 || (index === 0 && found !== 0)) return false;
    at = found + part.length;
  }
  return pattern.endsWith("*") || at === text.length || (parts.length > 1 && text.endsWith(parts.at(-1) ?? ""));
}

const captured = (text: string): Captured => ({ text, bytes: Buffer.byteLength(text), truncated: false });
