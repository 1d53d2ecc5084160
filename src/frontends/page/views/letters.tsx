// Dead letters: steps and items that failed for good and were kept; and one of them: what failed, with what, how often. They
// are tried again or given up.
import { useSignal } from "@preact/signals";
import type { LettersJson, ListedLetterJson, WholeLetterJson } from "../../server/contract/letters.ts";
import { apiPath, typed } from "../api/client.ts";
import { serverNow } from "../api/clock.ts";
import { Button, type State, StepState, TextLink } from "../parts/button.tsx";
import { DropLettersDialog, RetryLettersDialog } from "../parts/drive-dialogs.tsx";
import { KindField } from "../parts/field.tsx";
import { ValueTree } from "../parts/json-tree.tsx";
import { Empty, Pane, View } from "../parts/pane.tsx";
import { copy } from "../parts/toast.tsx";
import { isReadOnly, runPath } from "../state/actions.ts";
import { addressOf, change, query } from "../state/address.ts";
import { type Loaded, useAnswer, useRepeatedWithRuns } from "../state/loaded.ts";
import { agoText, clock, plural, shortId } from "../text.ts";

/** What others do to letters is no change of a run: one can be dropped. */
const AGAIN_MS = 8000;
/** The server takes no more in one question. */
const MOST_AT_ONCE = 1000;
const STATES: Readonly<Record<string, State>> = {
  open: "failed",
  retrying: "retrying",
  resolved: "completed",
  dropped: "cancelled",
};

type Act = "retry" | "drop";
type Ask = (act: Act, letters: readonly { readonly id: string }[]) => void;

/** The dialog before letters are tried again or dropped, and what opens it. */
function useAsked({ reload }: Loaded<unknown>) {
  const asked = useSignal<{ readonly act: Act; readonly ids: string[] } | null>(null);
  const ask: Ask = (act, letters) => {
    asked.value = { act, ids: letters.map(({ id }) => id) };
  };
  const close = (): void => {
    asked.value = null;
    reload();
  };
  const { act, ids = [] } = asked.value ?? {};
  const dialog =
    act === "retry" ? (
      <RetryLettersDialog wanted={{ ids }} close={close} />
    ) : (
      act === "drop" && <DropLettersDialog ids={ids} close={close} />
    );
  return { ask, dialog };
}

export function LettersView() {
  const { kind = "", run = "", all = "" } = query.value as { kind?: string; run?: string; all?: string };
  const loaded = useAnswer<LettersJson>("/api/letters", { kind, run, all }, AGAIN_MS);
  useRepeatedWithRuns(loaded.reload);
  const { ask, dialog } = useAsked(loaded);
  const tools = (
    <>
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
    </>
  );
  return (
    <View title="Letters" tools={tools}>
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
                {byRun(letters).length > 1 && <ActOnThese act="retry" letters={letters} ask={ask} />}
              </div>
              <table class="lined letters">
                <thead>
                  <tr>
                    {["State", "What failed", "Where, with which item", "Seen"].map((head) => (
                      <th scope="col" class={head === "Seen" ? "number" : undefined} key={head}>
                        {head}
                      </th>
                    ))}
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
      {dialog}
    </View>
  );
}

/** In the order in which their newest letters stand. */
function byRun(letters: readonly ListedLetterJson[]): readonly (readonly ListedLetterJson[])[] {
  const runs = new Map<string, ListedLetterJson[]>();
  for (const letter of letters) runs.get(letter.run_id)?.push(letter) ?? runs.set(letter.run_id, [letter]);
  return [...runs.values()];
}

interface LettersProps {
  readonly letters: readonly ListedLetterJson[];
  readonly ask: Ask;
}

const isOpen = ({ status }: Pick<ListedLetterJson, "status">): boolean => status === "open" && !isReadOnly();
const canBeRetried = (letter: Pick<ListedLetterJson, "status" | "why_not">): boolean =>
  isOpen(letter) && letter.why_not === null;

const ACTS = {
  retry: { icon: "again", word: "Retry", isPossible: canBeRetried },
  drop: { icon: "close", word: "Drop", isPossible: isOpen },
} as const;

/** For several at once: how many it would be stands on the button. */
function ActOnThese({ act, letters, ask }: LettersProps & { readonly act: Act }) {
  const { icon, word, isPossible } = ACTS[act];
  const some = letters.filter(isPossible).slice(0, MOST_AT_ONCE);
  if (some.length < 2) return null;
  return <Button is="low" icon={icon} label={`${word} these ${some.length}`} onClick={() => ask(act, some)} />;
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
            <a href={runPath(run_id)} title={`Run ${run_id}`}>
              run <code>{shortId(run_id)}</code>
            </a>
            {!isOnly && letters.length > 1 && (
              <TextLink go={() => change({ run: run_id })}>only these {letters.length}</TextLink>
            )}
            {whyNot && <span class="soft">Cannot be retried now: {whyNot}.</span>}
            <span class="grow" />
            <span class="letter-acts">
              <ActOnThese act="retry" letters={letters} ask={ask} />
              <ActOnThese act="drop" letters={letters} ask={ask} />
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
        <StepState state={STATES[status] ?? "pending"} word={status} />
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
          {(["retry", "drop"] as const)
            .filter((act) => ACTS[act].isPossible(letter))
            .map((act) => (
              <Button
                is="low"
                icon={ACTS[act].icon}
                label={ACTS[act].word}
                aria-label={`${ACTS[act].word} ${name}`}
                onClick={() => ask(act, [letter])}
                key={act}
              />
            ))}
        </span>
      </td>
    </tr>
  );
}

const valueText = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
const short = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

export function OneLetterView({ id }: { readonly id: string }) {
  const loaded = useAnswer<WholeLetterJson>(apiPath("letters", id));
  useRepeatedWithRuns(loaded.reload);
  const { ask, dialog } = useAsked(loaded);
  return (
    <View>
      <Pane loaded={loaded} what="The letter">
        {(letter) => (
          <>
            <div class="row wrap">
              <StepState state={STATES[letter.status] ?? "pending"} word={letter.status} pill />
              <h1>
                <code class="kind">{letter.kind}</code>
              </h1>
              <span class="grow" />
              {canBeRetried(letter) && (
                <Button is="main" icon="again" label="Retry" onClick={() => ask("retry", [{ id }])} />
              )}
              {isOpen(letter) && <Button icon="close" label="Drop" onClick={() => ask("drop", [{ id }])} />}
              <Button
                icon="copy"
                label="Command"
                onClick={() => void copy(typed(`segno dlq retry ${id}`), "the command")}
              />
            </div>
            <p>{letter.message}</p>
            {letter.why_not !== null && <p class="soft">It cannot be retried now: {letter.why_not}.</p>}
            <p class="soft">
              <a
                href={addressOf(runPath(letter.run_id), {
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
            <Value name="Item" value={letter.item} />
            <Value name="Inputs" value={letter.inputs} />
            <Value name="Error" value={letter.envelope} />
            {letter.history.length > 0 && <Value name="History" value={letter.history} />}
          </>
        )}
      </Pane>
      {dialog}
    </View>
  );
}

const Value = ({ name, value }: { readonly name: string; readonly value: unknown }) =>
  value === undefined ? null : (
    <section class="part column">
      <h2>{name}</h2>
      <ValueTree value={value} />
    </section>
  );
