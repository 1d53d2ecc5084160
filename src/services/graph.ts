// `segno graph`: a workflow drawn with its success and error routes, and the path that a run took, if one is named.
import { resolve } from "node:path";
import { dot } from "../graph/dot.ts";
import { draw } from "../graph/draw.ts";
import { type Lights, lightsOf } from "../graph/lit.ts";
import { mermaid } from "../graph/mermaid.ts";
import { svg } from "../graph/svg/index.ts";
import { validateWorkflow } from "../language/validate.ts";
import { type Head, head, type Result } from "../results/index.ts";
import { type Extensions, knownTo } from "./extensions.ts";
import { realFiles } from "./files.ts";
import { storeOf } from "./home.ts";
import { invalidWorkflow, noSuchRun, refused, storeProblem } from "./refusals.ts";
import type { Surroundings } from "./request.ts";
import { shownPath } from "./shown-path.ts";

export type GraphFormat = "mermaid" | "dot" | "svg";

export interface GraphAnswer extends Head {
  readonly file: string;
  readonly format: GraphFormat;
  /** The drawing; empty when there is none. */
  readonly graph: string;
}

export interface GraphRequest extends Surroundings {
  readonly extensions?: Extensions;
  readonly file: string;
  readonly format: GraphFormat;
  /** A run whose path is lit. */
  readonly run?: string;
}

const RENDERERS = { mermaid, dot, svg } as const;

export function drawGraph(request: GraphRequest): GraphAnswer {
  const { file, format, cwd, env, run, extensions } = request;
  const path = resolve(cwd, file);
  const shown = shownPath(path, cwd);
  const { workflow, findings } = validateWorkflow(path, realFiles(env), { asChild: true, ...knownTo(extensions) });
  const without = (result: Result): GraphAnswer => ({ ...result, file: shown, format, graph: "" });
  if (!workflow || findings.some(({ severity }) => severity === "error"))
    return without(invalidWorkflow(findings, path, cwd));
  const lights = run === undefined ? null : lightsOfRun(run, request);
  if (lights && "schema" in lights) return without(lights);
  return { ...head(0), file: shown, format, graph: RENDERERS[format](draw(workflow, lights)) };
}

function lightsOfRun(run: string, request: GraphRequest): Lights | Result {
  const store = storeOf(request);
  try {
    const runId = store.findRun(run);
    if (!runId) return refused(noSuchRun(run, request.reader));
    const reader = store.readRun(runId);
    try {
      return lightsOf(reader.events());
    } finally {
      reader.close();
    }
  } catch (problem) {
    return storeProblem(problem, undefined, request);
  } finally {
    store.close();
  }
}
