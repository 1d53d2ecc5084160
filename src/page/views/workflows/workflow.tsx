// One workflow file: its graph, its inputs as a form, what it can raise, its last runs.
import { useSignal } from "@preact/signals";
import type { RunRowJson } from "../../../server/contract/runs.ts";
import type { WorkflowJson } from "../../../server/contract/workflows.ts";
import { apiPath, get } from "../../api/client.ts";
import { Icon } from "../../parts/icon.tsx";
import { Pane } from "../../parts/pane.tsx";
import { RunStatusMark, statusWord } from "../../parts/status.tsx";
import { durationText, moment } from "../../parts/text.ts";
import { Yaml } from "../../parts/yaml.tsx";
import { lazy } from "../../shell/lazy.tsx";
import { change, query } from "../../state/address.ts";
import { serverNow } from "../../state/clock.ts";
import { useLoaded } from "../../state/loaded.ts";
import { GraphView } from "../run/graph/index.tsx";
import { Split } from "../run/split.tsx";
import { Findings, shownFindings } from "./findings.tsx";
import { RaisesTable } from "./raises.tsx";
import { StartForm } from "./start-form.tsx";

export function WorkflowView({ file }: { readonly file: string }) {
  const loaded = useLoaded((signal) => get<WorkflowJson>(apiPath("workflows", ...file.split("/")), {}, signal), [file]);
  return (
    <main class="view fixed">
      <Pane loaded={loaded} what="The workflow">
        {(workflow) => (
          <>
            <header class={`banner is-${workflow.picture ? "pending" : "failed"}`}>
              <div class="banner-line">
                <h1>{workflow.workflow ?? file}</h1>
                {workflow.workflow && (
                  <span class="soft small cut" title={workflow.file}>
                    {workflow.file}
                  </span>
                )}
                {!workflow.picture && (
                  <span class="status is-failed pill">
                    <Icon name="failed" /> does not load
                  </span>
                )}
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

/** A file that does not load and never ran has nothing to show there. */
const hasSide = ({ picture, runs }: WorkflowJson): boolean => picture !== null || runs.length > 0;

function Drawing({ workflow }: { readonly workflow: WorkflowJson }) {
  const views = viewsOf(workflow);
  const view = views.find(({ name }) => name === query.value["view"])?.name ?? null;
  const line = Number(query.value["line"]) || null;
  const version = useSignal(workflow.yaml);
  version.value = workflow.yaml;
  return (
    <>
      <div class="run-tabs">
        <div role="tablist" aria-label="Views of the workflow" class="row">
          {views.map(({ name, title }) => (
            <button
              type="button"
              role="tab"
              class="tab"
              aria-selected={view === name}
              onClick={() => change({ view: name })}
              key={title}
            >
              {title}
            </button>
          ))}
        </div>
      </div>
      {view === "backtest" ? (
        <Backtest file={workflow.file} />
      ) : view === "forecast" ? (
        <Forecast file={workflow.file} />
      ) : view === "yaml" ? (
        <div class="scroll">
          <Yaml text={workflow.yaml} line={1} flagged={linesOf(workflow)} shown={line} />
        </div>
      ) : workflow.picture ? (
        <GraphView
          name={`${workflow.file}\n${workflow.yaml}`}
          picture={workflow.picture}
          lights={null}
          chosen={query.value["step"] ?? null}
          choose={(step) => change({ step })}
        />
      ) : (
        <div class="scroll">
          <div class="padded narrow stack">
            <Findings workflow={workflow} />
            <p class="soft">The same in a terminal:</p>
            <pre class="code">segno validate {workflow.file}</pre>
          </div>
        </div>
      )}
    </>
  );
}

interface WorkflowTab {
  /** In the address; null: what is shown without one. */
  readonly name: "yaml" | "backtest" | "forecast" | null;
  readonly title: string;
}

/** What looks back at runs needs some, and a file that can be played. */
const viewsOf = ({ picture, runs }: WorkflowJson): readonly WorkflowTab[] => [
  { name: null, title: picture ? "Graph" : "Findings" },
  { name: "yaml", title: "YAML" },
  ...(picture && runs.length > 0
    ? [
        { name: "backtest" as const, title: "Against the last 100 runs" },
        { name: "forecast" as const, title: "Forecast" },
      ]
    : []),
];

const Backtest = lazy(() => import("./backtest.tsx").then(({ Backtest: view }) => view));
const Forecast = lazy(() => import("./forecast.tsx").then(({ Forecast: view }) => view));

/** Lines that something is said of, and what it is. */
const linesOf = (workflow: WorkflowJson): ReadonlyMap<number, "failed" | "recovered"> =>
  new Map(
    shownFindings(workflow)
      .toReversed()
      .flatMap(({ place, isError }) =>
        place?.file === workflow.file ? [[place.line, isError ? "failed" : "recovered"] as const] : [],
      ),
  );

function About({ workflow }: { readonly workflow: WorkflowJson }) {
  return (
    <div class="step">
      <div class="step-body">
        {workflow.picture && <StartForm workflow={workflow} />}
        {workflow.picture && <Findings workflow={workflow} />}
        <LastRuns runs={workflow.runs} />
        <RaisesTable workflow={workflow} />
      </div>
    </div>
  );
}

function LastRuns({ runs }: { readonly runs: readonly RunRowJson[] }) {
  if (runs.length === 0) return null;
  return (
    <section class="part">
      <h2>Last runs</h2>
      <ul class="last-runs">
        {runs.map((run) => (
          <li key={run.run_id}>
            <a href={`/runs/${encodeURIComponent(run.run_id)}`} title={run.run_id}>
              <RunStatusMark status={statusWord(run)} />
            </a>
            <code class="kind cut" title={run.kind ?? undefined}>
              {run.kind}
            </code>
            <span class="number soft">{moment(run.started_at, serverNow.peek())}</span>
            <span class="number">{durationText(run.took_ms)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
