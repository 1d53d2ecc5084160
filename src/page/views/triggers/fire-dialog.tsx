// Firing by hand is asked for first: it starts a run that may act. What would have set the trigger off is given here.
import { useSignal } from "@preact/signals";
import type { FiredJson, TriggerJson } from "../../../server/contract/triggers.ts";
import { apiPath, newKey, postJson } from "../../api/client.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { say } from "../../parts/toast.tsx";
import { firingBody } from "./trigger-words.ts";

interface FireDialogProps {
  readonly trigger: TriggerJson;
  readonly close: () => void;
  readonly fired: () => void;
}

const ASKS = {
  schedule: null,
  webhook: { label: "What the webhook would bring, as JSON", rows: 6 },
  run: { label: "The run that ended: its id, or the beginning or end of it", rows: 1 },
} as const;

export function FireDialog({ trigger, close, fired }: FireDialogProps) {
  const { name, workflow, set_off_by, when } = trigger;
  const asks = ASKS[set_off_by];
  const text = useSignal("");
  const problem = useSignal<string | null>(null);
  const isSending = useSignal(false);
  const fire = async (): Promise<void> => {
    if (isSending.value) return;
    const body = firingBody(set_off_by, text.value);
    if (typeof body === "string") {
      problem.value = body;
      return;
    }
    isSending.value = true;
    try {
      await postJson<FiredJson>(apiPath("triggers", name, "fire"), body, newKey());
      say(`Fired ${name}.`);
      close();
      fired();
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error);
    }
    isSending.value = false;
  };
  return (
    <Dialog
      title={`Fire ${name}?`}
      close={close}
      footer={
        <>
          <button type="button" class="button" onClick={close}>
            Leave it
          </button>
          <button type="button" class="button main" aria-disabled={isSending.value} onClick={() => void fire()}>
            <Icon name="play" /> Fire it now
          </button>
        </>
      }
    >
      <div class="stack">
        <p>
          This starts a run of <code>{workflow}</code>, whatever else of this trigger goes on
          {when === null ? "" : ", and whether its `when` is true or not"}. It is recorded in your name.
        </p>
        {asks && (
          <label class="asked">
            <span class="soft">{asks.label}</span>
            <textarea
              class="field"
              rows={asks.rows}
              value={text.value}
              onInput={(event) => (text.value = event.currentTarget.value)}
            />
          </label>
        )}
        {problem.value && (
          <p class="note" role="alert">
            {problem.value}
          </p>
        )}
      </div>
    </Dialog>
  );
}
