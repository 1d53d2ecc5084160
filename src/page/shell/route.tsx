// Which view an address shows. Everything but the list of runs is loaded when it is first needed.
import { useEffect } from "preact/hooks";
import { go, path } from "../state/address.ts";
import { RunsView } from "../views/runs/index.tsx";
import { lazy } from "./lazy.tsx";

const RunView = lazy(() => import("../views/run/index.tsx").then(({ RunView: view }) => view));
const ErrorsView = lazy(() => import("../views/errors/index.tsx").then(({ ErrorsView: view }) => view));
const GatesView = lazy(() => import("../views/gates/index.tsx").then(({ GatesView: view }) => view));
const LettersView = lazy(() => import("../views/letters/index.tsx").then(({ LettersView: view }) => view));
const OneLetterView = lazy(() => import("../views/letters/letter.tsx").then(({ OneLetterView: view }) => view));
const EvalsView = lazy(() => import("../views/evals/index.tsx").then(({ EvalsView: view }) => view));
const OneEvalView = lazy(() => import("../views/evals/eval.tsx").then(({ OneEvalView: view }) => view));
const LimitsView = lazy(() => import("../views/limits/index.tsx").then(({ LimitsView: view }) => view));
const BreakersView = lazy(() => import("../views/breakers/index.tsx").then(({ BreakersView: view }) => view));
const TriggersView = lazy(() => import("../views/triggers/index.tsx").then(({ TriggersView: view }) => view));
const WorkersView = lazy(() => import("../views/workers/index.tsx").then(({ WorkersView: view }) => view));
const WorkflowsView = lazy(() => import("../views/workflows/index.tsx").then(({ WorkflowsView: view }) => view));
const WorkflowView = lazy(() => import("../views/workflows/workflow.tsx").then(({ WorkflowView: view }) => view));

export function ViewOfAddress() {
  const [, page = "", ...rest] = path.value.split("/").map(decode);
  const named = rest.join("/");
  switch (page) {
    case "":
      return <RunsView />;
    case "runs":
      return named ? <RunView id={named} key={named} /> : <ToAllRuns />;
    case "errors":
      return <ErrorsView />;
    case "gates":
      return <GatesView />;
    case "letters":
      return named ? <OneLetterView id={named} key={named} /> : <LettersView />;
    case "limits":
      return <LimitsView />;
    case "breakers":
      return <BreakersView />;
    case "evals":
      return named ? <OneEvalView id={named} key={named} /> : <EvalsView />;
    case "triggers":
      return <TriggersView />;
    case "workers":
      return <WorkersView />;
    case "workflows":
      return named ? <WorkflowView file={named} key={named} /> : <WorkflowsView />;
    default:
      return (
        <main class="view">
          <div class="empty">
            <h1>There is no such page</h1>
            <p>
              <code>{path.value}</code> leads nowhere. It may be mistyped, or of a newer Segno.
            </p>
            <a class="button main" href="/">
              All runs
            </a>
          </div>
        </main>
      );
  }
}

/** `/runs` is what people type; the address of all runs is `/`. */
function ToAllRuns() {
  useEffect(() => go("/", { replace: true }), []);
  return <RunsView />;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
