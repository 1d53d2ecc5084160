// Before letters are given up: nothing brings them back, so Enter alone does not do it.
import { useSignal } from "@preact/signals";
import type { DroppedJson } from "../../server/contract/letters.ts";
import { newKey, postJson } from "../api/client.ts";
import { sayProblem } from "../state/actions.ts";
import { Dialog } from "./dialog.tsx";
import { Icon } from "./icon.tsx";
import { plural } from "./text.ts";
import { say } from "./toast.tsx";

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
          <button type="button" class="button" onClick={close}>
            {ids.length === 1 ? "Keep it" : "Keep them"}
          </button>
          <button type="button" class="button danger" aria-disabled={isSending.value} onClick={() => void drop()}>
            <Icon name="close" /> Drop {ids.length > 1 ? ids.length : ""}
          </button>
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
