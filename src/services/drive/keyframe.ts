// Keyframes: a run's state between two visits of root nodes, kept in its journal. A resume begins at the last keyframe
// if everything that earlier steps depend on is unchanged, else at the beginning. The result is the same without
// keyframes.
import { createHmac } from "node:crypto";
import type { RunEvent } from "../../base/events/registry.ts";
import { type PackedLedger, RunLedger } from "../../base/events/run-ledger.ts";
import { type PackedState, packState, unpackState } from "../../base/events/state/packed-state.ts";
import type { RunState } from "../../base/events/state/state.ts";
import type { FileDigest } from "../../base/events/step-files.ts";
import { UnansweredGates } from "../../base/events/unanswered-gates.ts";
import type { RecallFold } from "../../base/events/visits/recall.ts";
import type { KeyframeKeeper } from "../../engine/frame.ts";
import { type FramePosition, framePosition, type Start } from "../../engine/keyframe.ts";
import { environmentDigest, fileDigest, type HashWorld } from "../../engine/visit/hash.ts";
import { familyOf, type LoadedWorkflow } from "../../language/loaded.ts";
import { allowedWork } from "../../language/schema/section-defaults.ts";
import type { StepWorld } from "../../steps/world.ts";
import type { RunLog } from "../../storage/run-log.ts";
import type { RunReader } from "../../storage/run-reader.ts";
import type { RunStore } from "../../storage/store.ts";
import { knownFor } from "../project/people-of-run.ts";
import type { ResumeRequest } from "../request.ts";
import { version } from "../session/home.ts";
import type { Session } from "../session/session.ts";
import { isGoverned } from "../workflows/valid-workflow.ts";
import type { OpenLine } from "./error-lines.ts";
import type { EventExport } from "./port.ts";

interface PackedFacts {
  readonly ledger: PackedLedger;
  readonly files: readonly FileDigest[];
  readonly agentFolders: readonly string[];
  /** Gates for certain people that wait. Not in keyframes of 0.3.0. */
  readonly gates?: readonly (readonly [string, string])[];
}

/** A resume looks at every one of them. */
const MOST_FILES = 1_000;

export class KeyframeFacts {
  readonly agentFolders: Set<string>;
  readonly #ledger: RunLedger;
  readonly #files: Map<string, string>;
  readonly #gates: UnansweredGates;
  /** Of scripts that run: by the key of their visit. */
  readonly #named = new Map<string, readonly FileDigest[]>();
  #areFilesSteady = true;

  constructor(packed?: PackedFacts) {
    this.agentFolders = new Set(packed?.agentFolders);
    this.#ledger = new RunLedger(packed?.ledger);
    this.#files = new Map(packed?.files.map(({ path, digest }) => [path, digest]));
    this.#gates = new UnansweredGates(packed?.gates);
  }

  /** A file that is not now as some script had it: a resume has to look at each step that named it. */
  get areFilesSteady(): boolean {
    return this.#areFilesSteady && this.#files.size <= MOST_FILES;
  }

