// Protects a waiting gate from being bypassed on resume: refuses an edited file without the gate or with another, other
// inputs, and whatever would not come back to it. One for certain people is protected until it is answered.
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { askerName } from "../../base/events/asker-name.ts";
import { enclosingGroupKeys, isInside, stepOfKey } from "../../base/events/key.ts";
import { UnansweredGates } from "../../base/events/unanswered-gates.ts";
import type { Question } from "../../engine/people/ask.ts";
import { requiredSources } from "../../features/fleet/work/fleet-request.ts";
import { loadWorkflow } from "../../language/load.ts";
import { familyOf, familySources, type LoadedWorkflow, stepsOf } from "../../language/loaded.ts";
import type { RunReader } from "../../storage/run-reader.ts";
import type { RunStore } from "../../storage/store.ts";
import { areKeyframesOff, lastKeyframe } from "../drive/keyframe.ts";
import { type History, readHistory } from "../drive/read-history.ts";
import { recorded } from "../drive/recorded.ts";
import { PinnedDefinition } from "../reading/definition.ts";
import { eachEvent } from "../reading/read-run.ts";
import { refusal } from "../refusals.ts";
import type { GivenInput, Rerun } from "../request.ts";
import { knownTo } from "../session/extensions.ts";
import { filesOfRun } from "../session/files.ts";
import { joinSecrets } from "../session/run-secrets.ts";
import type { Session } from "../session/session.ts";
import { nowOf, withReader } from "../session/store.ts";
import { rehearse } from "./rehearse.ts";

interface GoingOnPastGates {
  readonly run: string;
  /** The edited file, when the run is to go on with another than it was driven with. */
  readonly file?: string;
  readonly inputs?: Readonly<Record<string, GivenInput>>;
  readonly maxIterations?: number;
  readonly maxVisits?: number;
  readonly rerun?: Omit<Rerun, "from" | "force">;
}

/** A gate by its place in the run, and the step that asks. */
type Waiting = ReadonlyMap<string, string>;

/** Refuses a resume that would not come back to each gate that the run waits at, as it was when it asked. */
export const requireGatesHeld = (session: Session, request: GoingOnPastGates): Promise<void> =>
  withReader(session, request, (reader, store) => requireHeldOf(reader, store, session, request));

const limitAsked = ({ maxIterations, maxVisits }: GoingOnPastGates): string | undefined =>
  maxIterations !== undefined
    ? `max_iterations ${maxIterations}`
    : maxVisits === undefined
      ? undefined
      : `max_visits ${maxVisits}`;

async function requireHeldOf(
  reader: RunReader,
  store: RunStore,
  session: Session,
  request: GoingOnPastGates,
): Promise<void> {
  const before = await readHistory(reader);
  const pending = (await store.state.gates.pending(reader.runId)).map(({ question }) => question as Question);
  const waiting: Waiting = new Map(
    [...before.state.gates.values(), ...pending]
      .map(({ key, node }) => [key, node] as const)
      .concat([...(await unansweredGates(reader, session))]),
  );
  if (waiting.size === 0) return;
  const about = { reader, store, before, waiting };
  const goingOn: GoingOn = { ...about, session, request, ...(await bothFiles(session, request, about)) };
  requireSameSteps(goingOn);
  await requireSameWay(goingOn);
}

type GoingOnPastGuarded = GoingOnPastGates & { readonly rerun?: Rerun; readonly provider?: string };

/** Only where an answer is for certain people: everybody with a session could go past such a gate otherwise. */
export const requireGuardedGatesHeld = (session: Session, request: GoingOnPastGuarded): Promise<void> =>
  withReader(session, request, (reader, store) => requireGuardedOf(reader, store, session, request));

/** The same where the run is open already. */
export async function requireGuardedOf(
  reader: RunReader,
  store: RunStore,
  session: Session,
  { provider, ...goingOn }: GoingOnPastGuarded,
): Promise<void> {
  const { from, force } = goingOn.rerun ?? {};
  const [guarded] = (await unansweredGates(reader, session)).keys();
  if (guarded === undefined) return;
  if (from !== undefined || force || provider !== undefined)
    throw held(reader.runId, askerName(guarded), {
      errorType: "GateWaits",
      why: `only certain people may answer it: ${whatGoesPast({ from, force })} could go past it without them`,
      hint: "Let one of them answer it first. On the command line, a user who has the run's files may resume it in any way.",
    });
  await requireHeldOf(reader, store, session, goingOn);
}

const whatGoesPast = ({ from, force }: Rerun): string =>
  force ? "everything again" : from === undefined ? "what agents of another provider answer" : `from ${from} on`;

