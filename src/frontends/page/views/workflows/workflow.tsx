// One workflow file, followed as it is saved: its graph, its inputs as a form, what it can raise, its last runs. While it has
// errors, the last picture stays, greyed.
import { useCallback, useRef } from "preact/hooks";
import { Backtest, LastBacktest, ScenarioCoverage } from "../../../../features/history/page/backtest.tsx";
import type { AnswerOf } from "../../../server/contract/addresses.ts";
import type { RunRowJson } from "../../../server/contract/runs.ts";
import type { WorkflowJson } from "../../../server/contract/workflows.ts";
import { apiPath, get } from "../../api/client.ts";
import { serverNow } from "../../api/clock.ts";
import { Cut, RunStatusMark, StepState, shownStatus } from "../../parts/button.tsx";
import { Tabs } from "../../parts/field.tsx";
import { CommandText, lazy, Pane, Part } from "../../parts/pane.tsx";
import { Yaml } from "../../parts/yaml.tsx";
import { runPath } from "../../state/actions.ts";
import { change, query } from "../../state/address.ts";
import { type Loaded, useLoaded, useRepeated } from "../../state/loaded.ts";
import { durationText, moment } from "../../text.ts";
import { GraphView } from "../run/graph/index.tsx";
import type { NodeFinding } from "../run/graph/shape.tsx";
import { Split } from "../run/split.tsx";
import { askEditorToShow, Findings, isPreview, RaisesTable, shownFindings } from "./findings.tsx";
import { StartForm } from "./start-form.tsx";

/** By whose rules the file is read. */
const DIALECTS = { agents: "agents: Conductor's rules", steps: "steps: Segno's rules" } as const;

export function WorkflowView({ id: file }: { readonly id: string }) {
  const loaded = useFollowed(file);
  return (
    <main class="view fixed column">
      <Pane loaded={loaded} what="The workflow">
        {(workflow) => (
          <>
            <header class={`banner column is-${workflow.picture ? "pending" : "failed"}`}>
              <div class="banner-line middle">
                <h1>{workflow.workflow ?? file}</h1>
                {workflow.workflow && <Cut is="soft small" text={workflow.file} />}
                {workflow.dialect && <span class="soft small">{DIALECTS[workflow.dialect]}</span>}
                {!workflow.picture && <StepState state="failed" word="does not load" pill />}
              </div>
              {workflow.description && <p class="soft">{workflow.description}</p>}
            </header>
            <Split
              name="workflow"
              main={<Drawing workflow={workflow} />}
              side={hasSide(workflow) && <About workflow={workflow} />}
            />
          </>
        )}
      </Pane>
    </main>
  );
}

const FOLLOW_MS = 500;

/** The file as it is now: asked again and again, and sent only when it is another one. */
function useFollowed(file: string): Loaded<WorkflowJson> {
  const known = useRef<WorkflowJson | null>(null);
  const isAsked = useRef(false);
  const loaded = useLoaded(
    async (signal) => {
      isAsked.current = true;
      try {
        const answer = await get<AnswerOf<"workflow">>(
          apiPath("workflows", ...file.split("/")),
          { unless: known.current?.mark },
          signal,
        );
        if (!("unchanged" in answer)) known.current = answer;
        return known.current as WorkflowJson;
      } finally {
        isAsked.current = false;
      }
    },
    [file],
  );
  const again = useCallback(() => {
    if (!isAsked.current) loaded.reload();
  }, [loaded]);
  useRepeated(again, FOLLOW_MS);
  return loaded;
}

const pictureOf = ({ picture, last_picture }: WorkflowJson): WorkflowJson["picture"] => picture ?? last_picture;

/** A file that does not load and never ran has nothing to show there. */
const hasSide = (workflow: WorkflowJson): boolean => pictureOf(workflow) !== null || workflow.runs.length > 0;

