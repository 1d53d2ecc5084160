// `segno test --record`: makes a scenario of a run, plays it, and says whether it passes.
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { parse, stringify } from "yaml";
import type { Envelope } from "../../base/errors/index.ts";
import { isMapping, unlessItThrows } from "../../base/errors/mapping.ts";
import { shortRunId } from "../../base/events/typeable.ts";
import { REDACTED, type Redactor, secretsByName } from "../../base/redact/index.ts";
import { COMMAND_LINE, type Head, head } from "../../base/results/index.ts";
import { familySources, type LoadedWorkflow } from "../../language/loaded.ts";
import { redactorFor } from "../../services/reading/read-run.ts";
import { orRefused, refusal } from "../../services/refusals.ts";
import { filesOf, shownPath } from "../../services/session/files.ts";
import type { Session } from "../../services/session/session.ts";
import { type RunNamed, withReader } from "../../services/session/store.ts";
import { validWorkflow } from "../../services/workflows/valid-workflow.ts";
import { loadScenario } from "../scenarios/file.ts";
import { runScenario } from "../scenarios/run-scenario.ts";
import { editedFiles, wrongEdits } from "../scenarios/workflow-of-scenario.ts";
import { byPlace, playRun, whyNotPlayed } from "./play.ts";
import { type Recording, recordingOf } from "./recording.ts";
import { endOf, scenarioOf, traceOf, type WrittenScenario } from "./scenario-of-run.ts";

