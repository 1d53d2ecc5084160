// What the earlier drives of a run recorded.
import { apply, initialState } from "../../events/fold.ts";
import { RecallFold } from "../../events/recall-fold.ts";
import type { RunState } from "../../events/state.ts";
import type { RunReader } from "../../hosts/run-reader.ts";
import { createRedactor, type HowKnown } from "../../redact/index.ts";
import { learnSecrets } from "../../results/index.ts";
import { eachEvent } from "../runs/read-run.ts";
import { ErrorLines, type OpenLine } from "./error-lines.ts";

export interface History {
  readonly state: RunState;
  readonly recall: RecallFold;
  /** The scenario that the run was made with: its steps never did anything for real. */
  readonly scenario?: string;
  /** Of the scenario, when the command said other than the file. */
  readonly strict?: boolean;
  /** Members that a group lost in a drive that was cut off before it was known who takes their errors. */
  readonly openErrors: readonly OpenLine[];
  /** What was recorded under secret-looking names. */
  readonly secrets: ReadonlyMap<string, HowKnown>;
  /** The folders that coding agents worked in. */
  readonly agentFolders: ReadonlySet<string>;
}

export async function readHistory(run: Pick<RunReader, "runId" | "events">): Promise<History> {
  const state = initialState(run.runId);
  const recall = new RecallFold();
  const errors = new ErrorLines({ appendErrors: () => {} }, createRedactor({ secrets: [] }), run.runId);
  const secrets = new Map<string, HowKnown>();
  const secretSink = {
    learn(secret: string, known: HowKnown = "for sure"): void {
      if (known !== "by name" || !secrets.has(secret)) secrets.set(secret, known);
    },
  };
  const agentFolders = new Set<string>();
  let scenario: unknown;
  let strict: unknown;
  await eachEvent(run.events(), (event) => {
    apply(state, event);
    recall.add(event);
    errors.see(event);
    learnSecrets(event, secretSink);
    if (event.type === "agent_session" && event.data.working_dir !== undefined)
      agentFolders.add(event.data.working_dir);
    if (event.type === "workflow_started") ({ scenario, strict } = event.data.system);
  });
  return {
    state,
    recall,
    secrets,
    agentFolders,
    openErrors: errors.open,
    ...(typeof scenario === "string" ? { scenario } : {}),
    ...(typeof strict === "boolean" ? { strict } : {}),
  };
}
