// `segno graph`: a workflow drawn with its success and error routes, and the path that a run took, if one is named.
import { resolve } from "node:path";
import type { RunEvent } from "../../base/events/registry.ts";
import { type Head, head, redactEvent } from "../../base/results/index.ts";
import { dot } from "../../graph/dot.ts";
import { draw } from "../../graph/draw.ts";
import type { Lights } from "../../graph/lights.ts";
import { lightsOf } from "../../graph/lit.ts";
import { mermaid } from "../../graph/mermaid.ts";
import { FOLDED_ABOVE, itemsBelow, type Picture } from "../../graph/picture.ts";
import { svg } from "../../graph/svg/index.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { readToShow } from "../reading/read-run.ts";
import { orRefused } from "../refusals.ts";
import { environmentRedactor } from "../session/exit.ts";
import { shownPath } from "../session/files.ts";
import type { Session } from "../session/session.ts";
import { validWorkflow } from "./valid-workflow.ts";

export type GraphFormat = "mermaid" | "dot" | "svg";

export interface GraphAnswer extends Head {
  readonly file: string;
  readonly format: GraphFormat;
  /** The drawing; empty when there is none. */
  readonly graph: string;
}

export interface GraphRequest {
  readonly file: string;
  readonly format: GraphFormat;
  /** A run whose path is lit. */
  readonly run?: string;
  /** How many levels of sub-workflows are drawn with what is in them; when left out, as many as can be read. */
  readonly depth?: GraphDepth;
}

export type GraphDepth = number | "all";

const RENDERERS = { mermaid, dot, svg } as const;

export async function drawGraph(session: Session, request: GraphRequest): Promise<GraphAnswer> {
  const { file, format, run, depth } = request;
  const path = resolve(session.cwd, file);
  const shown = shownPath(path, session.cwd);
  return orRefused(session, { file: shown, format, graph: "" }, async (session) => {
    const workflow = validWorkflow(path, session, { asChild: true });
    // Before it is drawn: a label may be broken into lines in the middle of a secret.
    const picture = environmentRedactor(session.env).answer(drawn(workflow, depth), { keys: "author" });
    const lights = run === undefined ? null : await lightsOfRun(run, session, request);
    return { ...head(0), file: shown, format, graph: RENDERERS[format](picture, lights) };
  });
}

/** Deeper than this hardly anybody wants to see unasked. */
const READABLE_DEPTH = 2;

function drawn(workflow: LoadedWorkflow, depth: GraphDepth | undefined): Picture {
  if (depth !== undefined) return draw(workflow, depth === "all" ? Number.POSITIVE_INFINITY : depth);
  const picture = draw(workflow, READABLE_DEPTH);
  return itemsBelow(picture.items).length > FOLDED_ABOVE ? draw(workflow, 0) : picture;
}

/** Loaded only for a run: a plain drawing needs no store. */
async function lightsOfRun(run: string, session: Session, request: GraphRequest): Promise<Lights> {
  const { withReader } = await import("../session/store.ts");
  return withReader(session, { ...request, run }, async (reader, store) => {
    const isCutOff = (await store.summary(reader.runId))?.crashed === true;
    const events: RunEvent[] = [];
    const redactor = await readToShow(reader, session, (event) => void events.push(event));
    const shown = events.map((event) => redactEvent(event, redactor));
    return lightsOf(shown, { isCutOff });
  });
}