/** With approvers or four_eyes: gates without an answer, also of a run that was stopped or failed since. */
async function unansweredGates(reader: RunReader, { env }: Session): Promise<ReadonlyMap<string, string>> {
  const keyframe = areKeyframesOff(env) ? undefined : lastKeyframe(reader);
  const known = keyframe?.facts.gates;
  const gates = new UnansweredGates(known);
  await eachEvent(reader.events(known && keyframe.seq), (event) => gates.add(event));
  return gates.all;
}

interface GoingOn extends BothFiles {
  readonly session: Session;
  readonly request: GoingOnPastGates;
  readonly reader: RunReader;
  readonly store: RunStore;
  readonly before: History;
  readonly waiting: Waiting;
}

/** The file as it was when each gate asked, and as it is now. One that does not load is refused by the resume itself. */
interface BothFiles {
  readonly whenAsked: (gate: string) => LoadedWorkflow | undefined;
  readonly now: LoadedWorkflow | undefined;
}

async function bothFiles(
  session: Session,
  request: GoingOnPastGates,
  { reader, store, before, waiting }: Pick<GoingOn, "reader" | "store" | "before" | "waiting">,
): Promise<BothFiles> {
  const { file } = before.state.root;
  const drives = await askingDrives(reader);
  const asked = new Map<number, LoadedWorkflow | undefined>();
  for (const asking of [...waiting.keys()].map(drives)) {
    if (asked.has(asking.drive)) continue;
    // On a fleet, pinned files may have been deleted from the database.
    const pinned = await (store.fleet ? requiredSources(reader, asking) : reader.pinned(asking.drive));
    asked.set(asking.drive, new PinnedDefinition(file, pinned, session).root);
  }
  const edited = request.file === undefined ? file : resolve(session.cwd, request.file);
  const files = filesOfRun(await reader.pinned(), session);
  return {
    whenAsked: (gate) => asked.get(drives(gate).drive),
    now: loadWorkflow(edited, files, knownTo(session.extensions)).workflow,
  };
}

function requireSameSteps({ reader, waiting, whenAsked, now }: GoingOn): void {
  const isSame = ([key, node]: readonly [string, string]): boolean =>
    now === undefined || hasSame(stepsNamed(node, whenAsked(key)), stepsNamed(node, now));
  const [, changed] = [...waiting].find((gate) => !isSame(gate)) ?? [];
  if (changed !== undefined)
    throw held(reader.runId, changed, {
      errorType: "GateChanged",
      why: `${changed} is not in the file as it was when it asked: going on would pass the gate without an answer`,
      hint: `Put ${changed} back as it was and let a person answer it, or let a person resume the run.`,
    });
}

/** The very resume, rehearsed: it asks the same again, after the same steps. */
async function requireSameWay(goingOn: GoingOn): Promise<void> {
  const { session, request, reader, store, before, waiting, whenAsked, now } = goingOn;
  const { runId } = reader;
  const { inputs = {} } = request;
  const earlier = joinSecrets(before.state, await reader.secrets());
  const setup = await recorded(reader, session, { ...request, inputs }, { before });
  const reached: string[] = [];
  const again: string[] = [];
  const begins: string[] = [];
  try {
    const [gate = ""] = waiting.values();
    const other = Object.keys(inputs).find((name) => !isDeepStrictEqual(setup.inputs[name], earlier[name]));
    if (other !== undefined)
      throw held(runId, gate, {
        errorType: "GateWaits",
        why: `it asked about the inputs as they were: ${other} cannot be changed before it is answered`,
        hint: "Resume without inputs and let a person answer, or let a person resume the run with them.",
      });
    await rehearse({
      reader,
      store,
      session,
      setup,
      now: nowOf(store),
      maxIterations: request.maxIterations,
      maxVisits: request.maxVisits,
      ...(request.rerun?.changedFiles ? { changedFiles: true } : {}),
      on: ({ type, data }) => type === "agent_started" && begins.push(data.key),
      asks: ({ key }) => reached.push(key),
      wouldRun: (key) => reached.push(key),
      runsAgain: (key) => again.push(key),
    });
  } finally {
    await setup.close();
  }
  for (const [key, node] of waiting) {
    if (again.length > 0)
      throw held(runId, node, {
        errorType: "GateChanged",
        why: `${askerName(again[0] ?? "")}, which was done before it asked, would run again: what comes of it may lead past the gate`,
        hint: `Undo what was changed before ${node} and let a person answer it, or let a person resume the run.`,
      });
    // What an agent asks is asked when the agent runs.
    if (reached.some((one) => key === one || key.startsWith(`${one}.`))) continue;
    const limit = limitAsked(request);
    if (limit !== undefined)
      throw held(runId, node, {
        errorType: "GateWaits",
        why: `with ${limit} the run would end before it comes to it`,
        hint: "Give it more, or none: the file's own limit counts then.",
      });
    throw held(runId, node, {
      errorType: "GateChanged",
      why: "with the file as it is now the run would go another way: going on would pass the gate without an answer",
      hint: `Undo what was changed before ${node} and let a person answer it, or let a person resume the run.`,
    });
  }
  const beside = now && changedBesideGate({ whenAsked, now, waiting: [...waiting.keys()], begins });
  if (beside)
    throw held(runId, waiting.get(beside.gate) ?? "", {
      errorType: "GateChanged",
      why: `what still runs beside it in ${beside.group} was changed: were it to fail, ${beside.group} would end without an answer`,
      hint: `Put ${beside.group} and its members back as they were and let a person answer the gate, or let a person resume the run.`,
    });
}

