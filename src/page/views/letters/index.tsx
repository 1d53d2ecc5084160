// Dead letters: steps and items that failed for good and were kept.
import type { LettersJson } from "../../../server/contract/letters.ts";
import { get } from "../../api/client.ts";
import { Pane } from "../../parts/pane.tsx";
import { type State, StepState } from "../../parts/status.tsx";
import { agoText, plural } from "../../parts/text.ts";
import { change, query } from "../../state/address.ts";
import { serverNow } from "../../state/clock.ts";
import { useLoaded } from "../../state/loaded.ts";
import { useRepeated } from "../../state/repeated.ts";

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
                <table class="lined">
                  <thead>
                    <tr>
                      <th scope="col">State</th>
                      <th scope="col">Kind</th>
                      <th scope="col">Step</th>
                      <th scope="col">Message</th>
                      <th scope="col" class="number">
                        Seen
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {letters.map((letter) => (
                      <tr key={letter.id}>
                        <td>
                          <StepState state={LETTER_STATES[letter.status] ?? "pending"} word={letter.status} />
                        </td>
                        <td>
                          <a href={`/letters/${encodeURIComponent(letter.id)}`}>
                            <code>{letter.kind}</code>
                          </a>
                        </td>
                        <td>
                          {letter.workflow} · {[...letter.path, letter.node_id].join(" / ")}
                          {letter.item_key !== undefined && <span class="soft"> [{letter.item_key}]</span>}
                        </td>
                        <td class="soft letter-message">{letter.message}</td>
                        <td class="number soft">
                          {letter.count > 1 && `${letter.count}× `}
                          {agoText(letter.last_seen, serverNow.value)}
                        </td>
                      </tr>
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
