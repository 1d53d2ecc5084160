// What the page of a workflow shows its author beside the graph: what scenarios take, and the way to the editor.
import { placeOfNode } from "../desk/picture-places.ts";
import { playScenarios } from "../desk/played.ts";
import { showInEditor } from "../desk/show-in-editor.ts";
import type { FileCoverage } from "../scenarios/coverage.ts";
import { scenariosOf } from "../scenarios/discover.ts";
import type { Session } from "../session/session.ts";
import { shownPath } from "../session/shown-path.ts";
import type { ShownFiles } from "./workflow-shown.ts";

export interface ShownCoverage extends Omit<FileCoverage, "file"> {
  readonly scenarios: number;
  readonly taken: Readonly<Record<string, number>>;
}

const NONE = { total: 0, taken: 0 };

/** Of the file as it was when it last had no errors; nothing is counted where scenarios cannot be played offline. */
export async function coverageOf(file: string, files: ShownFiles, session: Session): Promise<ShownCoverage> {
  const workflow = files.workflow(file);
  const scenarios = workflow ? scenariosOf(workflow.file, session.cwd) : [];
  const played = workflow && (await playScenarios(workflow, scenarios, session));
  const { steps = NONE, success_routes = NONE, error_routes = NONE, untaken = [] } = played?.coverage ?? {};
  return {
    scenarios: played?.scenarios ?? 0,
    taken: Object.fromEntries(played?.taken ?? []),
    ...{ steps, success_routes, error_routes, untaken },
  };
}

export interface WantedPlace {
  readonly node?: string | undefined;
  readonly line?: number | undefined;
}

/** Nothing where the file has no such node. */
export async function goInEditor(
  file: string,
  { node, line }: WantedPlace,
  files: ShownFiles,
  session: Session,
): Promise<{ readonly file: string; readonly line: number; readonly shown: boolean } | undefined> {
  const workflow = files.workflow(file);
  const place =
    node === undefined
      ? { file: files.pathOf(file), line: line ?? 1, column: 1 }
      : workflow && placeOfNode(workflow, node);
  if (!place) return undefined;
  const shown = await showInEditor({ file: place.file, line: place.line, column: place.column }, session);
  return { file: shownPath(place.file, session.cwd), line: place.line, shown };
}
