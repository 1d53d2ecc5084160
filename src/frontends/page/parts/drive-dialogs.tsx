// Dialogs before a run goes on, by a resume or by a retry of its letters: what would run, what is reused, who would be
// asked, and that it may cost. And the one before letters are given up.
import { useSignal } from "@preact/signals";
import type { ResumePlan } from "../../../services/explain/plan.ts";
import type { DroppedJson, RetriedJson, RetryBody, RetryPlanJson } from "../../server/contract/letters.ts";
import type { ExplainJson } from "../../server/contract/log.ts";
import { apiPath, get, newKey, postJson } from "../api/client.ts";
import { newestOf, type ResumeWanted, resume, runPath, tell } from "../state/actions.ts";
import { useLoaded, useSending } from "../state/loaded.ts";
import { stepText } from "../state/step-address.ts";
import { costText, namesText, plural, shortId } from "../text.ts";
import { Dialog } from "./dialog.tsx";
import { Pane } from "./pane.tsx";

const allowing = (limit: ResumePlan["limit"], most: number | null | undefined) =>
  !limit || !most ? {} : limit.max_visits === undefined ? { max_iterations: most } : { max_visits: most };

/** One more Enter has the run go on. */
export function ResumeDialog({ wanted, close }: { readonly wanted: ResumeWanted; readonly close: () => void }) {
  const { run, workflow, more, seq } = wanted;
  const areItems = more?.failed_items === true;
  const loaded = useLoaded(
    async (signal) => {
      const seen = seq ?? (await newestOf(run));
      const query = areItems ? { failed_items: "1" } : {};
      return { ...(await get<ExplainJson>(apiPath("runs", run, "explain"), query, signal)), seq: seen };
    },
    [run],
  );
  const { isSending, send } = useSending();
  const known = loaded.value.value;
  const allowed = useSignal<number | null>(null);
  const limit = known?.resume?.limit;
  const most = limit && (allowed.value ?? limit.allow);
  const canGoOn = known?.resume?.refused.length === 0 && (!limit || (most ?? 0) > limit.executions);
  const act = (): void => {
    if (!canGoOn) return;
    void send(async () => {
      await resume(run, known.seq, { ...more, ...allowing(limit, most) });
      close();
    });
  };
  return (
    <Dialog
      title={areItems ? `Run the lost items of ${workflow} again?` : `Resume ${workflow}?`}
      close={close}
      no="Not now"
      yes={{
        icon: "play",
        label: areItems ? "Run them" : "Resume",
        isFirst: true,
        "aria-disabled": isSending.value || !canGoOn,
        onClick: act,
      }}
    >
      <Pane loaded={loaded} what="What it would do">
        {({ resume: plan, run: explained }) => (
          <section class="stack tight">
            {plan && <h3>{areItems ? "If you run them now" : "If you resume now"}</h3>}
            {plan ? <PlannedDrive plan={plan} /> : <p>{areItems ? NOTHING_LOST : NOT_NOW}</p>}
            {limit && limit.allow !== null && (
              <label class="asked column">
                <span class="soft">
                  {limit.max_visits === undefined
                    ? "Step executions to allow (max_iterations)"
                    : `Visits of ${limit.node_id} to allow (max_visits)`}
                  , more than {limit.executions}
                </span>
                <input
                  class="field"
                  type="number"
                  min={limit.executions + 1}
                  value={allowed.value ?? limit.allow}
                  onInput={(event) => (allowed.value = Math.trunc(Number(event.currentTarget.value)))}
                />
              </label>
            )}
            {(explained?.cost_usd ?? 0) > 0 && (
              <p class="soft">
                It has cost {costText(explained?.cost_usd)} so far. What is reused costs nothing; what asks a model
                costs again.
              </p>
            )}
          </section>
        )}
      </Pane>
    </Dialog>
  );
}

const NOT_NOW = "It cannot be resumed now: see its story.";
const NOTHING_LOST = "It lost no item that could run again, or is being driven: see its story.";

type RunPlan = RetryPlanJson["runs"][number];

export function RetryLettersDialog({ wanted, close }: { readonly wanted: RetryBody; readonly close: () => void }) {
  const loaded = useLoaded(() => postJson<RetryPlanJson>("/api/letters/plan", wanted), [JSON.stringify(wanted)]);
  const key = useSignal(newKey()).value;
  const { isSending, send } = useSending();
  const allowed = loaded.value.value?.runs.filter(({ plan }) => plan === null || plan.refused.length === 0) ?? [];
  const ids = allowed.flatMap(({ letters }) => letters);
  const retry = async (): Promise<void> => {
    await tell(async () => {
      const { runs } = await postJson<RetriedJson>("/api/letters/retry", { ids }, key);
      return runs.length === 1 ? "The run goes on." : `${runs.length} runs go on, one after the other.`;
    });
    close();
  };
  return (
    <Dialog
      title={`Retry ${plural("ids" in wanted ? wanted.ids.length : wanted.count, "letter")}?`}
      close={close}
      no="No"
      yes={{
        icon: "again",
        label: `Retry ${ids.length > 1 ? ids.length : ""}`,
        isFirst: true,
        "aria-disabled": isSending.value || ids.length === 0,
        onClick: () => ids.length > 0 && void send(retry),
      }}
    >
      <Pane loaded={loaded} what="What it would do">
        {({ runs }) => runs.map((run) => <PlanOfRun run={run} isOnly={runs.length === 1} key={run.run_id} />)}
      </Pane>
    </Dialog>
  );
}

