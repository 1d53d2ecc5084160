// Which view an address shows. Everything but the list of runs is loaded when it is first needed.
import { path } from "../state/address.ts";
import { Runs } from "../views/runs/index.tsx";
import { lazy } from "./lazy.tsx";

const Run = lazy(() => import("../views/run/index.tsx").then(({ Run: view }) => view));
const Errors = lazy(() => import("../views/errors/index.tsx").then(({ Errors: view }) => view));
const Gates = lazy(() => import("../views/gates/index.tsx").then(({ Gates: view }) => view));
const Letters = lazy(() => import("../views/letters/index.tsx").then(({ Letters: view }) => view));
const Letter = lazy(() => import("../views/letters/letter.tsx").then(({ Letter: view }) => view));
const Breakers = lazy(() => import("../views/breakers/index.tsx").then(({ Breakers: view }) => view));
const Workflows = lazy(() => import("../views/workflows/index.tsx").then(({ Workflows: view }) => view));
const Workflow = lazy(() => import("../views/workflows/workflow.tsx").then(({ Workflow: view }) => view));

export function Route() {
  const [, page = "", ...rest] = path.value.split("/").map(decode);
  const named = rest.join("/");
  switch (page) {
    case "":
      return <Runs />;
    case "runs":
      return named ? <Run id={named} key={named} /> : <Runs />;
    case "errors":
      return <Errors />;
    case "gates":
      return <Gates />;
    case "letters":
      return named ? <Letter id={named} key={named} /> : <Letters />;
    case "breakers":
      return <Breakers />;
    case "workflows":
      return named ? <Workflow file={named} key={named} /> : <Workflows />;
    default:
      return (
        <main class="view">
          <div class="empty">
            <h1>There is no such page</h1>
            <p>
              {path.value} leads nowhere. <a href="/">All runs</a>
            </p>
          </div>
        </main>
      );
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
