// What the earlier drives of a run recorded: all of it, or the last keyframe and what came after it.
import type { RunEvent } from "../../base/events/registry.ts";
import { apply, initialState } from "../../base/events/state/fold.ts";
import { unpackState } from "../../base/events/state/packed-state.ts";
import type { RunState } from "../../base/events/state/state.ts";
import { RecallFold } from "../../base/events/visits/recall.ts";
import { createRedactor, type HowKnown } from "../../base/redact/index.ts";
import { learnSecrets } from "../../base/results/index.ts";
import type { RunReader } from "../../storage/run-reader.ts";
import { eachEvent } from "../reading/read-run.ts";
import { ErrorLines } from "./error-lines.ts";
import { KeyframeFacts, lastKeyframe, type RunKeyframe } from "./keyframe.ts";
import type { Inherited } from "./port.ts";

export interface History {
  readonly state: RunState;
  readonly recall: RecallFold;
  /** The scenario that the run was made with: its steps never did anything for real. */
  readonly scenario?: string;
  /** Of the scenario, when the command said other than the file. */
  readonly strict?: boolean;
  /** Members that a group lost in a drive that was cut off before it was known who takes their errors. */
  readonly inherited: Inherited;
  /** What was recorded under secret-looking names. */
  readonly secrets: ReadonlyMap<string, HowKnown>;
  readonly facts: KeyframeFacts;
  /** Where the reading began, if that was not the first event: what is before it is in none of these but the state. */
  readonly keyframe?: RunKeyframe;
}

type ReadRun = Pick<RunReader, "runId" | "events" | "keyframe">;

export const readHistory = (run: ReadRun): Promise<History> => readFrom(run, undefined);

/** From the last keyframe on, if a resume may begin there as far as the journal tells; else all of it. */
export async function historyFromKeyframe(run: ReadRun): Promise<History> {
  const keyframe = lastKeyframe(run);
  if (!keyframe) return readHistory(run);
  const walks = new WalkedAgain();
  const read = await readFrom(run, keyframe, (event) => walks.add(event));
  return walks.hasAny ? readHistory(run) : read;
}

export async function stateFromKeyframe(run: ReadRun): Promise<RunState> {
  const keyframe = lastKeyframe(run);
  const state = keyframe ? unpackState(keyframe.state) : initialState(run.runId);
  await eachEvent(run.events(keyframe?.seq), (event) => apply(state, event));
  return state;
}

async function readFrom(
  run: ReadRun,
  keyframe: RunKeyframe | undefined,
  hear: (event: RunEvent) => void = () => {},
): Promise<History> {
  const state = keyframe ? unpackState(keyframe.state) : initialState(run.runId);
  const recall = new RecallFold(
    keyframe && { ledger: keyframe.facts.ledger, definitions: keyframe.position.definitions },
  );
  const facts = new KeyframeFacts(keyframe?.facts);
  const target = { appendErrors: () => {} };
  const noSecrets = createRedactor({ secrets: [] });
  const errors = new ErrorLines(target, noSecrets, run.runId, keyframe?.openErrors, keyframe?.writtenErrors);
  const secrets = new Map<string, HowKnown>();
  const secretSink = {
    learn(secret: string, known: HowKnown = "for sure"): void {
      if (known !== "by name" || !secrets.has(secret)) secrets.set(secret, known);
    },
  };
  let scenario: unknown;
  let strict: unknown;
  await eachEvent(run.events(keyframe?.seq), (event) => {
    hear(event);
    apply(state, event);
    recall.add(event);
    facts.add(event);
    errors.see(event);
    learnSecrets(event, secretSink);
    if (event.type === "workflow_started") ({ scenario, strict } = event.data.system);
  });
  return {
    state,
    recall,
    secrets,
    facts,
    // Those that a walk comes to again are recorded again: it learns from that which errors have a line.
    inherited: { openErrors: errors.open, writtenErrors: keyframe?.writtenErrors },
    keyframe,
    scenario: typeof scenario === "string" ? scenario : undefined,
    strict: typeof strict === "boolean" ? strict : undefined,
  };
}

/** Whether a drive after the keyframe walked from the beginning: the keyframe has nothing of what it recorded. */
class WalkedAgain {
  hasAny = false;
  #isOpen = false;

  add({ type }: RunEvent): void {
    if (type === "run_resumed") this.#isOpen = true;
    else if (type === "keyframe_resumed") this.#isOpen = false;
    else if (type === "items_retried" || (this.#isOpen && OF_A_VISIT.has(type))) this.hasAny = true;
  }
}

const OF_A_VISIT: ReadonlySet<RunEvent["type"]> = new Set([
  "agent_started",
  "agent_reused",
  "agent_failed",
  "error_raised",
  "parallel_started",
  "for_each_started",
]);
