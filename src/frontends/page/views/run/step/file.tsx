// Parts of the step's panel: the step as it is written, the values that its templates used, what can be done about it, and
// the items of a for_each.

import { useSignal } from "@preact/signals";
import { shellWord } from "../../../../../base/events/typeable.ts";
import type { RunSnapshotJson } from "../../../../server/contract/run.ts";
import type { AttemptJson, StepJson } from "../../../../server/contract/step.ts";
import { typed } from "../../../api/client.ts";
import { Button, Cut, StepState, stepState } from "../../../parts/button.tsx";
import { RetryLettersDialog } from "../../../parts/drive-dialogs.tsx";
import { JsonTree } from "../../../parts/json-tree.tsx";
import { Part } from "../../../parts/pane.tsx";
import { copy } from "../../../parts/toast.tsx";
import { Yaml } from "../../../parts/yaml.tsx";
import { askToResume, isReadOnly } from "../../../state/actions.ts";
import { chooseStep, selection } from "../../../state/selection.ts";
import { plural } from "../../../text.ts";

export function StepFile({ known, attempt }: { readonly known: StepJson; readonly attempt: AttemptJson | undefined }) {
  const { values, yaml } = known;
  const taken = attempt?.lens?.routes.flatMap(({ taken: isTaken, line }) => (isTaken && line !== null ? [line] : []));
  return (
    <>
      {values.length > 0 && (
        <Part head="h3" title="Values it used">
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
        </Part>
      )}
      {yaml && (
        <Part head="h3" title={`${yaml.file}:${yaml.line}`}>
          <Yaml text={yaml.text} line={yaml.line} marked={new Set(taken)} />
        </Part>
      )}
    </>
  );
}

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
  const command = typed(`segno explain ${shellWord(about.run_id)}`);
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

type Item = StepJson["items"][number];

/** The items of a for_each: those that failed with what they met, then the others in their order. */
export function ItemList({ items, chosen }: { readonly items: readonly Item[]; readonly chosen: string | null }) {
  const failed = items.filter(({ status }) => status === "failed");
  const others = items.filter(({ status }) => status !== "failed");
  const list = (some: readonly Item[], title: string, look: string) =>
    some.length > 0 && (
      <Part head="h3" title={title}>
        <ul class={look}>
          {some.map((item) => (
            <OneItem item={item} isChosen={item.item_key === chosen} key={item.key} />
          ))}
        </ul>
      </Part>
    );
  return (
    <>
      {list(failed, plural(failed.length, "failed item"), "items failed-items")}
      {list(others, failed.length > 0 ? "The others" : "Items", "items")}
    </>
  );
}

function OneItem({ item, isChosen }: { readonly item: Item; readonly isChosen: boolean }) {
  const { item_key, key, status, kind } = item;
  return (
    <li>
      <button
        type="button"
        class={isChosen ? "item middle chosen" : "item middle"}
        title={[item_key, status, kind].filter(Boolean).join(" · ")}
        onClick={() => chooseStep(inlineStep(key), { item: item_key })}
      >
        <StepState state={stepState(status)} word="" />
        <Cut text={item_key} />
        {status === "failed" && kind && <Cut is="kind" text={kind} />}
      </button>
    </li>
  );
}

/** `package#1/each#2[blue].call` is the step `package/call`. */
function inlineStep(key: string): string {
  const slots = key.split(/\/(?![^[]*\])/);
  const last = /\]\.([^.#]+)/.exec(slots.at(-1) ?? "")?.[1] ?? "";
  return [...slots.slice(0, -1).map((slot) => slot.replace(/#\d+(~\d+)?$/, "")), last].join("/");
}
