// The file as it is now against its last runs and its scenarios: as a tab, and beside the graph while the file is edited.

import { useEffect } from "preact/hooks";
import { apiPath, type QueryValues } from "../../../frontends/page/api/client.ts";
import { serverNow } from "../../../frontends/page/api/clock.ts";
import { type State, StepState } from "../../../frontends/page/parts/button.tsx";
import { CommandText, Fold, Pane, Part } from "../../../frontends/page/parts/pane.tsx";
import { type Column, Table } from "../../../frontends/page/parts/table.tsx";
import { runPath, workflowPath } from "../../../frontends/page/state/actions.ts";
import { addressOf } from "../../../frontends/page/state/address.ts";
import { useAnswer } from "../../../frontends/page/state/loaded.ts";
import { moment, plural, shortId } from "../../../frontends/page/text.ts";
import { LineLink } from "../../../frontends/page/views/workflows/findings.tsx";
import type { BacktestJson } from "../../../frontends/server/contract/history.ts";
import type { CoverageJson, WorkflowJson } from "../../../frontends/server/contract/workflows.ts";
import { runsIn } from "./runs-in.ts";

type Verdict = keyof BacktestJson["counts"];
type Group = BacktestJson["groups"][number];

const VERDICTS: Readonly<Record<Verdict, { readonly state: State; readonly word: string }>> = {
  same: { state: "completed", word: "same" },
  rerouted: { state: "retrying", word: "same end, other way" },
  better: { state: "recovered", word: "better" },
  worse: { state: "failed", word: "worse" },
  output: { state: "waiting", word: "other output" },
  unknown: { state: "pending", word: "unknown" },
};

export function Backtest({ file }: { readonly file: string }) {
  const loaded = useAnswer<BacktestJson>(filePath("backtest", file));
  return (
    <div class="scroll">
      <div class="padded stack">
        <p class="soft">
          Each past run is played through the file as it is now, offline, with the answers of its journal.
        </p>
        <Pane loaded={loaded} what="The last runs">
          {(answer) => (
            <>
              <Counts answer={answer} />
              {differing(answer).length === 0 ? (
                <p>No past run would differ.</p>
              ) : (
                <Table columns={columnsOf(answer)} rows={differing(answer)} nameOf={nameOf} />
              )}
            </>
          )}
        </Pane>
        <p class="soft">The same in a terminal:</p>
        <CommandText>{`segno backtest ${file}`}</CommandText>
      </div>
    </div>
  );
}

export const filePath = (what: string, file: string): string => apiPath(what, ...file.split("/"));

const differing = ({ groups }: BacktestJson): readonly Group[] => groups.filter(({ verdict }) => verdict !== "same");

const nameOf = ({ verdict, example, step, line }: Group): string => `${verdict} ${step} ${line} ${example}`;

export function Counts({ answer: { counts, runs, newest } }: { readonly answer: BacktestJson }) {
  const met = (Object.keys(VERDICTS) as Verdict[]).filter((verdict) => counts[verdict] > 0);
  return (
    <div class="row wrap" role="status">
      <strong>{plural(runs.length, "run")}</strong>
      {newest !== null && <span class="soft">the newest from {moment(newest, serverNow.peek())}</span>}
      {met.map((verdict) => (
        <StepState
          state={VERDICTS[verdict].state}
          word={`${counts[verdict]} ${VERDICTS[verdict].word}`}
          pill
          key={verdict}
        />
      ))}
    </div>
  );
}

const columnsOf = ({ runs }: BacktestJson): readonly Column<Group>[] => [
  {
    head: "Verdict",
    cell: ({ verdict, count }) => (
      <StepState state={VERDICTS[verdict].state} word={`${count} ${VERDICTS[verdict].word}`} />
    ),
  },
  { head: "Step", is: "fact", cell: ({ step }) => step },
  { head: "What differs", cell: (group) => <Differs group={group} /> },
  { head: "Line", cell: (group) => <Line group={group} /> },
  { head: "Runs", cell: (group) => <Runs ids={runsIn(group, runs)} /> },
];

const AT_ONCE = 3;

/** The newest of them; the others on demand. */
function Runs({ ids }: { readonly ids: readonly string[] }) {
  const [first, rest] = [ids.slice(0, AT_ONCE), ids.slice(AT_ONCE)];
  return (
    <>
      <RunLinks ids={first} />
      {rest.length > 0 && (
        <Fold title={`and ${rest.length} more`}>
          <RunLinks ids={rest} />
        </Fold>
      )}
    </>
  );
}

