// Everything that a drive needs, put together in two places only: fresh.ts for a run's first drive, recorded.ts for
// every further one, whether it is driven or only rehearsed.
import type { Start } from "../../engine/keyframe.ts";
import type { Emit } from "../../events/registry.ts";
import type { RunState } from "../../events/state/state.ts";
import type { Recall, RecallFold } from "../../events/visits/recall.ts";
import type { HostClock } from "../../hosts/clock.ts";
import type { Drive, DriveOptions } from "../../hosts/drive.ts";
import type { Durability } from "../../hosts/run-reader.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { PROVIDERS } from "../../language/schema/names.ts";
import { COMMAND_LINE } from "../../results/index.ts";
import type { Result } from "../../results/result.ts";
import type { StepWorld } from "../../steps/world.ts";
import { refusal } from "../refusals.ts";
import type { ResumeRequest, RunOrigin } from "../request.ts";
import type { Session } from "../session/session.ts";
import type { Inherited } from "./export-events.ts";
import type { PreparedInputs } from "./given-inputs.ts";
import type { KeyframeFacts } from "./keyframe-facts.ts";
import type { FolderHere } from "./real-world.ts";
import type { ScenarioPart, Scripted } from "./scripted.ts";

export interface DriveSetup extends PreparedInputs {
  /** With what the run's own file and project bring, and in `env` a scenario's variables on top. */
  readonly session: Session;
  readonly workflow: LoadedWorkflow;
  readonly durability: Durability;
  /** Whom agents ask, whatever the files say. */
  readonly provider?: string;
  readonly origin: RunOrigin;
  readonly clock: HostClock;
  readonly world: StepWorld;
  /** On a worker: where a folder of the workflow is. */
  readonly folderHere?: FolderHere;
  /** The run as it was when the drive begins; every event of the drive is folded into it. */
  readonly state: RunState;
  readonly recall: Recall;
  /** What an earlier drive left of `errors.jsonl`. */
  readonly inherited?: Inherited;
  /** Absent where no keyframes are kept. */
  readonly keyframes?: DriveKeyframes;
  /** Of a run that has ended by itself: only these lost items run, each alone, and its end stays as it was. */
  readonly lostItems?: ReadonlySet<string>;
  /** A scenario answers for the world and for people. Such a run neither reads nor writes what real runs share. */
  readonly scripted?: Scripted;
  readonly scenario?: Pick<ScenarioPart, "file" | "texts">;
  begin(note: Emit): void;
  close(): Promise<void>;
}

export interface DriveKeyframes {
  readonly facts: KeyframeFacts;
  /** What earlier drives recorded; nothing in a first drive. */
  readonly recall?: RecallFold;
  /** Where the drive begins, if that is at a keyframe. */
  readonly start?: Start;
}

export interface DriveRequest extends Pick<ResumeRequest, "maxIterations" | "skipGates" | "rerun" | "skipWaits"> {
  /** Of a drive that may be left before its end: its port, and a promise that fails when it is left. */
  readonly leaving?: {
    readonly portOf: (options: DriveOptions, isScripted: boolean) => Drive;
    readonly left: Promise<never>;
  };
  /** Called when the run has ended, before the end is visible to others. */
  readonly beforeEnd?: (state: RunState, result: Result) => Promise<void>;
}

/** `--provider` and SEGNO_PROVIDER count before the files. A resume goes on with whom the run began. */
export function chosenProvider(
  { env, extensions, reader = COMMAND_LINE }: Session,
  provider: string | undefined,
  before?: string | null,
): string | undefined {
  const name = [provider, before, env.SEGNO_PROVIDER].find((one) => typeof one === "string" && one !== "");
  if (!name) return undefined;
  const known = [...PROVIDERS.filter((one) => one !== "scripted"), ...Object.keys(extensions?.providers ?? {})];
  if (known.includes(name)) return name;
  throw refusal(`there is no provider ${name}; Segno knows ${known.join(", ")}`, {
    errorType: "UnknownProvider",
    hint: `Choose one of them with ${reader.give({ what: "provider" })}, or leave it out: the file says whom it asks.`,
  });
}
