// Dead letters: steps and items that failed for good and were kept.
import { useSignal } from "@preact/signals";
import type { LettersJson, ListedLetterJson } from "../../../server/contract/letters.ts";
import { get } from "../../api/client.ts";
import { Button, type State, StepState } from "../../parts/button.tsx";
import { DropLettersDialog, RetryLettersDialog } from "../../parts/drive-dialogs.tsx";
import { KindField } from "../../parts/kind-field.tsx";
import { Empty, Pane } from "../../parts/pane.tsx";
import { agoText, plural, shortId } from "../../parts/text.ts";
import { isReadOnly } from "../../state/actions.ts";
import { change, query } from "../../state/address.ts";
import { serverNow } from "../../state/clock.ts";
import { useLoaded, useRepeated, useRepeatedWithRuns } from "../../state/loaded.ts";

/** What others do to letters is no change of a run: one can be dropped. */
const AGAIN_MS = 8000;
/** The server takes no more in one question. */
const MOST_AT_ONCE = 1000;
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
  useRepeatedWithRuns(loaded.reload);
  const asked = useSignal<{ readonly act: Act; readonly ids: readonly string[] } | null>(null);
  const ask: Ask = (act, letters) => {
    asked.value = { act, ids: letters.map(({ id }) => id) };
  };
  const close = (): void => {
    asked.value = null;
    loaded.reload();
  };
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
          <KindField kind={kind} />
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
              <Empty title="No letter" command="segno dlq list">
                A step or item that failed for good is kept here when its workflow says <code>dead_letter</code>. In a
                terminal:
              </Empty>
            ) : (
              <>
                <div class="row wrap">
                  <p class="soft">
                    {plural(letters.length, "letter")} of {plural(byRun(letters).length, "run")}
                  </p>
                  {byRun(letters).length > 1 && <RetryThese letters={letters} ask={ask} />}
                </div>
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
                  {byRun(letters).map((some) => (
                    <LettersOfRun letters={some} isOnly={run !== ""} ask={ask} key={some[0]?.run_id} />
                  ))}
                </table>
              </>
            )
          }
        </Pane>
      </div>
      {asked.value?.act === "retry" && <RetryLettersDialog wanted={{ ids: [...asked.value.ids] }} close={close} />}
      {asked.value?.act === "drop" && <DropLettersDialog ids={asked.value.ids} close={close} />}
    </main>
  );
}

/** In the order in which their newest letters stand. */
function byRun(letters: readonly ListedLetterJson[]): readonly (readonly ListedLetterJson[])[] {
  const runs = new Map<string, ListedLetterJson[]>();
  for (const letter of letters) {
    const known = runs.get(letter.run_id);
    if (known) known.push(letter);
    else runs.set(letter.run_id, [letter]);
  }
  return [...runs.values()];
}

type Act = "retry" | "drop";
type Ask = (act: Act, letters: readonly ListedLetterJson[]) => void;

interface LettersProps {
  readonly letters: readonly ListedLetterJson[];
  readonly ask: Ask;
}

const canBeRetried = ({ status, why_not }: ListedLetterJson): boolean => status === "open" && why_not === null;

/** For several at once: how many it would be stands on the button. */
function RetryThese({ letters, ask }: LettersProps) {
  const some = letters.filter(canBeRetried).slice(0, MOST_AT_ONCE);
  if (some.length < 2 || isReadOnly()) return null;
  return <Button is="low" icon="again" label={`Retry these ${some.length}`} onClick={() => ask("retry", some)} />;
}

function DropThese({ letters, ask }: LettersProps) {
  const some = letters.filter(({ status }) => status === "open").slice(0, MOST_AT_ONCE);
  if (some.length < 2 || isReadOnly()) return null;
  return <Button is="low" icon="close" label={`Drop these ${some.length}`} onClick={() => ask("drop", some)} />;
}

interface LettersOfRunProps extends LettersProps {
  /** Only this run's are shown. */
  readonly isOnly: boolean;
}

function LettersOfRun({ letters, isOnly, ask }: LettersOfRunProps) {
  const [first] = letters;
  if (!first) return null;
  const { run_id, workflow } = first;
  const whyNot = letters.find(({ status, why_not }) => status === "open" && why_not !== null)?.why_not;
  return (
    <tbody>
      <tr class="l-run">
        <th scope="rowgroup" colSpan={5}>
          <div class="row wrap">
            <span>{workflow}</span>
            <a href={`/runs/${encodeURIComponent(run_id)}`} title={`Run ${run_id}`}>
              run <code>{shortId(run_id)}</code>
            </a>
            {!isOnly && letters.length > 1 && (
              <button type="button" class="link" onClick={() => change({ run: run_id })}>
                only these {letters.length}
              </button>
            )}
            {whyNot && <span class="soft">Cannot be retried now: {whyNot}.</span>}
            <span class="grow" />
            <span class="letter-acts">
              <RetryThese letters={letters} ask={ask} />
              <DropThese letters={letters} ask={ask} />
            </span>
          </div>
        </th>
      </tr>
      {letters.map((letter) => (
        <LetterRow letter={letter} ask={ask} key={letter.id} />
      ))}
    </tbody>
  );
}

function LetterRow({ letter, ask }: { readonly letter: ListedLetterJson; readonly ask: Ask }) {
  const { id, status, kind, message, path, node_id, item_key, item, count, last_seen, acts = [] } = letter;
  const name = `${node_id}${item_key === undefined ? "" : ` ${item_key}`}`;
  return (
    <tr>
      <td class="l-state">
        <StepState state={LETTER_STATES[status] ?? "pending"} word={status} />
        {status !== "open" && acts.at(-1) && <div class="soft">by {acts.at(-1)?.by}</div>}
      </td>
      <td class="l-what">
        <a href={`/letters/${encodeURIComponent(id)}`}>
          <code>{kind}</code>
        </a>
        <div class="soft">{message}</div>
      </td>
      <td class="l-where">
        {[...path, node_id].join(" / ")}
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
        <span class="letter-acts">
          {canBeRetried(letter) && !isReadOnly() && (
            <Button
              is="low"
              icon="again"
              label="Retry"
              aria-label={`Retry ${name}`}
              onClick={() => ask("retry", [letter])}
            />
          )}
          {status === "open" && !isReadOnly() && (
            <Button
              is="low"
              icon="close"
              label="Drop"
              aria-label={`Drop ${name}`}
              onClick={() => ask("drop", [letter])}
            />
          )}
        </span>
      </td>
    </tr>
  );
}

const LONGEST = 60;
const valueText = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
const short = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);
