// The definition as a drive saw it: where a step and a route are in the file, and how they read. The file may have changed since,
// so lines are quoted from what the run pinned.

import type { RunState } from "../../base/events/state/state.ts";
import type { VisitRecord } from "../../base/events/visits/visit-record.ts";
import { redactSourceLine } from "../../base/redact/index.ts";
import type { Place } from "../../base/results/index.ts";
import type { ConsideredRoute } from "../../engine/visit/routes.ts";
import { loadWorkflow } from "../../language/load.ts";
import type { LoadedWorkflow, LoadWorld, NodePath } from "../../language/loaded.ts";
import type { RunReader } from "../../storage/run-reader.ts";
import { knownTo } from "../session/extensions.ts";
import { shownPath } from "../session/files.ts";
import type { Session } from "../session/session.ts";
import { childAt, valueAt } from "./report.ts";

/** Words that YAML reads as text without quotes. */
const PLAIN = /^[A-Za-z_$./*][\w$./*-]*$/;
const WORDS_OF_ITS_OWN = /^(?:true|false|null|yes|no|on|off|~)$/i;

export function flowYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowYaml).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, inner]) => `${flowYaml(key)}: ${flowYaml(inner)}`);
    return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
  }
  if (typeof value !== "string") return String(value);
  return PLAIN.test(value) && !value.startsWith("*") && !WORDS_OF_ITS_OWN.test(value) ? value : JSON.stringify(value);
}

export class PinnedDefinition {
  readonly root: LoadedWorkflow | undefined;
  readonly #cwd: string;

  /** `sources` are the files as the drive read them, `file` the one that it was driven with. */
  constructor(
    file: string,
    sources: ReadonlyMap<string, string>,
    { cwd, env, extensions }: Session,
    semantics?: RunState["semantics"],
  ) {
    this.#cwd = cwd;
    const known = { ...knownTo(extensions), semantics };
    this.root = sources.size === 0 ? undefined : loadWorkflow(file, asPinned(sources, env), known).workflow;
  }

  at(path: readonly string[]): LoadedWorkflow | undefined {
    return this.root && childAt(this.root, path);
  }

  /** Where a step is in its file, and that line. */
  step(path: readonly string[], node: string): { readonly location: Place; readonly source: string } | undefined {
    const workflow = this.at(path);
    if (!workflow) return undefined;
    const { file, line, column } = workflow.positions.at(workflow.pathOf(node));
    const source = workflow.sources.get(file)?.split(/\r\n|\r|\n/)[line - 1] ?? "";
    return { location: { file: shownPath(file, this.#cwd), line, column }, source: redactSourceLine(source) };
  }

  /** A route's line, and the route in one line of YAML. */
  route(
    { path, node }: Pick<VisitRecord, "path" | "node">,
    { table, index }: Pick<ConsideredRoute, "table" | "index">,
  ) {
    const workflow = this.at(path);
    if (!workflow) return undefined;
    const place: NodePath =
      table === "step" ? [...workflow.pathOf(node), "routes", index] : ["workflow", "error_routes", index];
    const raw = valueAt(workflow.raw, place);
    return raw === undefined ? undefined : { line: workflow.positions.at(place).line, text: flowYaml(raw) };
  }
}

/** The files of a run's last drive, by the rules that the run keeps. */
export async function lastDefinition(
  reader: RunReader,
  { root, drives, semantics }: RunState,
  session: Session,
): Promise<PinnedDefinition> {
  const sources = await reader.pinned(Math.max(drives, 1));
  return new PinnedDefinition(root.file || reader.meta.file, sources, session, semantics);
}

/** The files as the drive read them, and nothing else. */
const asPinned = (sources: ReadonlyMap<string, string>, env: Session["env"]): LoadWorld => ({
  read(file) {
    const text = sources.get(file);
    if (text === undefined)
      throw Object.assign(new Error(`${file} is not among the files of this run`), { code: "ENOENT" });
    return Buffer.from(text);
  },
  exists: (path) => sources.has(path),
  env,
});
