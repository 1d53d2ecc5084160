// Before a run is resumed: what would be reused, what would run, and that it may cost. One more Enter has it go on.
import { useSignal } from "@preact/signals";
import type { ExplainJson } from "../../server/contract/explain.ts";
import { apiPath, get } from "../api/client.ts";
import { newestOf, resume } from "../state/actions.ts";
import { useLoaded } from "../state/loaded.ts";
import type { ResumeWanted } from "../state/resuming.ts";
import { Dialog } from "./dialog.tsx";
import { Icon } from "./icon.tsx";
import { Pane } from "./pane.tsx";
import { PlannedDrive } from "./planned-drive.tsx";
import { costText } from "./text.ts";

interface Planned {
  readonly seq: number;
  readonly run: ExplainJson["run"];
  readonly plan: ExplainJson["resume"];
}

async function planOf({ run, seq }: ResumeWanted, signal: AbortSignal): Promise<Planned> {
  const seen = seq ?? (await newestOf(run));
  const explained = await get<ExplainJson>(apiPath("runs", run, "explain"), {}, signal);
  return { seq: seen, run: explained.run, plan: explained.resume };
}

interface ResumeDialogProps {
  readonly wanted: ResumeWanted;
  readonly close: () => void;
}

export function ResumeDialog({ wanted, close }: ResumeDialogProps) {
  const { run, workflow, more } = wanted;
  const areItems = more?.failed_items === true;
  const loaded = useLoaded((signal) => planOf(wanted, signal), [run]);
  const isSending = useSignal(false);
  const known = loaded.value.value;
  const canGoOn = known !== undefined && (areItems || (known.plan !== null && known.plan.refused.length === 0));
  const send = async (): Promise<void> => {
    if (isSending.value || !canGoOn) return;
    isSending.value = true;
    await resume(run, known.seq, more);
    close();
  };
  return (
    <Dialog
      title={areItems ? `Run the lost items of ${workflow} again?` : `Resume ${workflow}?`}
      close={close}
      footer={
        <>
          <button type="button" class="button" onClick={close}>
            Not now
          </button>
          <button
            type="button"
            class="button main"
            data-first
            aria-disabled={isSending.value || !canGoOn}
            onClick={() => void send()}
          >
            <Icon name="play" /> {areItems ? "Run them" : "Resume"}
          </button>
        </>
      }
    >
      <Pane loaded={loaded} what="What it would do">
        {({ plan, run: told }) => (
          <section class="stack tight">
            {areItems && <p>The items that failed run again. What is done is reused.</p>}
            {!areItems && (plan ? <IfYouResume plan={plan} /> : <p>It cannot be resumed now: see its story.</p>)}
            <Cost spent={told?.cost_usd ?? null} />
          </section>
        )}
      </Pane>
    </Dialog>
  );
}

const IfYouResume = ({ plan }: { readonly plan: NonNullable<Planned["plan"]> }) => (
  <>
    <h3>If you resume now</h3>
    <PlannedDrive plan={plan} />
  </>
);

const Cost = ({ spent }: { readonly spent: number | null }) =>
  spent !== null && spent > 0 ? (
    <p class="soft">
      It has cost {costText(spent)} so far. What is reused costs nothing; what asks a model costs again.
    </p>
  ) : null;