  packed(): PackedFacts {
    const files = [...this.#files].map(([path, digest]) => ({ path, digest }));
    const [agentFolders, gates] = [[...this.agentFolders], [...this.#gates.all]];
    return { ledger: this.#ledger.packed(), files, agentFolders, gates };
  }

  add(event: RunEvent): void {
    this.#ledger.add(event);
    this.#gates.add(event);
    switch (event.type) {
      case "script_started":
        if (event.data.files?.length) this.#named.set(event.data.key ?? "", event.data.files);
        break;
      case "script_completed":
      case "script_failed":
        this.#ended(event.data.key ?? "", event.data.changed_files ?? []);
        break;
      case "agent_reused":
        for (const file of event.data.files ?? []) this.#keep(file);
        break;
      case "agent_session":
        if (event.data.working_dir !== undefined) this.agentFolders.add(event.data.working_dir);
        break;
      default:
    }
  }

  #ended(key: string, changed: readonly string[]): void {
    for (const file of this.#named.get(key) ?? []) if (!changed.includes(file.path)) this.#keep(file);
    this.#named.delete(key);
  }

  #keep({ path, digest }: FileDigest): void {
    if ((this.#files.get(path) ?? digest) !== digest) this.#areFilesSteady = false;
    this.#files.set(path, digest);
  }
}

export interface RunKeyframe {
  readonly version: 1;
  readonly seq: number;
  /** Of all that hashes and routes of the visits before it depend on, but the files in `facts`. */
  readonly digest: string;
  readonly position: FramePosition;
  readonly state: PackedState;
  readonly facts: PackedFacts;
  readonly openErrors: readonly OpenLine[];
  readonly writtenErrors: readonly string[];
}

/** Visits of the root's nodes between two keyframes. */
const EVERY = 200;
/** Where a keyframe is large, so many characters of it for each visit: it never costs more than the journal itself. */
const CHARACTERS_EACH = 200;
const MOST_ERRORS = 1_000;

/** `off` neither keeps any nor begins at one, a number keeps one after so many visits. No answer may change. */
export const areKeyframesOff = (env: Session["env"]): boolean => env.SEGNO_KEYFRAMES === "off";

/** Keeps a keyframe now and then, where a resume could go on from it. */
export function keepingKeyframes(kept: {
  readonly env: Session["env"];
  readonly log: Partial<Pick<RunLog, "keepKeyframe" | "flush">>;
  readonly facts: KeyframeFacts;
  readonly recall: RecallFold | undefined;
  readonly state: RunState;
  readonly exporting: EventExport;
  readonly digest: () => string;
  commit(): void | Promise<void>;
}): KeyframeKeeper {
  const { env, log, facts, recall, state, exporting } = kept;
  const asked = Number(env.SEGNO_KEYFRAMES || Number.NaN);
  let every = asked > 0 ? asked : EVERY;
  let visits = 0;
  let digest: string | undefined;
  let isPast = recall === undefined;
  const mayKeep = (reached: ReadonlyMap<string, number>): boolean => {
    isPast ||= recall?.isAheadOf(reached) === false;
    return isPast && facts.areFilesSteady && !exporting.hasTaught && exporting.errors.written.size <= MOST_ERRORS;
  };
  const keep = (position: FramePosition): void => {
    // What is before the keyframe is then in `events.jsonl`: a resume adds only what comes after it.
    log.flush?.();
    digest ??= kept.digest();
    const text = JSON.stringify({
      version: 1,
      seq: state.seq,
      digest,
      position,
      state: packState(state),
      facts: facts.packed(),
      openErrors: exporting.errors.open,
      writtenErrors: [...exporting.errors.written],
    } satisfies RunKeyframe);
    log.keepKeyframe?.(text);
    if (!(asked > 0)) every = Math.max(EVERY, text.length / CHARACTERS_EACH);
  };
  return {
    beforeVisit(frame, node, led) {
      visits += 1;
      if (visits < every || !frame.reuse) return undefined;
      visits = 0;
      if (!mayKeep(frame.visits)) return undefined;
      const written = kept.commit();
      return written
        ? written.then(() => keep(framePosition(frame, node, led)))
        : keep(framePosition(frame, node, led));
    },
  };
}

interface DependedOn {
  readonly session: Session;
  readonly workflow: LoadedWorkflow;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly provider?: string;
}

/**
 * A digest of the files, what they name of the environment, the inputs, the versions of all that runs steps, and all else
 * that validation rules look at.
 */
export function keyframeDigest(
  { session, workflow, inputs, provider }: DependedOn,
  { skipGates }: Pick<ResumeRequest, "skipGates">,
  hashing: HashWorld,
): string {
  const hmac = createHmac("sha256", hashing.key);
  const add = (value: unknown): unknown => hmac.update(`${JSON.stringify(value)}\0`);
  add([version(), provider, skipGates === true, fileDigest(workflow), inputs]);
  for (const { file, definition, raw } of familyOf(workflow))
    add([file, definition, environmentDigest(raw, hashing, definition.semantics.variables)]);
  const { stepTypes = {}, ...known } = knownFor(workflow.file, session);
  add(known);
  // Those of the program itself are as old as it is.
  for (const [type, { version: own, fields }] of Object.entries(stepTypes)) add([type, own, fields]);
  return hmac.digest("hex");
}

/** The last keyframe of a run; nothing where there is none that this version can read. */
export function lastKeyframe(run: Pick<RunReader, "keyframe">): RunKeyframe | undefined {
  const text = run.keyframe?.();
  if (text === undefined) return undefined;
  const keyframe = JSON.parse(text) as RunKeyframe;
  return keyframe.version === 1 ? keyframe : undefined;
}

export function startOf({ seq, position, state }: RunKeyframe): Start {
  const { root } = unpackState(state);
  const nodes = [...root.nodes.values()].filter(({ drive }) => drive === root.drive);
  return {
    position,
    recorded: {
      seq,
      visits: position.visits.reduce((sum, [, visits]) => sum + visits, 0),
      nodes: nodes.map(({ name, key, status, handedTo }) => ({ name, key, status, handed_to: handedTo ?? undefined })),
    },
  };
}

/** Whether a drive may begin at the keyframe: whether a walk would reuse all that is before it, and come there too. */
export async function isAsThen(
  { digest, facts, position }: RunKeyframe,
  setup: DependedOn & { readonly world: StepWorld; readonly state: RunState },
  request: Pick<ResumeRequest, "skipGates" | "maxIterations" | "maxVisits">,
  store: RunStore,
): Promise<boolean> {
  const { workflow, world } = setup;
  const most = allowedWork(workflow.definition, request);
  if (position.context.executions > most.iterations) return false;
  if (position.visits.some(([, visits]) => visits > most.visits)) return false;
  if (digest !== keyframeDigest(setup, request, hashingFor(store, setup.state.runId, setup.session.env))) return false;
  if ((world.files?.changed(facts.files, workflow.dir) ?? []).length > 0) return false;
  if (isGoverned(workflow)) return false;
  return (await store.state.letters.list({ runId: setup.state.runId, limit: 1 })).length === 0;
}

/** The key is read, and perhaps made, only for a workflow that needs it. */
export const hashingFor = (store: RunStore, runId: string, env: HashWorld["env"]): HashWorld => ({
  env,
  get key() {
    return store.hashKeyOf?.(runId) ?? store.hashKey;
  },
});
