// Workflow files below the root as a page shows them: the list, one of them with its graph and its inputs as a form, and the
// plan of a dry run.

import { randomUUID } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { unlessItThrows } from "../../../base/errors/mapping.ts";
import { redactSourceLine } from "../../../base/redact/index.ts";
import type { Entry } from "../../../base/results/index.ts";
import { playScenarios } from "../../../features/editor/last-run.ts";
import { nodeOfFinding, placeOfNode, showInEditor } from "../../../features/editor/show-in-editor.ts";
import { scenariosOf } from "../../../features/scenarios/file.ts";
import { draw } from "../../../graph/draw.ts";
import type { Picture } from "../../../graph/picture.ts";
import { loadWorkflow } from "../../../language/load.ts";
import type { LoadedWorkflow, LoadWorld } from "../../../language/loaded.ts";
import { planRun } from "../../../services/drive/dry-run.ts";
import { Refused } from "../../../services/refusals.ts";
import { confine, confineFamily } from "../../../services/runs/roots.ts";
import { knownTo } from "../../../services/session/extensions.ts";
import { realFiles, shownPath } from "../../../services/session/files.ts";
import type { Session } from "../../../services/session/session.ts";
import { type DescribeAnswer, type DescribedInput, describeWorkflow } from "../../../services/workflows/describe.ts";
import { validateFiles } from "../../../services/workflows/validate.ts";
import { CheckedFiles, listWorkflows, type WorkflowSummary } from "../../../services/workflows/workflows.ts";
import type { ShownRuns } from "./run-list.ts";

const LAST_RUNS = 10;

export function workflowsShown(session: Session, checked: CheckedFiles<WorkflowSummary>) {
  const { workflows, truncated } = listWorkflows(session, { roots: [session.cwd], checked });
  return { workflows: workflows.map(({ root: _, invalid = null, ...one }) => ({ ...one, invalid })), truncated };
}

interface ShownFile
  extends Pick<DescribeAnswer, "file" | "workflow" | "dialect" | "description" | "steps" | "raises" | "unhandled"> {
  /** Another one when a file has changed that it was made from. */
  readonly mark: string;
  /** Each with the schema that a form is made from. */
  readonly inputs: readonly object[] | null;
  readonly picture: Picture | null;
  /** Of a file with errors: the picture when it last had none. */
  readonly last_picture: Picture | null;
  readonly problems: readonly Entry[];
  readonly yaml: string;
}

export class ShownFiles {
  readonly #checked = new CheckedFiles<ShownFile>();
  /** By path: the newest that had no errors. */
  readonly #valid = new Map<string, { readonly workflow: LoadedWorkflow; readonly picture: Picture }>();

  constructor(
    private readonly session: Session,
    /** The file that `segno graph --watch` was given: shown even while it does not read as a workflow. */
    private readonly followed?: string,
  ) {}

  pathOf(file: string): string {
    const { cwd } = this.session;
    const path = resolve(cwd, file);
    return path === this.followed ? path : confine(file, [cwd], this.session).file;
  }