export interface RecordRequest extends RunNamed {
  /** A file, or a folder for one; `tests` beside the workflow when left out. */
  readonly to?: string;
  /** A scenario whose fields need not stand here again. */
  readonly extends?: string;
  /** The scenario ends after this step. */
  readonly until?: string;
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

export const recordScenario = (session: Session, request: RecordRequest): Promise<RecordAnswer> =>
  orRefused(session, { run_id: null, file: null, passed: false, problems: [], notes: [] }, () =>
    withReader(session, request, async (reader) => {
      const recording = await recordingOf(reader, session);
      return write(recordingToKeep(recording, await redactorFor(reader, session)), session, request);
    }),
  );

async function write(recording: Recording, session: Session, request: RecordRequest): Promise<RecordAnswer> {
  const { runId, workflow: whole, state } = recording;
  if (!whole) throw refusal(`run ${runId} ended before its file was read, so there is nothing to record`);
  if (!existsSync(whole.file))
    throw refusal(`${shownPath(whole.file, session.cwd)}, which run ${runId} was driven with, is gone`);
  if (state.status === "running")
    throw refusal(`run ${runId} has no end yet: a scenario is made of one that has, or that waits for a person`);
  const workflow = request.until === undefined ? whole : endedAfter(whole, request.until, session);
  const played = await playRun(recording, workflow, byPlace(recording), session);
  if (state.status === "cancelled" && played.unanswered)
    throw refusal(
      `run ${runId} was cut off in ${[...played.unanswered.path, played.unanswered.node].join("/")}, and nothing is known of what that would have been answered. Resume it first.`,
    );
  // Up to a step it may end otherwise than the run did.
  const problem = played.unanswered || request.until === undefined ? whyNotPlayed(recording, played) : undefined;
  if (problem !== undefined) throw refusal(`run ${runId} cannot be made a scenario: ${problem}`);
  const file = placeFor(recording, workflow.file, session, request);
  request.confine?.(file);
  requireOpenFolder(file, session);
  requireFree(file, runId, session);
  const notes = notesOn(recording);
  /** It must end as the run did; the way is written as played: what ran side by side may come in another order. */
  const writtenAndPlayed = async (withTimes: boolean): Promise<Pick<RecordAnswer, "passed" | "problems" | "notes">> => {
    const own = scenarioOf(recording, played, { file, withTimes });
    const scenario = request.until === undefined ? own : { ...own, until: request.until };
    const again = () => runScenario(file, session, { checked: new Map() });
    const end = endOf(played);
    const saving = { cwd: session.cwd, base: request.extends };
    saveScenario(file, { ...scenario, expected_trace: end }, { ...saving, notes });
    const { events, report } = await again();
    if (!report.passed) return { passed: false, problems: report.problems, notes };
    const trace = traceOf(events);
    const isOther = JSON.stringify(trace) !== JSON.stringify(traceOf(played.events));
    const all = isOther ? [...notes, "Steps that ran side by side come in another order here than in the run."] : notes;
    saveScenario(file, { ...scenario, expected_trace: { ...trace, ...end } }, { ...saving, notes: all });
    const { passed, problems } = (await again()).report;
    return { passed, problems, notes: all };
  };
  // Times matter only where steps run side by side; most scenarios read better without them.
  const plain = await writtenAndPlayed(false);
  const last = plain.passed ? plain : await writtenAndPlayed(true);
  return {
    ...head(last.passed ? 0 : 1),
    error: last.passed ? null : "the scenario does not pass as it was recorded",
    run_id: runId,
    file: shownPath(file, session.cwd),
    ...last,
  };
}

/** Folders such as `.git` and `.github` hold what other programs act on, and no list shows files in them. */
function requireOpenFolder(file: string, { cwd, reader = COMMAND_LINE }: Session): void {
  const parts = relative(cwd, file).split(sep);
  const hidden = parts.find((part) => part.startsWith(".") && part !== ".." && part !== ".");
  if (hidden !== undefined)
    throw refusal(`the recording is not written to ${shownPath(file, cwd)}: ${hidden} begins with a dot`, {
      hint: `Name a place whose folders do not begin with a dot: ${reader.give({ what: "option", name: "to" })}.`,
    });
}

/** The file as the run was driven with it, up to that step. */
function endedAfter(workflow: LoadedWorkflow, until: string, session: Session): LoadedWorkflow {
  const { file, sources } = workflow;
  const [wrong] = wrongEdits(sources.get(file) ?? "", { until });
  if (wrong) throw refusal(wrong.message);
  const here = filesOf(session);
  const pinned = familySources(workflow);
  const read = (path: string): Uint8Array => {
    const text = pinned.get(path);
    return text === undefined ? here.read(path) : Buffer.from(text);
  };
  return validWorkflow(file, session, { asChild: true }, editedFiles({ ...here, read }, file, { until }));
}

/** Every value as it may be shown: what is kept in a repository holds no secret. */
export function recordingToKeep(recording: Recording, redactor: Redactor): Recording {
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
          ? { error: { ...one.error, ...shown({ message: one.error.message, details: detailsToKeep(one.error) }) } }
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
  const verdicts = new Map([...recording.verdicts].map(([key, list]) => [key, shown(list)]));
  return { ...recording, attempts, verdicts, inputs, replies, standIns: [...secret] };
}

/** The PATH of this machine is no one else's. */
const detailsToKeep = ({ kind, details }: Envelope): Envelope["details"] =>
  kind === "internal.command_not_found" && details.path ? { ...details, path: "$PATH" } : details;

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

function placeFor({ runId, state }: Recording, workflow: string, { cwd }: Session, { to }: RecordRequest): string {
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
function requireFree(file: string, runId: string, { cwd }: Session): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  const isOurs = found?.isFile() === true && readFileSync(file, "utf8").startsWith(recordedFrom(runId));
  if (found && !isOurs) throw refusal(`${shownPath(file, cwd)} exists already: remove it, or write to another place`);
  const folder = folderOf(file);
  if (!found && lstatSync(folder, { throwIfNoEntry: false }))
    throw refusal(`${shownPath(folder, cwd)}, where long values would be kept, exists already: write to another place`);
}

const recordedFrom = (runId: string): string => `# Recorded from run ${runId}`;

/** Longer values go into files beside the scenario. */
const LONGEST_INLINE = 4096;

const folderOf = (file: string): string => file.replace(/(\.scenario)?\.ya?ml$/, "");

interface Saving {
  /** Comments above it. */
  readonly notes: readonly string[];
  readonly cwd: string;
  /** A scenario whose fields are left out here. */
  readonly base?: string | undefined;
}

function saveScenario(file: string, scenario: WrittenScenario, { notes, cwd, base }: Saving): void {
  const folder = folderOf(file);
  mkdirSync(dirname(file), { recursive: true });
  rmSync(folder, { recursive: true, force: true });
  const shared = base === undefined ? scenario : difference(scenario, file, { cwd, base });
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
  return unlessItThrows(() => typeof parse(text) !== "object", true);
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

function difference(
  scenario: WrittenScenario,
  file: string,
  { cwd, base }: { readonly cwd: string; readonly base: string },
): WrittenScenario {
  const path = resolve(cwd, base);
  const there = loadScenario(base, cwd).scenario as WrittenScenario;
  const own: WrittenScenario = { extends: relative(dirname(file), path).split(sep).join("/") };
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
