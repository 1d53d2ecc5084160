// A recorded run as a scenario: its inputs, what each step was answered in the order in which it asked, and what people said.
import { dirname, relative, sep } from "node:path";
import { isMapping, keptIn } from "../../base/errors/mapping.ts";
import { askerName, attemptNames } from "../../base/events/asker-name.ts";
import type { RunEvent } from "../../base/events/registry.ts";
import { visitsOf } from "../../base/events/visits/visit-fold.ts";
import { scenarioTrace } from "../scenarios/expect.ts";
import type { RecordedAttempt, RecordedReply } from "../scenarios/recorded-answers.ts";
import type { Play } from "./play.ts";
import type { AskedQuestion } from "./recorded-world.ts";
import type { Recording } from "./recording.ts";

/** As it is written, before defaults. */
export type WrittenScenario = Record<string, unknown>;

export function scenarioOf(
  recording: Recording,
  played: Play,
  { file, withTimes }: { file: string; withTimes: boolean },
): WrittenScenario {
  const { workflow, inputs, state } = recording;
  const scripts = scriptsOf(played.asked, withTimes);
  return {
    workflow: relative(dirname(file), workflow?.file ?? "")
      .split(sep)
      .join("/"),
    ...(Object.keys(inputs).length > 0 ? { inputs } : {}),
    ...(state.startedBy ? { started_by: state.startedBy } : {}),
    ...scripts,
    ...repliesOf({ replies: played.replies, state }, withTimes),
    ...verdictsOf(played),
    strict: true,
  };
}

export const endOf = ({ result: { status, exit_code, output } }: Play): WrittenScenario => ({
  status,
  exit_code,
  output,
});

export function traceOf(events: readonly RunEvent[]): WrittenScenario {
  const { gates_reminded: _, scripts_executed: _scripts, ...trace } = scenarioTrace(visitsOf(events));
  return Object.fromEntries(Object.entries(trace).filter(([, value]) => Object.keys(value).length > 0));
}

/** By kind of call; the answers of a step in the order in which it asked, those that are alike written once. */
function scriptsOf(asked: readonly AskedQuestion[], withTimes: boolean): WrittenScenario {
  const agents: Record<string, unknown[]> = {};
  const lists: Record<"cli_scripts" | "http_scripts" | "mcp_scripts" | "step_scripts", WrittenScenario[]> = {
    cli_scripts: [],
    http_scripts: [],
    mcp_scripts: [],
    step_scripts: [],
  };
  const answered = new Map<string, number>();
  for (const { recorded } of asked) answered.set(nameOf(recorded), (answered.get(nameOf(recorded)) ?? 0) + 1);
  for (const { recorded } of asked) {
    const step = nameOf(recorded);
    const takes = timeOf(recorded, withTimes);
    if (recorded.type === "agent") {
      agents[step] = [...(agents[step] ?? []), { ...agentAnswer(recorded), ...takes }];
      continue;
    }
    const [list, answer] = listAndAnswer(recorded);
    const entry = { step, ...answer, ...takes };
    const last = lists[list].findLast((one) => one.step === step);
    const { times = 1, ...before } = last ?? {};
    if (last && JSON.stringify(before) === JSON.stringify(entry)) last.times = Number(times) + 1;
    else lists[list].push({ ...entry, times: 1 });
  }
  for (const list of Object.values(lists))
    for (const one of list) if (one.times === answered.get(String(one.step))) delete one.times;
  return Object.fromEntries(
    Object.entries({ agent_scripts: agents, ...lists }).filter(([, value]) => Object.keys(value).length > 0),
  );
}

const nameOf = ({ path, node }: RecordedAttempt): string => [...path, node].join("/");

/** Shorter calls take no time worth telling, unless others run beside them. */
const WORTH_TELLING_SECONDS = 1;

function timeOf({ seconds, error, isStopped }: RecordedAttempt, withTimes: boolean): WrittenScenario {
  const ranOut = isStopped ?? error?.kind === "internal.timeout";
  const takes = Math.round((seconds + (ranOut ? 0.001 : 0)) * 1000) / 1000;
  return takes > 0 && (withTimes || ranOut || takes >= WORTH_TELLING_SECONDS) ? { takes_seconds: takes } : {};
}

function agentAnswer({ output, error, isByRule, changes }: RecordedAttempt): WrittenScenario {
  const came =
    error && !isByRule && error.kind !== "internal.timeout"
      ? { error: envelope(error) }
      : { content: contentOf(output) ?? "" };
  return { ...came, ...(changes ? { changes } : {}) };
}

/** Free text stands under `result`. */
const contentOf = (output: unknown): unknown =>
  isMapping(output) && Object.keys(output).length === 1 && typeof output.result === "string" ? output.result : output;

