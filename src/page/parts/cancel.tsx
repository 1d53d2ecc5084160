// Cancelling is asked for first, since one key does it. Nothing that Enter alone does confirms it: the focus is on closing.
import { useMemo } from "preact/hooks";
import { cancel, newestOf } from "../state/actions.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

interface CancelDialogProps {
  readonly run: string;
  readonly workflow: string;
  readonly seq?: number | undefined;
  readonly close: () => void;
}

function seenNow(run: string, seq: number | undefined): Promise<number> {
  if (seq !== undefined) return Promise.resolve(seq);
  const newest = newestOf(run);
  // The error is shown on confirming; without that it does not matter.
  newest.catch(() => undefined);
  return newest;
}

export function CancelDialog({ run, workflow, seq, close }: CancelDialogProps) {
  // As it was when the dialog opened: while it is open, another user may cancel the run and resume it.
  const seen = useMemo(() => seenNow(run, seq), [run]);
  const confirm = (): void => {
    close();
    void cancel(run, seen);
  };
  return (
    <Dialog
      title={`Cancel ${workflow}?`}
      close={close}
      footer={
        <>
          <Button label="Leave it as it is" onClick={close} />
          <Button is="danger" icon="stop" label="Cancel the run" onClick={confirm} />
        </>
      }
    >
      <p>
        What runs now is stopped, and what is asked is not waited for. What is done is kept, and the run can be resumed.
      </p>
    </Dialog>
  );
}
