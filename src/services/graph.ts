// `segno graph`: a workflow drawn with its success and error routes, and the path that a run took, if one is named.
import { resolve } from "node:path";
import { dot } from "../graph/dot.ts";
import { draw } from "../graph/draw.ts";
import type { Lights } from "../graph/lights.ts";
import { lightsOf } from "../graph/lit.ts";
import { mermaid } from "../graph/mermaid.ts";
import { svg } from "../graph/svg/index.ts";
import { type Head, head } from "../results/index.ts";
import { answering } from "./answering.ts";
import { type Extensions, knownTo } from "./extensions.ts";
import { readEvents } from "./read-run.ts";
import type { Surroundings } from "./request.ts";
import { shownPath } from "./shown-path.ts";
import { validWorkflow } from "./valid-workflow.ts";

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

export async function drawGraph(request: GraphRequest): Promise<GraphAnswer> {
  const { file, format, cwd, run, extensions } = request;
  const path = resolve(cwd, file);
  const shown = shownPath(path, cwd);
  return answering(
    request,
    async () => {
      const workflow = validWorkflow(path, request, { asChild: true, ...knownTo(extensions) });
      const lights = run === undefined ? null : await lightsOfRun(run, request);
      return { ...head(0), file: shown, format, graph: RENDERERS[format](draw(workflow), lights) };
    },
    (result) => ({ ...result, file: shown, format, graph: "" }),
  );
}

/** Loaded only for a run: a plain drawing needs no store. */
async function lightsOfRun(run: string, request: GraphRequest): Promise<Lights> {
  const { withReader } = await import("./store.ts");
  return withReader({ ...request, run }, async (reader) => lightsOf(await readEvents(reader.events())));
}