const held = (
  runId: string,
  gate: string,
  { errorType, why, hint }: { readonly errorType: string; readonly why: string; readonly hint: string },
) => refusal(`the run ${runId} waits at the gate ${gate}, and ${why}`, { runId, errorType, hint });

const hasSame = (before: ReadonlySet<string>, now: ReadonlySet<string>): boolean =>
  [...before].every((text) => now.has(text));

/** Each step of that name, in the file and in all that it calls, as it reads. */
function stepsNamed(name: string, root: LoadedWorkflow | undefined): ReadonlySet<string> {
  const steps = (root ? familyOf(root) : []).flatMap(({ definition }) => stepsOf(definition));
  return new Set(steps.filter((step) => step.name === name).map((step) => JSON.stringify(step)));
}

interface AskingDrive {
  readonly drive: number;
  /** Of the files that it had. */
  readonly digest: string;
}

/** By the gate's key; one that the journal does not have asked in the last drive. */
async function askingDrives(reader: RunReader): Promise<(key: string) => AskingDrive> {
  const asked = new Map<string, AskingDrive>();
  let now: AskingDrive = { drive: 0, digest: "" };
  await eachEvent(reader.events(), ({ type, data, path }) => {
    if ((type === "workflow_started" && path.length === 0) || type === "run_resumed")
      now = { drive: now.drive + 1, digest: data.definition_hash };
    if (type === "gate_presented" || type === "questions_presented") asked.set(data.key, now);
  });
  return (key) => asked.get(key) ?? now;
}

interface Resumed {
  /** The file as it was when a gate asked; nothing when that is not known. */
  readonly whenAsked: (gate: string) => LoadedWorkflow | undefined;
  readonly now: LoadedWorkflow;
  /** Keys of the gates that wait. */
  readonly waiting: readonly string[];
  /** Keys of all that would begin in a resume. */
  readonly begins: readonly string[];
}

/** A gate beside which something still runs in a group that has changed: a member that fails could end the wait. */
function changedBesideGate({ whenAsked, now, waiting, begins }: Resumed) {
  for (const gate of waiting) {
    const before = whenAsked(gate);
    for (const around of before ? enclosingGroupKeys(gate) : []) {
      const isBeside = (key: string): boolean =>
        isInside(key, around) && key !== gate && !isInside(gate, key) && !waiting.includes(key);
      const group = stepOfKey(around);
      if (begins.some(isBeside) && before && hasChanged(groupsNamed(group, before), groupsNamed(group, now)))
        return { gate, group };
    }
  }
  return undefined;
}

interface Group {
  readonly endsOnFailure: boolean;
  /** The group, its members, and all that these call. */
  readonly text: string;
}

const hasChanged = (before: readonly Group[], now: readonly Group[]): boolean =>
  now.some(({ endsOnFailure, text }) => endsOnFailure && before.every((group) => group.text !== text));

/** Each group of that name, in the file and in all that it calls. */
function groupsNamed(name: string, root: LoadedWorkflow): readonly Group[] {
  const found: Group[] = [];
  for (const workflow of familyOf(root)) {
    const { agents, for_each, parallel } = workflow.definition;
    const called = (step: (typeof agents)[number]): unknown => {
      const child = step.type === "workflow" ? workflow.children.get(step.workflow) : undefined;
      return [step, child ? [...familySources(child)] : []];
    };
    for (const { routes: _, ...group } of [...parallel, ...for_each]) {
      if (group.name !== name) continue;
      const members = "agent" in group ? [group.agent] : agents.filter((step) => group.agents.includes(step.name));
      const text = JSON.stringify([group, members.map(called)]);
      found.push({ endsOnFailure: group.failure_mode === "fail_fast", text });
    }
  }
  return found;
}