const RunLinks = ({ ids }: { readonly ids: readonly string[] }) => (
  <span class="row wrap">
    {ids.map((id) => (
      <a href={runPath(id)} title={id} key={id}>
        <code>{shortId(id)}</code>
      </a>
    ))}
  </span>
);

function Differs({ group: { was, now, routes, fields, why, hint, can_follow = [] } }: { readonly group: Group }) {
  if (why !== undefined)
    return (
      <>
        <span>{why}</span>
        {can_follow.map(({ kind, then }) => (
          <div class="soft" key={kind}>
            may raise <code>{kind}</code>: {then}
          </div>
        ))}
      </>
    );
  if (fields !== undefined && fields.length > 0) return <span>other values in {fields.join(", ")}</span>;
  return (
    <>
      <span>
        {was}, now {now}
      </span>
      {routes && (
        <div class="soft">
          {routes.was} → {routes.now}
        </div>
      )}
      {hint !== undefined && <div class="soft">{hint}</div>}
    </>
  );
}

function Line({ group: { file, line, change } }: { readonly group: Group }) {
  if (file === null || line === null) return null;
  return (
    <>
      <a href={addressOf(workflowPath(file), { view: "yaml", line })}>
        {file}:{line}
      </a>
      {change !== null && (
        <div>
          <code>{change}</code>
        </div>
      )}
    </>
  );
}

/** At each save; more would keep the author waiting. */
const RUNS = 20;

interface WorkflowProps {
  readonly workflow: WorkflowJson;
}

/** Asked again at each save that leaves the file valid; what was shown stays meanwhile. */
function useAskedAtSaves<Answer>({ file, mark, picture }: WorkflowJson, what: string, query: QueryValues) {
  const loaded = useAnswer<Answer>(filePath(what, file), query);
  useEffect(() => {
    if (picture) loaded.reload();
  }, [loaded, mark]);
  return loaded;
}

export function ScenarioCoverage({ workflow }: WorkflowProps) {
  const loaded = useAskedAtSaves<CoverageJson>(workflow, "coverage", {});
  return (
    <Part label="Scenarios" title="Scenarios">
      <Pane loaded={loaded} what="The scenarios">
        {(coverage) =>
          coverage.scenarios === 0 ? (
            <p class="soft">No scenario of this file can be played offline.</p>
          ) : (
            <Coverage coverage={coverage} file={workflow.file} />
          )
        }
      </Pane>
    </Part>
  );
}

const share = ({ taken, total }: CoverageJson["steps"], what: string): string => `${taken} of ${plural(total, what)}`;

function Coverage({ coverage, file }: { readonly coverage: CoverageJson; readonly file: string }) {
  const { scenarios, steps, success_routes, error_routes, denials, untaken } = coverage;
  return (
    <>
      <p>
        {plural(scenarios, "scenario")} {scenarios === 1 ? "takes" : "take"} {share(steps, "step")},{" "}
        {share(success_routes, "success route")}, {share(error_routes, "error route")}
        {denials.total > 0 && `, ${share(denials, "denial")}`}.
      </p>
      {untaken.length > 0 && (
        <Fold title="not taken by any" isOpen={untaken.length < 6}>
          <ul class="untaken">
            {untaken.map(({ what, node, line, route }) => (
              <li key={`${what} ${node} ${line} ${route}`}>
                <span>
                  {what} {what !== "step" && "of "}
                  <code>{node}</code>
                  {what !== "step" && `: ${route}`}
                </span>
                <span class="small soft">
                  <LineLink place={{ file, line }} file={file} />
                </span>
              </li>
            ))}
          </ul>
        </Fold>
      )}
    </>
  );
}

/** How the newest runs would end with the file as it is now. */
export function LastBacktest({ workflow }: WorkflowProps) {
  const loaded = useAskedAtSaves<BacktestJson>(workflow, "backtest", { runs: RUNS });
  return (
    <Part label="Against its last runs" title="Against its last runs">
      <Pane loaded={loaded} what="The last runs">
        {(answer) => (
          <>
            <Counts answer={answer} />
            <a class="small" href={addressOf(workflowPath(workflow.file), { view: "backtest" })}>
              what differs, and where
            </a>
          </>
        )}
      </Pane>
    </Part>
  );
}
