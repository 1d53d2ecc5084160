// Before letters are tried again: how many, in which runs, what would run there and who would be asked.
import { useSignal } from "@preact/signals";
import type { DroppedJson, RetriedJson, RetryBody, RetryPlanJson } from "../../server/contract/letters.ts";
import { newKey, postJson } from "../api/client.ts";
import { sayProblem } from "../state/actions.ts";
import { useLoaded } from "../state/loaded.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Pane } from "./pane.tsx";
import { PlannedDrive } from "./planned-drive.tsx";
import { plural, shortId } from "./text.ts";
import { say } from "./toast.tsx";

type RunPlan = RetryPlanJson["runs"][number];

const isAllowed = ({ plan }: RunPlan): boolean => plan === null || plan.refused.length === 0;
const lettersIn = (runs: readonly RunPlan[]): readonly string[] => runs.flatMap(({ letters }) => letters);
const shownCount = (wanted: RetryBody): number => ("ids" in wanted ? wanted.ids.length : wanted.count);

export function RetryLettersDialog({ wanted, close }: { readonly wanted: RetryBody; readonly close: () => void }) {
  const loaded = useLoaded(() => postJson<RetryPlanJson>("/api/letters/plan", wanted), [JSON.stringify(wanted)]);
  const key = useSignal(newKey()).value;
  const isSending = useSignal(false);
  const ids = lettersIn(loaded.value.value?.runs.filter(isAllowed) ?? []);
  const send = async (): Promise<void> => {
    if (isSending.value || ids.length === 0) return;
    isSending.value = true;
    try {
      const { runs } = await postJson<RetriedJson>("/api/letters/retry", { ids }, key);
      say(runs.length === 1 ? "The run goes on." : `${runs.length} runs go on, one after the other.`);
    } catch (error) {
      sayProblem(error);
    }
    close();
  };
  return (
    <Dialog
      title={`Retry ${plural(shownCount(wanted), "letter")}?`}
      close={close}
      footer={
        <>
          <Button label="No" onClick={close} />
          <Button
            is="main"
            icon="again"
            label={`Retry ${ids.length > 1 ? ids.length : ""}`}
            data-first
            aria-disabled={isSending.value || ids.length === 0}
            onClick={() => void send()}
          />
        </>
      }
    >
      <Pane loaded={loaded} what="What it would do">
        {({ runs }) => runs.map((run) => <PlanOfRun run={run} isOnly={runs.length === 1} key={run.run_id} />)}
      </Pane>
    </Dialog>
  );
}

function PlanOfRun({ run, isOnly }: { readonly run: RunPlan; readonly isOnly: boolean }) {
  const { run_id, workflow, letters, plan } = run;
  return (
    <section class="stack tight">
      <p>
        {!isOnly && `${plural(letters.length, "letter")}: `}
        {workflow}{" "}
        <a href={`/runs/${encodeURIComponent(run_id)}`} title={`Run ${run_id}`}>
          <code>{shortId(run_id)}</code>
        </a>
      </p>
      {plan === null ? (
        <p class="soft">What has failed there runs again; the rest is reused.</p>
      ) : (
        <PlannedDrive plan={plan} />
      )}
    </section>
  );
}

/** Before letters are given up: nothing brings them back, so Enter alone does not do it. */
export function DropLettersDialog({ ids, close }: { readonly ids: readonly string[]; readonly close: () => void }) {
  const key = useSignal(newKey()).value;
  const isSending = useSignal(false);
  const drop = async (): Promise<void> => {
    if (isSending.value) return;
    isSending.value = true;
    try {
      const { letters } = await postJson<DroppedJson>("/api/letters/drop", { ids }, key);
      say(letters.length === 1 ? "The letter is dropped." : `${letters.length} letters are dropped.`);
    } catch (error) {
      sayProblem(error);
    }
    close();
  };
  return (
    <Dialog
      title={`Drop ${plural(ids.length, "letter")}?`}
      close={close}
      footer={
        <>
          <Button label={ids.length === 1 ? "Keep it" : "Keep them"} onClick={close} />
          <Button
            is="danger"
            icon="close"
            label={`Drop ${ids.length > 1 ? ids.length : ""}`}
            aria-disabled={isSending.value}
            onClick={() => void drop()}
          />
        </>
      }
    >
      <p>
        {ids.length === 1 ? "It is" : "They are"} given up: a retry takes {ids.length === 1 ? "it" : "them"} no more,
        and that cannot be undone. What failed stays in its run.
      </p>
    </Dialog>
  );
}