const envelope = ({ kind, message, details }: NonNullable<RecordedAttempt["error"]>): WrittenScenario => ({
  kind,
  message,
  ...(Object.keys(details).length > 0 ? { details } : {}),
});

/** The list of a scenario that answers for it, and its entry there. */
export function listAndAnswer(
  recorded: RecordedAttempt,
): readonly ["cli_scripts" | "http_scripts" | "mcp_scripts" | "step_scripts", WrittenScenario] {
  const { type, output, error, isByRule } = recorded;
  const ranOut = error?.kind === "internal.timeout";
  const own = error && !isByRule && !ranOut ? { error: envelope(error) } : {};
  switch (type) {
    case "script": {
      const { stdout, stderr, exit_code } = isMapping(output) ? output : {};
      // The engine judges the output again.
      const isJudged =
        error?.kind === "internal.script_error" ||
        (error?.kind === "internal.schema_violation" && error.details.source === "script");
      return [
        "cli_scripts",
        {
          ...(stdout ? { stdout: typeof stdout === "string" ? stdout : JSON.stringify(output) } : {}),
          ...(stderr ? { stderr } : {}),
          ...(exit_code ? { exit_code } : {}),
          ...(isJudged ? {} : own),
        },
      ];
    }
    case "http": {
      if (!isMapping(output)) return ["http_scripts", own];
      const { status, headers, body } = output;
      return [
        "http_scripts",
        {
          status,
          ...(isMapping(headers) && Object.keys(headers).length > 0 ? { headers } : {}),
          ...(body === null ? {} : { body }),
        },
      ];
    }
    case "mcp":
      return ["mcp_scripts", error && !isByRule ? own : { content: output }];
    default:
      return ["step_scripts", error && !isByRule ? own : { output }];
  }
}

export function repliesOf(
  { replies, state }: Pick<Recording, "state"> & Pick<Play, "replies">,
  withTimes: boolean,
): WrittenScenario {
  const gates: Record<string, unknown> = {};
  const questions: Record<string, unknown> = {};
  for (const reply of replies) {
    if (reply.by === "timeout" && reply.kind === "questions") questions[reply.node] = { nobody: true };
    else if (reply.by === "timeout") gates[reply.node] = [...asList(gates[reply.node]), { nobody: true }];
    else if (reply.kind === "gate") gates[reply.node] = [...asList(gates[reply.node]), gateReply(reply, withTimes)];
    else questions[reply.node] = Object.fromEntries(reply.answers.map(({ id, answer }) => [id, String(answer)]));
  }
  // The run waits there.
  for (const { node, kind } of state.status === "paused" ? state.gates.values() : [])
    if (kind === "questions") questions[node] = { nobody: "yet" };
    else gates[node] = [...asList(gates[node]), { nobody: "yet" }];
  return {
    ...(Object.keys(gates).length > 0 ? { gates } : {}),
    ...(Object.keys(questions).length > 0 ? { questions } : {}),
  };
}

/** Only what a scenario cannot know is written: denials of policies that look at more than the run. */
function verdictsOf({ events, verdicts }: Play): WrittenScenario {
  const isFromOutside = new Set(verdicts.filter(({ verdict }) => !verdict.allowed).map(({ key }) => key));
  const byName = new Map<string, { readonly keys: string[]; readonly said: WrittenScenario[] }>();
  for (const event of events) {
    if (event.type !== "policy_evaluated") continue;
    const { key = "", allowed } = event.data;
    const { policyName: policy, reason, metadata } = event.data.verdicts.find((one) => !one.allowed) ?? {};
    const entry = keptIn(byName, askerName(key), () => ({ keys: [], said: [] }));
    entry.keys.push(key);
    const more = { reason, policy, metadata };
    const known = Object.entries(more).filter(([, value]) => value !== undefined);
    entry.said.push({ allowed, ...Object.fromEntries(known) });
  }
  const denied = new Set(
    [...byName].flatMap(([name, { keys }]) => (keys.some((key) => isFromOutside.has(key)) ? [name] : [])),
  );
  const policies = [...byName].filter(([, { keys }]) =>
    keys.some((key) => attemptNames(key).some((one) => denied.has(one))),
  );
  if (policies.length === 0) return {};
  return {
    policies: Object.fromEntries(
      policies.map(([name, { said }]) => {
        const isOne = said.every((one) => JSON.stringify(one) === JSON.stringify(said[0]));
        return [name, isOne ? said[0] : said];
      }),
    ),
  };
}

function gateReply(reply: RecordedReply & { readonly kind: "gate" }, withTimes: boolean): WrittenScenario {
  const { value, additional_input, person, seconds } = reply;
  return {
    value,
    ...(Object.keys(additional_input).length > 0 ? { additional_input } : {}),
    ...(person === undefined ? {} : { by: person }),
    ...(withTimes && seconds > 0 ? { takes_seconds: Math.round(seconds * 1000) / 1000 } : {}),
  };
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
