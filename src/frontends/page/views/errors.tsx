// Failures of all runs, grouped by kind and step; a retry by filter says how many it would be before it is done.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { endingWords } from "../../../base/errors/who-handles.ts";
import type { ErrorGroupJson, ErrorsJson, RetryBody } from "../../server/contract/letters.ts";
import { serverNow } from "../api/clock.ts";
import { Button } from "../parts/button.tsx";
import { RetryLettersDialog } from "../parts/drive-dialogs.tsx";
import { ChoiceField, KindField } from "../parts/field.tsx";
import { Empty, Pane, View } from "../parts/pane.tsx";
import { isReadOnly, runPath } from "../state/actions.ts";
import { addressOf, change, query } from "../state/address.ts";
import { useAnswer } from "../state/loaded.ts";
import { agoText, countText, plural } from "../text.ts";

/** While older runs are still being read. */
const SOON_MS = 300;
const SINCE = [
  ["", "last 30 days"],
  ["7d", "last 7 days"],
  ["1d", "last day"],
  ["1h", "last hour"],
] as const;

export function ErrorsView() {
  const { kind = "", since = "" } = query.value as { kind?: string; since?: string };
  const loaded = useAnswer<ErrorsJson>("/api/errors", { kind, since }, 8000);
  const answer = loaded.value.value;
  useEffect(() => {
    if (!answer || answer.unread === 0) return undefined;
    const timer = setTimeout(loaded.reload, SOON_MS);
    return () => clearTimeout(timer);
  }, [answer]);
  const asked = useSignal<ErrorGroupJson | null>(null);
  const close = (): void => {
    asked.value = null;
    loaded.reload();
  };
  const tools = (
    <>
      <span class="grow" />
      <KindField kind={kind} />
      <ChoiceField label="Since" value={since} options={SINCE} choose={(age) => change({ since: age })} />
    </>
  );
  return (
    <View title="Errors" tools={tools}>
      <Pane loaded={loaded} what="The errors">
        {({ groups, groups_in_all, total, unread, unreadable }) =>
          groups.length === 0 && unread === 0 && unreadable.length === 0 ? (
            <Empty title="No failure" command="segno errors FILE">
              What fails appears here, grouped by its kind and its step. What a workflow can raise at all is said by
            </Empty>
          ) : (
            <>
              <p class="soft">
                {plural(total, "failure")} in {plural(groups_in_all, "group")}
                {groups.length < groups_in_all && `, the newest ${countText(groups.length)} of them here`}
                {unread > 0 && `; ${plural(unread, "older one is", "older ones are")} still being read`}
              </p>
              {unreadable.length > 0 && <LeftOut runs={unreadable} />}
              <ul class="error-groups column">
                {groups.map((group) => (
                  <Group
                    group={group}
                    retry={unread === 0 ? () => (asked.value = group) : null}
                    key={`${group.kind} ${group.file} ${group.step}`}
                  />
                ))}
              </ul>
            </>
          )
        }
      </Pane>
      {asked.value && <RetryLettersDialog wanted={lettersOf(asked.value)} close={close} />}
    </View>
  );
}

const MOST_LEFT_OUT = 5;

/** Runs whose failures are in no group: their own pages say why. */
function LeftOut({ runs }: { readonly runs: readonly string[] }) {
  const more = runs.length - MOST_LEFT_OUT;
  return (
    <p class="soft">
      {plural(runs.length, "run")} cannot be read and {runs.length === 1 ? "is" : "are"} left out:{" "}
      {runs.slice(0, MOST_LEFT_OUT).map((run) => (
        <span key={run}>
          <a href={runPath(run)}>{run}</a>{" "}
        </span>
      ))}
      {more > 0 && `and ${countText(more)} more`}
    </p>
  );
}

/** The workflow ended itself at a step that says so: no kind of error. */
const ENDED_ITSELF = "WorkflowTerminated";

const runsOf = ({ kind, error_type, workflow }: ErrorGroupJson): string =>
  addressOf(
    "/",
    kind === null ? { workflow, status: error_type === ENDED_ITSELF ? "terminated:failed" : "failed" } : { kind },
  );

const lettersOf = ({ kind, workflow, step, letters }: ErrorGroupJson): RetryBody => ({
  filter: { kind: kind ?? undefined, workflow, step: step ?? undefined },
  count: letters,
});

interface GroupProps {
  readonly group: ErrorGroupJson;
  /** null: how many letters it would be is not known yet. */
  readonly retry: (() => void) | null;
}

function Group({ group, retry }: GroupProps) {
  const { kind, error_type, workflow, step, message, count, last_at, newest, letters, retryable, fixable } = group;
  return (
    <li class="error-group middle">
      <span class="times number">{countText(count)}×</span>
      <div class="grow">
        <p class="row wrap">
          <code class="kind">{kind ?? endingWords(error_type ?? "")}</code>
          <span>
            {workflow}
            {step && <span class="soft"> · {step}</span>}
          </span>
          {retryable && <span class="soft small">may be temporary</span>}
          {fixable && <span class="soft small">fix it in the file</span>}
        </p>
        <p class="two-lines soft" title={message}>
          {message}
        </p>
      </div>
      <span class="soft small">{agoText(last_at, serverNow.value)}</span>
      <span class="row">
        <a class="button low" href={addressOf(runPath(newest.run), { step: newest.step, item: newest.item })}>
          Newest run
        </a>
        <a class="button low" href={runsOf(group)}>
          Runs
        </a>
        {letters > 0 && retry && !isReadOnly() && (
          <Button is="low" label={`Retry ${plural(letters, "letter")}`} onClick={retry} />
        )}
      </span>
    </li>
  );
}
