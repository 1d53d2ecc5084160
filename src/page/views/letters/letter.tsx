// One dead letter: what failed, with what, how often, and trying it again or giving it up.
import { useSignal } from "@preact/signals";
import type { WholeLetterJson } from "../../../server/contract/letters.ts";
import { apiPath, get } from "../../api/client.ts";
import { Button, StepState } from "../../parts/button.tsx";
import { DropLettersDialog, RetryLettersDialog } from "../../parts/drive-dialogs.tsx";
import { JsonTree } from "../../parts/json-tree.tsx";
import { Pane } from "../../parts/pane.tsx";
import { clock, plural } from "../../parts/text.ts";
import { copy } from "../../parts/toast.tsx";
import { isReadOnly } from "../../state/actions.ts";
import { addressOf } from "../../state/address.ts";
import { useLoaded, useRepeatedWithRuns } from "../../state/loaded.ts";
import { LETTER_STATES } from "./index.tsx";

export function OneLetterView({ id }: { readonly id: string }) {
  const loaded = useLoaded((signal) => get<WholeLetterJson>(apiPath("letters", id), {}, signal), [id]);
  useRepeatedWithRuns(loaded.reload);
  const asked = useSignal<"retry" | "drop" | null>(null);
  const close = (): void => {
    asked.value = null;
    loaded.reload();
  };
  return (
    <main class="view">
      <div class="padded stack">
        <Pane loaded={loaded} what="The letter">
          {(letter) => (
            <>
              <div class="row wrap">
                <StepState state={LETTER_STATES[letter.status] ?? "pending"} word={letter.status} pill />
                <h1>
                  <code class="kind">{letter.kind}</code>
                </h1>
                <span class="grow" />
                {letter.status === "open" && letter.why_not === null && !isReadOnly() && (
                  <Button is="main" icon="again" label="Retry" onClick={() => (asked.value = "retry")} />
                )}
                {letter.status === "open" && !isReadOnly() && (
                  <Button icon="close" label="Drop" onClick={() => (asked.value = "drop")} />
                )}
                <Button icon="copy" label="Command" onClick={() => void copy(`segno dlq retry ${id}`, "the command")} />
              </div>
              <p>{letter.message}</p>
              {letter.why_not !== null && <p class="soft">It cannot be retried now: {letter.why_not}.</p>}
              <p class="soft">
                <a
                  href={addressOf(`/runs/${encodeURIComponent(letter.run_id)}`, {
                    step: [...letter.path, letter.node_id].join("/"),
                    item: letter.item_key,
                  })}
                >
                  {letter.workflow} · {[...letter.path, letter.node_id].join(" / ")}
                </a>
                {letter.item_key !== undefined && ` · item ${letter.item_key}`} · {plural(letter.attempts, "attempt")} ·{" "}
                {clock(letter.first_seen)}
                {letter.workflow_file !== "unchanged" && ` · its file is ${letter.workflow_file}`}
              </p>
              {letter.acts?.map(({ what, by, at }) => (
                <p class="soft" key={at}>
                  {by} {what} it, at {clock(at)}.
                </p>
              ))}
              {letter.item !== undefined && <Value name="Item" value={letter.item} />}
              {letter.inputs !== undefined && <Value name="Inputs" value={letter.inputs} />}
              <Value name="Error" value={letter.envelope} />
              {letter.history.length > 0 && <Value name="History" value={letter.history} />}
            </>
          )}
        </Pane>
      </div>
      {asked.value === "retry" && <RetryLettersDialog wanted={{ ids: [id] }} close={close} />}
      {asked.value === "drop" && <DropLettersDialog ids={[id]} close={close} />}
    </main>
  );
}

const Value = ({ name, value }: { readonly name: string; readonly value: unknown }) => (
  <section class="part">
    <h2>{name}</h2>
    <div class="tree mono">
      <JsonTree value={value} />
    </div>
  </section>
);
