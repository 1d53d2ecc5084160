// `segno test --record`: makes a scenario of a run, plays it, and says whether it passes.
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { parse, stringify } from "yaml";
import { isMapping } from "../../errors/mapping.ts";
import type { RunEvent } from "../../events/registry.ts";
import { shortRunId } from "../../events/short-run-id.ts";
import { visitsOf } from "../../events/visit-fold.ts";
import { REDACTED, type Redactor, secretsByName } from "../../redact/index.ts";
import { type Head, head } from "../../results/index.ts";
import { answering } from "../answering.ts";
import { redactorFor } from "../read-run.ts";
import { refusal } from "../refusals.ts";
import { loadScenario } from "../scenario/file.ts";
import { runScenario } from "../scenario/run-scenario.ts";
import { scenarioTrace } from "../scenario/trace.ts";
import { shownPath } from "../shown-path.ts";
import { type RunNamed, withReader } from "../store.ts";
import { byPlace, type Play, playRun } from "./play.ts";
import type { AskedQuestion } from "./recorded-world.ts";
import { type RecordedAttempt, type RecordedReply, type Recording, recordingOf } from "./recording.ts";

export interface RecordRequest extends RunNamed {
  /** A file, or a folder for one; `tests` beside the workflow when left out. */
  readonly to?: string;
  /** A scenario whose fields need not stand here again. */
  readonly extends?: string;
  /** Refuses a place that may not be written. */
  readonly confine?: (file: string) => void;
}

export interface RecordAnswer extends Head {
  readonly run_id: string | null;
  readonly file: string | null;
  /** Played at once. */
  readonly passed: boolean;
  /** What differed, where it did not pass. */
  readonly problems: readonly string[];
  /** What the scenario cannot say of the run, or says otherwise. */
  readonly notes: readonly string[];
}

type Scenario = Record<string, unknown>;

/** Longer values go into files beside the scenario. */
const LONGEST_INLINE = 4096;

export const recordScenario = (request: RecordRequest): Promise<RecordAnswer> =>
  answering(
    request,
    () =>
      withReader(request, async (reader) => {
        const recording = await recordingOf(reader, request);
        return write(withoutSecrets(recording, await redactorFor(reader, request)), request);
      }),
    (result) => ({ ...result, run_id: null, file: null, passed: false, problems: [], notes: [] }),
  );

async function write(recording: Recording, request: RecordRequest): Promise<RecordAnswer> {
  const { runId, workflow, state } = recording;
  if (!workflow) throw refusal(`run ${runId} ended before its file was read, so there is nothing to record`);
  if (!existsSync(workflow.file))
    throw refusal(`${shownPath(workflow.file, request.cwd)}, which run ${runId} was driven with, is gone`);
  if (state.status === "running")
    throw refusal(`run ${runId} has no end yet: a scenario is made of one that has, or that waits for a person`);
  const played = await playRun(recording, workflow, byPlace(recording), request);
  if (played.unanswered)
    throw refusal(
      `run ${runId} was cut off in ${[...played.unanswered.path, played.unanswered.node].join("/")}, and nothing is known of what that would have been answered. Resume it first.`,
    );
  const file = placeFor(recording, workflow.file, request);
  request.confine?.(file);
  requireFree(file, runId, request);
  const notes = notesOn(recording);
  // Times matter only where steps run side by side; most scenarios read better without them.
  const plain = await writtenAndPlayed(recording, played, { file, notes, request, withTimes: false });
  const last = plain.passed
    ? plain
    : await writtenAndPlayed(recording, played, { file, notes, request, withTimes: true });
  return {
    ...head(last.passed ? 0 : 1),
    error: last.passed ? null : "the scenario does not pass as it was recorded",
    ...{ run_id: runId, file: shownPath(file, request.cwd), passed: last.passed, problems: last.problems },
    notes: last.notes,
  };
}

interface ScenarioPlace {
  readonly file: string;
  readonly notes: readonly string[];
  readonly request: RecordRequest;
  readonly withTimes: boolean;
}

/**
 * Writes the scenario and plays it. It must end as the run did; the way it takes is written down as it is played, since
 * what ran side by side may come in another order.
 */
async function writtenAndPlayed(
  recording: Recording,
  played: Play,
  { file, notes, request, withTimes }: ScenarioPlace,
): Promise<Pick<RecordAnswer, "passed" | "problems" | "notes">> {
  const scenario = scenarioOf(recording, played, { file, withTimes });
  const again = () => runScenario(file, { ...request, checked: new Map() });
  const end = endOf(played);
  save(file, { ...scenario, expected_trace: end }, { notes, request });
  const { events, report } = await again();
  if (!report.passed) return { passed: false, problems: report.problems, notes };
  const trace = traceOf(events);
  const isOther = JSON.stringify(trace) !== JSON.stringify(traceOf(played.events));
  const all = isOther ? [...notes, "Steps that ran side by side come in another order here than in the run."] : notes;
  save(file, { ...scenario, expected_trace: { ...trace, ...end } }, { notes: all, request });
  const { passed, problems } = (await again()).report;
  return { passed, problems, notes: all };
}

