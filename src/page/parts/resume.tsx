// Before a run is resumed: what would be reused, what would run, and that it may cost. One more Enter has it go on.
import { useSignal } from "@preact/signals";
import type { ExplainJson } from "../../server/contract/past.ts";
import { apiPath, get } from "../api/client.ts";
import { newestOf, type ResumeWanted, resume } from "../state/actions.ts";
import { useLoaded } from "../state/loaded.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Pane } from "./pane.tsx";
import { PlannedDrive } from "./planned-drive.tsx";
import { costText } from "./text.ts";

interface Planned {
  readonly seq: number;
  readonly run: ExplainJson["run"];
  readonly plan: ExplainJson["resume"];
}

async function planOf({ run, seq, more }: ResumeWanted, signal: AbortSignal): Promise<Planned> {
  const seen = seq ?? (await newestOf(run));
  const asked = more?.failed_items ? { failed_items: "1" } : {};
  const explained = await get<ExplainJson>(apiPath("runs", run, "explain"), asked, signal);
  return { seq: seen, run: explained.run, plan: explained.resume };
}

export function ResumeDialog({ wanted, close }: { readonly wanted: ResumeWanted; readonly close: () => void }) {
  const { run, workflow, more } = wanted;
  const areItems = more?.failed_items === true;
  const loaded = useLoaded((signal) => planOf(wanted, signal), [run]);
  const isSending = useSignal(false);
  const known = loaded.value.value;
  const allowed = useSignal<number | null>(null);
  const limit = known?.plan?.limit;
  const most = limit && (allowed.value ?? limit.allow);
  const canGoOn = known?.plan?.refused.length === 0 && (!limit || (most ?? 0) > limit.executions);
  const send = async (): Promise<void> => {
    if (isSending.value || !canGoOn) return;
    isSending.value = true;
    await resume(run, known.seq, { ...more, ...(most ? { max_iterations: most } : {}) });
    close();
  };
  return (
    <Dialog
      title={areItems ? `Run the lost items of ${workflow} again?` : `Resume ${workflow}?`}
      close={close}
      footer={
        <>
          <Button label="Not now" onClick={close} />
          <Button
            is="main"
            icon="play"
            label={areItems ? "Run them" : "Resume"}
            data-first
            aria-disabled={isSending.value || !canGoOn}
            onClick={() => void send()}
          />
        </>
      }
    >
      <Pane loaded={loaded} what="What it would do">
        {({ plan, run: explained }) => (
          <section class="stack tight">
            {plan ? <IfYouResume plan={plan} areItems={areItems} /> : <p>{areItems ? NOTHING_LOST : NOT_NOW}</p>}
            {limit && limit.allow !== null && (
              <label class="asked">
                <span class="soft">Step executions to allow (max_iterations), more than {limit.executions}</span>
                <input
                  class="field"
                  type="number"
                  min={limit.executions + 1}
                  value={allowed.value ?? limit.allow}
                  onInput={(event) => (allowed.value = Math.trunc(Number(event.currentTarget.value)))}
                />
              </label>
            )}
            <Cost spent={explained?.cost_usd ?? null} />
          </section>
        )}
      </Pane>
    </Dialog>
  );
}

const NOT_NOW = "It cannot be resumed now: see its story.";
const NOTHING_LOST = "It lost no item that could run again, or is being driven: see its story.";

interface IfYouResumeProps {
  readonly plan: NonNullable<Planned["plan"]>;
  readonly areItems: boolean;
}

const IfYouResume = ({ plan, areItems }: IfYouResumeProps) => (
  <>
    <h3>{areItems ? "If you run them now" : "If you resume now"}</h3>
    <PlannedDrive plan={plan} />
  </>
);

const Cost = ({ spent }: { readonly spent: number | null }) =>
  spent !== null && spent > 0 ? (
    <p class="soft">
      It has cost {costText(spent)} so far. What is reused costs nothing; what asks a model costs again.
    </p>
  ) : null;