function Drawing({ workflow }: { readonly workflow: WorkflowJson }) {
  const views = viewsOf(workflow);
  const picture = pictureOf(workflow);
  const view = views.find(({ name }) => name === query.value["view"])?.name ?? null;
  const line = Number(query.value["line"]) || null;
  return (
    <>
      <div class="run-tabs middle">
        <Tabs label="Views of the workflow" tabs={views} chosen={view} choose={(name) => change({ view: name })} />
      </div>
      {view === "backtest" ? (
        <Backtest file={workflow.file} />
      ) : view === "figures" ? (
        <Figures file={workflow.file} />
      ) : view === "yaml" ? (
        <div class="scroll">
          <Yaml text={workflow.yaml} line={1} flagged={linesOf(workflow)} shown={line} />
        </div>
      ) : picture ? (
        <div class={`followed${workflow.picture ? "" : " stale"}`}>
          <GraphView
            name={`${workflow.file}\n${JSON.stringify(picture)}`}
            place={workflow.file}
            picture={picture}
            lights={null}
            findings={nodeFindings(workflow)}
            chosen={query.value["step"] ?? null}
            choose={(step) => {
              change({ step });
              if (isPreview()) void askEditorToShow(workflow.file, { node: step });
            }}
          />
        </div>
      ) : (
        <div class="scroll">
          <div class="padded narrow stack">
            <Findings workflow={workflow} />
            <p class="soft">The same in a terminal:</p>
            <CommandText>{`segno validate ${workflow.file}`}</CommandText>
          </div>
        </div>
      )}
    </>
  );
}

/** By their names in the address. What looks back at runs needs some, and a file that can be played. */
const viewsOf = ({ picture, last_picture, runs }: WorkflowJson) =>
  [
    { name: null, words: picture || last_picture ? "Graph" : "Findings" },
    { name: "yaml", words: "YAML" },
    ...(picture && runs.length > 0
      ? ([
          { name: "backtest", words: "Against the last 100 runs" },
          { name: "figures", words: "Figures" },
        ] as const)
      : []),
  ] as const;

const Figures = lazy(() => import("./figures.tsx").then((part) => part.Figures));

const nodeFindings = (workflow: WorkflowJson): readonly NodeFinding[] =>
  shownFindings(workflow).flatMap(({ node, isError, message }) => (node === null ? [] : [{ node, isError, message }]));

const linesOf = (workflow: WorkflowJson): ReadonlyMap<number, "failed" | "recovered"> =>
  new Map(
    shownFindings(workflow)
      .toReversed()
      .flatMap(({ place, isError }) =>
        place?.file === workflow.file ? [[place.line, isError ? "failed" : "recovered"] as const] : [],
      ),
  );

function About({ workflow }: { readonly workflow: WorkflowJson }) {
  // A file with errors cannot be played: then what was there before stays.
  const wasValid = useRef(false);
  wasValid.current ||= isPreview() && workflow.picture !== null;
  return (
    <div class="step column">
      <div class="step-body column">
        {workflow.picture && !isPreview() && <StartForm workflow={workflow} />}
        {pictureOf(workflow) && <Findings workflow={workflow} />}
        {wasValid.current && <ScenarioCoverage workflow={workflow} />}
        {wasValid.current && workflow.runs.length > 0 && <LastBacktest workflow={workflow} />}
        <LastRuns runs={workflow.runs} />
        <RaisesTable workflow={workflow} />
      </div>
    </div>
  );
}

function LastRuns({ runs }: { readonly runs: readonly RunRowJson[] }) {
  if (runs.length === 0) return null;
  return (
    <Part title="Last runs">
      <ul class="last-runs">
        {runs.map((run) => (
          <li key={run.run_id}>
            <a href={runPath(run.run_id)} title={run.run_id}>
              <RunStatusMark status={shownStatus(run)} />
            </a>
            <code class="kind cut" title={run.kind ?? undefined}>
              {run.kind}
            </code>
            <span class="number soft">{moment(run.started_at, serverNow.peek())}</span>
            <span class="number">{durationText(run.took_ms)}</span>
          </li>
        ))}
      </ul>
    </Part>
  );
}
