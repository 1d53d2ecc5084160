// What can be done about a step.

import { useSignal } from "@preact/signals";
import { shellWord } from "../../../../events/typeable.ts";
import type { RunSnapshotJson } from "../../../../server/contract/run.ts";
import type { AttemptJson, StepJson } from "../../../../server/contract/step.ts";
import { Icon } from "../../../parts/icon.tsx";
import { RetryLettersDialog } from "../../../parts/retry-letters.tsx";
import { copy } from "../../../parts/toast.tsx";
import { isReadOnly } from "../../../state/actions.ts";
import { askToResume } from "../../../state/resuming.ts";
import { selection } from "../../../state/selection.ts";

interface StepActionsProps {
  readonly known: StepJson;
  readonly about: RunSnapshotJson;
  readonly attempt: AttemptJson | undefined;
}

export function StepActions({ known, about, attempt }: StepActionsProps) {
  const letter = attempt?.lens?.letter ?? null;
  const isFailed = known.visit?.status === "failed" || known.visit?.status === "cut_off";
  // In a replay what is shown is past, and what is done is about the present.
  const canAct = !isReadOnly() && selection.value.at === null;
  const canResume = canAct && about.resumable && isFailed;
  const hasOpenLetter = letter !== null && canAct && about.letters.includes(letter);
  const isRetrying = useSignal(false);
  const command = `segno explain ${shellWord(about.run_id)}`;
  return (
    <div class="row wrap">
      {canResume && (
        <button
          type="button"
          class="button"
          onClick={() => askToResume({ run: about.run_id, workflow: about.workflow, seq: about.seq })}
        >
          <Icon name="play" /> Resume
        </button>
      )}
      {hasOpenLetter && about.letters_why_not === null && (
        <button type="button" class="button" onClick={() => (isRetrying.value = true)}>
          <Icon name="letter" /> Retry the letter
        </button>
      )}
      <button
        type="button"
        class="button low"
        onClick={() => void copy(JSON.stringify(attempt ?? known, null, 2), "the step as JSON")}
      >
        <Icon name="copy" /> JSON
      </button>
      <button type="button" class="button low" onClick={() => void copy(command, "the command")}>
        <Icon name="copy" /> Command
      </button>
      {hasOpenLetter && about.letters_why_not !== null && (
        <p class="soft small">Its letter cannot be retried now: {about.letters_why_not}.</p>
      )}
      {isRetrying.value && letter !== null && (
        <RetryLettersDialog wanted={{ ids: [letter] }} close={() => (isRetrying.value = false)} />
      )}
    </div>
  );
}
