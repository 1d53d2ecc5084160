// The step as it is written, and the values that its templates used.

import { useSignal } from "@preact/signals";
import { shellWord } from "../../../../events/typeable.ts";
import type { RunSnapshotJson } from "../../../../server/contract/run.ts";
import type { AttemptJson, StepJson } from "../../../../server/contract/step.ts";
import { Button } from "../../../parts/button.tsx";
import { JsonTree } from "../../../parts/json-tree.tsx";
import { RetryLettersDialog } from "../../../parts/retry-letters.tsx";
import { copy } from "../../../parts/toast.tsx";
import { Yaml } from "../../../parts/yaml.tsx";
import { askToResume, isReadOnly } from "../../../state/actions.ts";
import { selection } from "../../../state/selection.ts";

export function StepFile({ known, attempt }: { readonly known: StepJson; readonly attempt: AttemptJson | undefined }) {
  const { values, yaml } = known;
  const taken = attempt?.lens?.routes.flatMap(({ taken: isTaken, line }) => (isTaken && line !== null ? [line] : []));
  return (
    <>
      {values.length > 0 && (
        <section class="part">
          <h3>Values it used</h3>
          <table class="values">
            <tbody>
              {values.map(({ expression, field, value, known: isKnown }) => (
                <tr key={`${field} ${expression}`}>
                  <td>
                    <code>{expression}</code>
                    <div class="small soft">{field}</div>
                  </td>
                  <td class="mono">
                    {isKnown ? <JsonTree value={value} depth={1} /> : <span class="kind">not there</span>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {yaml && (
        <section class="part">
          <h3>
            {yaml.file}:{yaml.line}
          </h3>
          <Yaml text={yaml.text} line={yaml.line} marked={new Set(taken)} />
        </section>
      )}
    </>
  );
}

interface StepActionsProps {
  readonly known: StepJson;
  readonly about: RunSnapshotJson;
  readonly attempt: AttemptJson | undefined;
}

/** What can be done about a step. */
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
        <Button
          icon="play"
          label="Resume"
          onClick={() => askToResume({ run: about.run_id, workflow: about.workflow, seq: about.seq })}
        />
      )}
      {hasOpenLetter && about.letters_why_not === null && (
        <Button icon="letter" label="Retry the letter" onClick={() => (isRetrying.value = true)} />
      )}
      <Button
        is="low"
        icon="copy"
        label="JSON"
        onClick={() => void copy(JSON.stringify(attempt ?? known, null, 2), "the step as JSON")}
      />
      <Button is="low" icon="copy" label="Command" onClick={() => void copy(command, "the command")} />
      {hasOpenLetter && about.letters_why_not !== null && (
        <p class="soft small">Its letter cannot be retried now: {about.letters_why_not}.</p>
      )}
      {isRetrying.value && letter !== null && (
        <RetryLettersDialog wanted={{ ids: [letter] }} close={() => (isRetrying.value = false)} />
      )}
    </div>
  );
}
