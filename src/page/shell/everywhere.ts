// What the palette finds wherever one is: all runs, workflows, kinds and the steps that failed. Asked when it opens.
import { endingWords } from "../../errors/who-handles.ts";
import type { ErrorsJson } from "../../server/contract/letters.ts";
import type { RunsJson } from "../../server/contract/runs.ts";
import type { WorkflowsJson } from "../../server/contract/workflows.ts";
import { get } from "../api/client.ts";
import { workflowPath } from "../state/actions.ts";
import { addressOf, go } from "../state/address.ts";
import type { Findable } from "./found.ts";

const MOST_RUNS = 200;
const runPath = (id: string): string => `/runs/${encodeURIComponent(id)}`;

/** Each part is found as soon as it is there; one that cannot be had leaves the others. */
export function findEverywhere(add: (found: readonly Findable[]) => void, signal: AbortSignal): void {
  const ask = <Answer>(path: string, given: Record<string, number>, read: (answer: Answer) => readonly Findable[]) =>
    get<Answer>(path, given, signal).then(
      (answer) => !signal.aborted && add(read(answer)),
      () => undefined,
    );
  void ask("/api/runs", { limit: MOST_RUNS }, runsIn);
  void ask("/api/workflows", {}, workflowsIn);
  void ask("/api/errors", {}, stepsIn);
}

const runsIn = ({ runs, kinds }: RunsJson): readonly Findable[] => [
  ...runs.map(({ run_id, workflow, status, kind }) => ({
    text: `${workflow} ${kind ?? status}`,
    what: `run · ${run_id}`,
    run: () => go(runPath(run_id)),
  })),
  ...kinds.map((kind) => ({ text: kind, what: "kind · its runs", run: () => go(addressOf("/", { kind })) })),
];

const workflowsIn = ({ workflows }: WorkflowsJson): readonly Findable[] =>
  workflows.map(({ file, workflow }) => ({
    text: workflow ?? file,
    what: `workflow · ${file}`,
    run: () => go(workflowPath(file)),
  }));

const stepsIn = ({ groups }: ErrorsJson): readonly Findable[] =>
  groups.flatMap(({ step, kind, error_type, workflow, newest }) =>
    step === null
      ? []
      : [
          {
            text: step,
            what: `step of ${workflow} · ${kind ?? endingWords(error_type ?? "")}`,
            run: () => go(addressOf(runPath(newest.run), { step: newest.step, item: newest.item })),
          },
        ],
  );
