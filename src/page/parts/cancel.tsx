// Cancelling is asked for first, since one key does it. Nothing that Enter alone does confirms it: the focus is on closing.

import { cancel } from "../state/actions.ts";
import { Dialog } from "./dialog.tsx";
import { Icon } from "./icon.tsx";

interface CancelDialogProps {
  readonly run: string;
  readonly workflow: string;
  readonly seq?: number | undefined;
  readonly close: () => void;
}

export function CancelDialog({ run, workflow, seq, close }: CancelDialogProps) {
  const confirm = (): void => {
    close();
    void cancel(run, seq);
  };
  return (
    <Dialog
      title={`Cancel ${workflow}?`}
      close={close}
      footer={
        <>
          <button type="button" class="button" onClick={close}>
            Let it run
          </button>
          <button type="button" class="button danger" onClick={confirm}>
            <Icon name="stop" /> Cancel the run
          </button>
        </>
      }
    >
      <p>What runs now is stopped. What is done is kept, and the run can be resumed.</p>
    </Dialog>
  );
}