  of(file: string): ShownFile {
    const { env, cwd } = this.session;
    const path = this.pathOf(file);
    return this.#checked.of(path, realFiles(env), (noted) => {
      // What scenarios take is shown beside it.
      for (const scenario of scenariosOf(path, cwd)) noted.read(scenario);
      for (const folder of [dirname(path), join(dirname(path), "tests")]) noted.list?.(folder);
      return this.#shown(path, noted);
    });
  }

  /** The workflow as it is, or as it was when it last had no errors. */
  workflow(file: string): LoadedWorkflow | undefined {
    this.of(file);
    return this.#valid.get(this.pathOf(file))?.workflow;
  }

  #shown(path: string, overlay: LoadWorld): ShownFile {
    const session = { ...this.session, readsFrom: { overlay } };
    const { cwd } = session;
    const text = textOf(path, overlay);
    const { errors, warnings } = validateFiles(session, { files: [path] });
    const { workflow } = loadWorkflow(path, overlay, knownTo(session.extensions));
    const problem = (severity: "error" | "warning") => (entry: Entry) => {
      const { node_id, via, location } = entry;
      const found = workflow && nodeOfFinding(workflow, { node_id, via, line: location?.line ?? 0 });
      return { ...entry, severity, drawn_at: found ?? node_id };
    };
    const about = {
      file: shownPath(path, cwd),
      mark: randomUUID(),
      yaml: text.split("\n").map(redactSourceLine).join("\n"),
      problems: [...errors.map(problem("error")), ...warnings.map(problem("warning"))],
    };
    if (errors.length > 0 || !workflow)
      return { ...NOTHING, ...about, last_picture: this.#valid.get(path)?.picture ?? null };
    confineFamily(path, [cwd], session);
    const { workflow: name, inputs, ...described } = describeWorkflow(session, { file: path });
    const { dialect, description, steps, raises, unhandled } = described;
    const picture = draw(workflow);
    this.#valid.set(path, { workflow, picture });
    return {
      ...about,
      workflow: name,
      dialect,
      description,
      steps,
      raises,
      unhandled,
      picture,
      last_picture: null,
      inputs: inputs?.map((input) => ({ ...input, schema: schemaOf(input) })) ?? null,
    };
  }
}

const NOTHING = {
  workflow: null,
  dialect: null,
  description: null,
  inputs: null,
  steps: [],
  raises: [],
  unhandled: [],
  picture: null,
};

/** It is gone, for now: that is among the findings. */
const textOf = (path: string, { read }: LoadWorld): string =>
  unlessItThrows(() => Buffer.from(read(path)).toString("utf8"), "");

/** `unless`: what the reader has; nothing when that is still so. */
export async function workflowShown(file: string, list: ShownRuns, files: ShownFiles, unless?: string) {
  const shown = files.of(file);
  if (shown.mark === unless) return undefined;
  const { runs } = await list.page({ limit: LAST_RUNS, file: shown.file });
  return { ...shown, runs };
}

const schemaOf = ({ type, description, default: preset }: DescribedInput) => ({ type, description, default: preset });

export async function planOf(file: string, inputs: Readonly<Record<string, unknown>>, session: Session) {
  const allowed = confineFamily(file, [session.cwd], session);
  const given = Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, { value }]));
  const answer = await planRun(session, { file: allowed.file, inputs: given });
  if (!answer.plan) throw new Refused(answer as Refused["result"]);
  return { plan: answer.plan };
}

const NONE = { total: 0, taken: 0 };

/** Of the file as it was when it last had no errors; nothing is counted where scenarios cannot be played offline. */
export async function coverageOf(file: string, files: ShownFiles, session: Session) {
  const workflow = files.workflow(file);
  const scenarios = workflow ? scenariosOf(workflow.file, session.cwd) : [];
  const played = workflow && (await playScenarios(workflow, scenarios, session));
  const {
    steps = NONE,
    success_routes = NONE,
    error_routes = NONE,
    denials = NONE,
    untaken = [],
  } = played?.coverage ?? {};
  return {
    scenarios: played?.scenarios ?? 0,
    taken: Object.fromEntries(played?.taken ?? []),
    steps,
    success_routes,
    error_routes,
    denials,
    untaken,
  };
}

export async function goInEditor(
  file: string,
  { node, line }: { readonly node?: string; readonly line?: number },
  files: ShownFiles,
  session: Session,
) {
  const workflow = files.workflow(file);
  const place =
    node === undefined
      ? { file: files.pathOf(file), line: line ?? 1, column: 1 }
      : workflow && placeOfNode(workflow, node);
  if (!place) return undefined;
  const shown = await showInEditor({ file: place.file, line: place.line, column: place.column }, session);
  return { file: shownPath(place.file, session.cwd), line: place.line, shown };
}