function PlanOfRun({ run, isOnly }: { readonly run: RunPlan; readonly isOnly: boolean }) {
  const { run_id, workflow, letters, plan } = run;
  return (
    <section class="stack tight">
      <p>
        {!isOnly && `${plural(letters.length, "letter")}: `}
        {workflow}{" "}
        <a href={runPath(run_id)} title={`Run ${run_id}`}>
          <code>{shortId(run_id)}</code>
        </a>
      </p>
      {plan === null ? (
        <p class="soft">What has failed there runs again; the rest is reused.</p>
      ) : (
        <PlannedDrive plan={plan} />
      )}
    </section>
  );
}

/** Nothing brings letters back that are given up, so Enter alone does not do it. */
export function DropLettersDialog({ ids, close }: { readonly ids: readonly string[]; readonly close: () => void }) {
  const key = useSignal(newKey()).value;
  const { isSending, send } = useSending();
  const isOne = ids.length === 1;
  const drop = async (): Promise<void> => {
    await tell(async () => {
      const { letters } = await postJson<DroppedJson>("/api/letters/drop", { ids }, key);
      return letters.length === 1 ? "The letter is dropped." : `${letters.length} letters are dropped.`;
    });
    close();
  };
  return (
    <Dialog
      title={`Drop ${plural(ids.length, "letter")}?`}
      close={close}
      no={isOne ? "Keep it" : "Keep them"}
      yes={{
        is: "danger",
        icon: "close",
        label: `Drop ${ids.length > 1 ? ids.length : ""}`,
        "aria-disabled": isSending.value,
        onClick: () => void send(drop),
      }}
    >
      <p>
        {isOne ? "It is" : "They are"} given up: a retry takes {isOne ? "it" : "them"} no more, and that cannot be
        undone. What failed stays in its run.
      </p>
    </Dialog>
  );
}

/** What a further drive of a run would do. */
export function PlannedDrive({ plan }: { readonly plan: ResumePlan }) {
  const { changes, changed_files, refused, reused, runs, depends, asks, asks_again, limit, stops } = plan;
  const others = depends.filter((name) => !asks_again.includes(name));
  return (
    <>
      {refused.length > 0 && <p class="kind">It would be refused: {refused.map(({ message }) => message).join(" ")}</p>}
      {changes.length > 0 && (
        <p>Changed since: {changes.map(({ node_id, file, what }) => `${node_id ?? file} (${what})`).join(", ")}</p>
      )}
      {changed_files.map(({ path, node_id, files, command }) => (
        <p key={stepText({ path, node: node_id })}>
          {files.join(", ")} changed since <code>{stepText({ path, node: node_id })}</code> ran, which is reused: its
          inputs are the same.
          {command && (
            <>
              {" "}
              To run it again: <code>{command}</code>
            </>
          )}
        </p>
      ))}
      {asks && (
        <p>
          First it asks: <code>{asks}</code>
        </p>
      )}
      {runs.length > 0 && (
        <>
          <p>
            It runs
            {runs.length > 1 &&
              ` ${plural(
                runs.reduce((sum, { members = 1 }) => sum + members, 0),
                "step",
              )}:`}
          </p>
          <ul class="scenes column">
            {runs.map(({ path, node_id, why, members }) => (
              <li key={stepText({ path, node: node_id })}>
                <code>{stepText({ path, node: node_id })}</code>
                <span class="soft">
                  {" "}
                  {members !== undefined && `${plural(members, "member")}: `}
                  {why}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      {others.length > 0 && <p class="soft">and, if those give something else: {namesText(others)}</p>}
      {asks_again.length > 0 && (
        <p>
          {asks_again.join(", ")} {asks_again.length === 1 ? "asks" : "ask"} again if what people are shown there comes
          out different.
        </p>
      )}
      {limit && (
        <p class="kind">
          Before <code>{stepText({ path: limit.path, node: limit.node_id })}</code> it would stop at its limit again: by
          then, {limit.max_visits === undefined ? "max_iterations" : "max_visits"} (
          {limit.max_visits ?? limit.max_iterations}) is used up.
          {limit.allow === null && " Raise it in the file first."}
        </p>
      )}
      {stops && (
        <p class="kind">
          {stops.node_id === null ? (
            "It would stop at once"
          ) : (
            <>
              Before <code>{stops.node_id}</code> it would stop
            </>
          )}
          : {stops.limit} ({stops.allowed}) is used up. Raise it in the file first.
        </p>
      )}
      {reused.length > 0 && <p class="soft">Reused: {namesText([...new Set(reused)])}</p>}
    </>
  );
}
