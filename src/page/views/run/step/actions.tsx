// What can be done about a step.

import { shellWord } from "../../../../events/shell-word.ts";
import type { RunSnapshotJson } from "../../../../server/contract/run.ts";
import type { AttemptJson, StepJson } from "../../../../server/contract/step.ts";
import { Icon } from "../../../parts/icon.tsx";
import { copy } from "../../../parts/toast.tsx";
import { isReadOnly, resume } from "../../../state/actions.ts";
import { retryLetter } from "../../../state/retry-letter.ts";
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
  // A run that went on without some of its members is over, and their letters can still be tried again.
  const canRetry = canAct && (about.resumable || about.status === "degraded");
  const command = `segno explain ${shellWord(about.run_id)}`;
  return (
    <div class="row wrap">
      {canResume && (
        <button type="button" class="button" onClick={() => void resume(about.run_id, about.seq)}>
          <Icon name="play" /> Resume
        </button>
      )}
      {letter !== null && canRetry && about.letters.includes(letter) && (
        <button type="button" class="button" onClick={() => void retryLetter(letter)}>
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
    </div>
  );
}