/** Every value as it may be shown: what is kept in a repository holds no secret. */
function withoutSecrets(recording: Recording, redactor: Redactor): Recording {
  // What is a secret by its name in one place is one wherever it stands.
  for (const { output } of [...recording.attempts.values()].flat())
    for (const secret of secretsByName(output)) redactor.learn(secret);
  const shown = <Value>(value: Value): Value => redactor.value(value) as Value;
  const attempts = new Map(
    [...recording.attempts].map(([key, list]) => [
      key,
      list.map((one) => ({
        ...one,
        ...("output" in one ? { output: shown(one.output) } : {}),
        ...(one.error
          ? { error: { ...one.error, ...shown({ message: one.error.message, details: one.error.details }) } }
          : {}),
      })),
    ]),
  );
  const secret = new Set(recording.state.hiddenInputs);
  const inputs = Object.fromEntries(
    Object.entries(recording.inputs).map(([name, value]) => [
      name,
      secret.has(name) && typeof value === "string" ? `stand-in-for-${name}` : shown(value),
    ]),
  );
  const replies = new Map([...recording.replies].map(([key, reply]) => [key, shown(reply)]));
  return { ...recording, attempts, inputs, replies, standIns: [...secret] };
}

function notesOn({ runId, state, standIns, attempts }: Recording): readonly string[] {
  const held = [...attempts.values()].flat().filter(({ output }) => JSON.stringify(output)?.includes(REDACTED));
  const steps = [...new Set(held.map(({ node }) => node))];
  return [
    `${recordedFrom(runId).slice(2)}, which ended as ${state.status}.`,
    ...(state.drives > 1
      ? [
          `It was driven ${state.drives} times; a kill or a resume cannot be said here, and the last word of each step counts.`,
        ]
      : []),
    ...(standIns.length > 0 ? [`Stand-ins for secrets: the inputs ${standIns.join(", ")}.`] : []),
    ...(steps.length > 0 ? [`Answers of ${steps.join(", ")} held a secret, which is ${REDACTED} here.`] : []),
  ];
}

function placeFor({ runId, state }: Recording, workflow: string, { cwd, to }: RecordRequest): string {
  const name = `${basename(workflow).replace(/\.ya?ml$/, "")}-${state.status}-${shortRunId(runId)}.scenario.yaml`;
  if (to === undefined) return join(dirname(workflow), "tests", name);
  const path = resolve(cwd, to);
  const found = statSync(path, { throwIfNoEntry: false });
  const isFolder = found?.isDirectory() ?? !/\.ya?ml$/.test(to);
  if (found?.isFile() && !/\.ya?ml$/.test(to)) throw refusal(`${to} is a file, and no scenario's`);
  if (!isFolder && !/\.scenario\.ya?ml$|(^|\/)scenario\.ya?ml$/.test(path))
    throw refusal(
      `${to} would not be found as a scenario: name it ${basename(to).replace(/\.ya?ml$/, "")}.scenario.yaml`,
    );
  return isFolder ? join(path, name) : path;
}

/** Only what an earlier recording of the same run has written is written again. */
function requireFree(file: string, runId: string, { cwd }: RecordRequest): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  const isOurs = found?.isFile() === true && readFileSync(file, "utf8").startsWith(recordedFrom(runId));
  if (found && !isOurs) throw refusal(`${shownPath(file, cwd)} exists already: remove it, or write to another place`);
  const folder = folderOf(file);
  if (!found && lstatSync(folder, { throwIfNoEntry: false }))
    throw refusal(`${shownPath(folder, cwd)}, where long values would be kept, exists already: write to another place`);
}

const recordedFrom = (runId: string): string => `# Recorded from run ${runId}`;

/** For values that are too long for the scenario itself. */
const folderOf = (file: string): string => file.replace(/(\.scenario)?\.ya?ml$/, "");

function scenarioOf(
  recording: Recording,
  played: Play,
  { file, withTimes }: { file: string; withTimes: boolean },
): Scenario {
  const { workflow, inputs, state } = recording;
  const scripts = scriptsOf(played.asked, withTimes);
  return {
    workflow: relative(dirname(file), workflow?.file ?? "")
      .split(sep)
      .join("/"),
    ...(Object.keys(inputs).length > 0 ? { inputs } : {}),
    ...(state.startedBy ? { started_by: state.startedBy } : {}),
    ...scripts,
    ...repliesOf(recording, withTimes),
    strict: true,
  };
}

const endOf = ({ result: { status, exit_code, output } }: Play): Scenario => ({ status, exit_code, output });

function traceOf(events: readonly RunEvent[]): Scenario {
  const { gates_reminded: _, scripts_executed: _scripts, ...trace } = scenarioTrace(visitsOf(events));
  return Object.fromEntries(Object.entries(trace).filter(([, value]) => Object.keys(value).length > 0));
}

