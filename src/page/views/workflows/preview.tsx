// What an author sees beside the graph while the file is edited: what scenarios take of it, and how its last runs would end.
import { useEffect } from "preact/hooks";
import type { BacktestJson } from "../../../server/contract/history.ts";
import type { CoverageJson, WorkflowJson } from "../../../server/contract/workflows.ts";
import { apiPath, get } from "../../api/client.ts";
import { Pane } from "../../parts/pane.tsx";
import { plural } from "../../parts/text.ts";
import { workflowPath } from "../../state/actions.ts";
import { addressOf } from "../../state/address.ts";
import { type Loaded, useLoaded } from "../../state/loaded.ts";
import { Counts } from "./backtest.tsx";
import { LineLink } from "./findings.tsx";

/** At each save; more would keep the author waiting. */
const RUNS = 20;

interface WorkflowProps {
  readonly workflow: WorkflowJson;
}

/** Asked again at each save that leaves the file valid; what was shown stays meanwhile. */
function useAskedAtSaves<Answer>(
  { file, mark, picture }: WorkflowJson,
  ask: (file: string, signal: AbortSignal) => Promise<Answer>,
): Loaded<Answer> {
  const loaded = useLoaded((signal) => ask(file, signal), [file]);
  useEffect(() => {
    if (picture) loaded.reload();
  }, [loaded, mark]);
  return loaded;
}

export function ScenarioCoverage({ workflow }: WorkflowProps) {
  const loaded = useAskedAtSaves(workflow, (file, signal) =>
    get<CoverageJson>(apiPath("coverage", ...file.split("/")), {}, signal),
  );
  return (
    <section class="part" aria-label="Scenarios">
      <h2>Scenarios</h2>
      <Pane loaded={loaded} what="The scenarios">
        {(coverage) =>
          coverage.scenarios === 0 ? (
            <p class="soft">No scenario of this file can be played offline.</p>
          ) : (
            <Coverage coverage={coverage} file={workflow.file} />
          )
        }
      </Pane>
    </section>
  );
}

const share = ({ taken, total }: CoverageJson["steps"], what: string): string => `${taken} of ${plural(total, what)}`;

function Coverage({ coverage, file }: { readonly coverage: CoverageJson; readonly file: string }) {
  const { scenarios, steps, success_routes, error_routes, untaken } = coverage;
  return (
    <>
      <p>
        {plural(scenarios, "scenario")} {scenarios === 1 ? "takes" : "take"} {share(steps, "step")},{" "}
        {share(success_routes, "success route")}, {share(error_routes, "error route")}.
      </p>
      {untaken.length > 0 && (
        <details class="fold" open={untaken.length < 6}>
          <summary>not taken by any</summary>
          <ul class="untaken">
            {untaken.map(({ what, node, line, route }) => (
              <li key={`${what} ${node} ${line} ${route}`}>
                <span>
                  {what} {what === "step" ? <code>{node}</code> : null}
                  {what !== "step" && (
                    <>
                      of <code>{node}</code>: {route}
                    </>
                  )}
                </span>
                <span class="small soft">
                  <LineLink place={{ file, line }} file={file} />
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** How the newest runs would end with the file as it is now. */
export function LastBacktest({ workflow }: WorkflowProps) {
  const loaded = useAskedAtSaves(workflow, (file, signal) =>
    get<BacktestJson>(apiPath("backtest", ...file.split("/")), { runs: RUNS }, signal),
  );
  return (
    <section class="part" aria-label="Against its last runs">
      <h2>Against its last runs</h2>
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
    </section>
  );
}
