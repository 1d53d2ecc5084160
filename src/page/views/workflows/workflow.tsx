// One workflow file: its graph, its inputs as a form, what it can raise, its last runs.
import { useSignal } from "@preact/signals";
import type { RunRowJson } from "../../../server/contract/runs.ts";
import type { WorkflowJson } from "../../../server/contract/workflows.ts";
import { apiPath, get } from "../../api/client.ts";
import { Pane } from "../../parts/pane.tsx";
import { RunStatusMark } from "../../parts/status.tsx";
import { durationText, moment } from "../../parts/text.ts";
import { Yaml } from "../../parts/yaml.tsx";
import { change, query } from "../../state/address.ts";
import { serverNow } from "../../state/clock.ts";
import { useLoaded } from "../../state/loaded.ts";
import { GraphView } from "../run/graph/index.tsx";
import { Split } from "../run/split.tsx";
import { RaisesTable } from "./raises.tsx";
import { StartForm } from "./start-form.tsx";

export function WorkflowView({ file }: { readonly file: string }) {
  const loaded = useLoaded((signal) => get<WorkflowJson>(apiPath("workflows", ...file.split("/")), {}, signal), [file]);
  return (
    <main class="view fixed">
      <Pane loaded={loaded} what="The workflow">
        {(workflow) => (
          <>
            <header class="banner is-pending">
              <div class="banner-line">
                <h1>{workflow.workflow ?? file}</h1>
                <span class="soft small">{workflow.file}</span>
              </div>
              {workflow.description && <p class="soft">{workflow.description}</p>}
            </header>
            <Split name="workflow" main={<Drawing workflow={workflow} />} side={<About workflow={workflow} />} />
          </>
        )}
      </Pane>
    </main>
  );
}

function Drawing({ workflow }: { readonly workflow: WorkflowJson }) {
  const isYaml = query.value["view"] === "yaml";
  const version = useSignal(workflow.yaml);
  version.value = workflow.yaml;
  return (
    <>
      <div class="run-tabs">
        <div role="tablist" aria-label="Views of the workflow" class="row">
          <button type="button" role="tab" class="tab" aria-selected={!isYaml} onClick={() => change({ view: null })}>
            Graph
          </button>
          <button type="button" role="tab" class="tab" aria-selected={isYaml} onClick={() => change({ view: "yaml" })}>
            YAML
          </button>
        </div>
      </div>
      {isYaml ? (
        <div class="scroll">
          <Yaml text={workflow.yaml} line={1} />
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
        <Problems workflow={workflow} />
      )}
    </>
  );
}

function Problems({ workflow }: { readonly workflow: WorkflowJson }) {
  return (
    <div class="padded stack">
      <h2>It does not load</h2>
      {workflow.problems.map((problem, index) => (
        <p class="note" key={index}>
          {String(problem["message"] ?? JSON.stringify(problem))}
        </p>
      ))}
      <pre class="code">segno validate {workflow.file}</pre>
    </div>
  );
}

function About({ workflow }: { readonly workflow: WorkflowJson }) {
  return (
    <div class="step">
      <div class="step-body">
        {workflow.picture && <StartForm workflow={workflow} />}
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
      <table class="lined">
        <tbody>
          {runs.map((run) => (
            <tr key={run.run_id}>
              <td>
                <a href={`/runs/${encodeURIComponent(run.run_id)}`}>
                  <RunStatusMark status={run.termination === "failed" ? "terminated:failed" : run.status} />
                </a>
              </td>
              <td>{run.kind && <code class="kind">{run.kind}</code>}</td>
              <td class="number soft">{moment(run.started_at, serverNow.peek())}</td>
              <td class="number">{durationText(run.took_ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