/** By kind of call; the answers of a step in the order in which it asked, those that are alike written once. */
function scriptsOf(asked: readonly AskedQuestion[], withTimes: boolean): Scenario {
  const agents: Record<string, unknown[]> = {};
  const lists: Record<"cli_scripts" | "http_scripts" | "mcp_scripts" | "step_scripts", Scenario[]> = {
    ...{ cli_scripts: [], http_scripts: [], mcp_scripts: [], step_scripts: [] },
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

function timeOf({ seconds, error }: RecordedAttempt, withTimes: boolean): Scenario {
  const ranOut = error?.kind === "internal.timeout";
  const takes = Math.round((seconds + (ranOut ? 0.001 : 0)) * 1000) / 1000;
  return takes > 0 && (withTimes || ranOut || takes >= WORTH_TELLING_SECONDS) ? { takes_seconds: takes } : {};
}

function agentAnswer({ output, error, isByRule, changes }: RecordedAttempt): Scenario {
  const came =
    error && !isByRule && error.kind !== "internal.timeout"
      ? { error: envelope(error) }
      : { content: contentOf(output) };
  return { ...came, ...(changes ? { changes } : {}) };
}

/** Free text stands under `result`. */
const contentOf = (output: unknown): unknown =>
  isMapping(output) && Object.keys(output).length === 1 && typeof output.result === "string" ? output.result : output;

const envelope = ({ kind, message, details }: NonNullable<RecordedAttempt["error"]>): Scenario => ({
  ...{ kind, message },
  ...(Object.keys(details).length > 0 ? { details } : {}),
});

function listAndAnswer(
  recorded: RecordedAttempt,
): readonly ["cli_scripts" | "http_scripts" | "mcp_scripts" | "step_scripts", Scenario] {
  const { type, output, error, isByRule } = recorded;
  const ranOut = error?.kind === "internal.timeout";
  const own = error && !isByRule && !ranOut ? { error: envelope(error) } : {};
  switch (type) {
    case "script": {
      const { stdout, stderr, exit_code } = isMapping(output) ? output : {};
      const isJudged = error?.kind === "internal.script_error";
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

function repliesOf({ replies, state }: Recording, withTimes: boolean): Scenario {
  const gates: Record<string, unknown> = {};
  const questions: Record<string, unknown> = {};
  for (const reply of replies.values()) {
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

function gateReply(reply: RecordedReply & { readonly kind: "gate" }, withTimes: boolean): Scenario {
  const { value, additional_input, person, seconds } = reply;
  return {
    value,
    ...(Object.keys(additional_input).length > 0 ? { additional_input } : {}),
    ...(person === undefined ? {} : { by: person }),
    ...(withTimes && seconds > 0 ? { takes_seconds: Math.round(seconds * 1000) / 1000 } : {}),
  };
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

interface Saving {
  readonly notes: readonly string[];
  readonly request: RecordRequest;
}

function save(file: string, scenario: Scenario, { notes, request }: Saving): void {
  const folder = folderOf(file);
  mkdirSync(dirname(file), { recursive: true });
  rmSync(folder, { recursive: true, force: true });
  const shared = request.extends === undefined ? scenario : difference(scenario, file, request);
  let count = 0;
  /** A long value as a file of its own, where that is read back as it was. */
  const large = (value: unknown): unknown => {
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 1);
    if (text === undefined || text.length <= LONGEST_INLINE) return inside(value);
    const isText = typeof value === "string";
    if (isText && !staysText(value)) return value;
    const parts = isText ? value : inside(value);
    if (!isText && JSON.stringify(parts) !== JSON.stringify(value)) return parts;
    count += 1;
    const name = `${count}.${isText ? "txt" : "json"}`;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), text);
    return new Included(`${basename(folder)}/${name}`);
  };
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(large);
    if (!isMapping(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, large(one)]));
  };
  const sections = Object.fromEntries(Object.entries(shared).map(([key, value]) => [key, inside(value)]));
  const comment = notes.map((note) => `# ${note.replaceAll("\n", " ")}\n`).join("");
  writeFileSync(file, comment + stringify(sections, { lineWidth: 0, customTags: [INCLUDED] }));
}

/** Text that YAML takes for a structure would come back as one. */
function staysText(text: string): boolean {
  if (text.includes("\r")) return false;
  try {
    return typeof parse(text) !== "object";
  } catch {
    return true;
  }
}

class Included {
  constructor(readonly path: string) {}
}

const INCLUDED = {
  tag: "!file",
  identify: (value: unknown) => value instanceof Included,
  resolve: (text: string) => new Included(text),
  stringify: ({ value }: { value?: unknown }) => (value as Included).path,
};

/** Without what the base has already. */
function difference(scenario: Scenario, file: string, { cwd, extends: base = "" }: RecordRequest): Scenario {
  const path = resolve(cwd, base);
  const there = loadScenario(base, cwd).scenario as Scenario;
  const own: Scenario = { extends: relative(dirname(file), path).split(sep).join("/") };
  for (const [name, value] of Object.entries(scenario)) {
    if (name === "workflow" || same(value, there[name])) continue;
    const known = there[name];
    own[name] =
      name !== "expected_trace" && isMapping(value) && isMapping(known)
        ? Object.fromEntries(Object.entries(value).filter(([key, one]) => !same(one, known[key])))
        : value;
  }
  return own;
}

/** As the file is read: defaults filled in count as nothing. */
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
