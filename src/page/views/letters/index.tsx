// Dead letters: steps and items that failed for good and were kept.
import type { LetterJson, LettersJson } from "../../../server/contract/letters.ts";
import { get } from "../../api/client.ts";
import { Icon } from "../../parts/icon.tsx";
import { Pane } from "../../parts/pane.tsx";
import { type State, StepState } from "../../parts/status.tsx";
import { agoText, plural, shortId } from "../../parts/text.ts";
import { isReadOnly } from "../../state/actions.ts";
import { change, query } from "../../state/address.ts";
import { serverNow } from "../../state/clock.ts";
import { useLoaded } from "../../state/loaded.ts";
import { useRepeated } from "../../state/repeated.ts";
import { retryLetter } from "../../state/retry-letter.ts";

const AGAIN_MS = 8000;
export const LETTER_STATES: Readonly<Record<string, State>> = {
  open: "failed",
  retrying: "retrying",
  resolved: "completed",
  dropped: "cancelled",
};

export function LettersView() {
  const { kind = "", run = "", all = "" } = query.value as { kind?: string; run?: string; all?: string };
  const loaded = useLoaded((signal) => get<LettersJson>("/api/letters", { kind, run, all }, signal), [kind, run, all]);
  useRepeated(loaded.reload, AGAIN_MS);
  return (
    <main class="view">
      <div class="padded stack">
        <div class="row wrap">
          <h1>Letters</h1>
          <span class="grow" />
          {run && (
            <button type="button" class="chip" aria-pressed="true" onClick={() => change({ run: null })}>
              of run {run}
            </button>
          )}
          <input
            class="field search"
            type="search"
            data-filter
            aria-label="Kind"
            placeholder="Kind, such as http.*  /"
            value={kind}
            onChange={(event) => change({ kind: event.currentTarget.value })}
          />
          <button
            type="button"
            class="chip"
            aria-pressed={all === "1"}
            onClick={() => change({ all: all === "1" ? null : "1" })}
          >
            also resolved ones
          </button>
        </div>
        <Pane loaded={loaded} what="The letters">
          {({ letters }) =>
            letters.length === 0 ? (
              <div class="empty">
                <h2>No letter</h2>
                <p>
                  A step or item that failed for good is kept here when its workflow says <code>dead_letter</code>. In a
                  terminal:
                </p>
                <pre class="code">segno dlq list</pre>
              </div>
            ) : (
              <>
                <p class="soft">{plural(letters.length, "letter")}</p>
                <table class="lined letters">
                  <thead>
                    <tr>
                      <th scope="col">State</th>
                      <th scope="col">What failed</th>
                      <th scope="col">Where, with which item</th>
                      <th scope="col" class="number">
                        Seen
                      </th>
                      <th scope="col">
                        <span class="only-heard">Actions</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {letters.map((letter) => (
                      <LetterRow letter={letter} retried={loaded.reload} key={letter.id} />
                    ))}
                  </tbody>
                </table>
              </>
            )
          }
        </Pane>
      </div>
    </main>
  );
}

function LetterRow({ letter, retried }: { readonly letter: LetterJson; readonly retried: () => void }) {
  const { id, run_id, status, kind, message, workflow, path, node_id, item_key, item, count, last_seen } = letter;
  const retry = async (): Promise<void> => {
    await retryLetter(id);
    retried();
  };
  return (
    <tr>
      <td class="l-state">
        <StepState state={LETTER_STATES[status] ?? "pending"} word={status} />
      </td>
      <td class="l-what">
        <a href={`/letters/${encodeURIComponent(id)}`}>
          <code>{kind}</code>
        </a>
        <div class="soft">{message}</div>
      </td>
      <td class="l-where">
        {workflow} · {[...path, node_id].join(" / ")}{" "}
        <a class="small" href={`/runs/${encodeURIComponent(run_id)}`} title={`Run ${run_id}`}>
          <code>{shortId(run_id)}</code>
        </a>
        {item_key !== undefined && (
          <div class="soft" title={valueText(item)}>
            item <code>{item_key}</code>
            {item !== undefined && valueText(item) !== item_key && (
              <>
                : <code>{short(valueText(item))}</code>
              </>
            )}
          </div>
        )}
      </td>
      <td class="number soft l-seen">
        {count > 1 && `${count}× `}
        {agoText(last_seen, serverNow.value)}
      </td>
      <td class="number l-acts">
        {status === "open" && !isReadOnly() && (
          <button
            type="button"
            class="button low"
            aria-label={`Retry ${node_id}${item_key === undefined ? "" : ` ${item_key}`}`}
            onClick={() => void retry()}
          >
            <Icon name="again" /> Retry
          </button>
        )}
      </td>
    </tr>
  );
}

const LONGEST = 60;
const valueText = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
const short = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);
