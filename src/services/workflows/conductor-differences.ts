// Where a file that was written for Conductor goes another way with Segno, as far as the file shows it: by the rows of the
// table in docs/conductor.md.
import type { Finding, LoadedWorkflow, NodePath } from "../../language/loaded.ts";
import { stepsOf } from "../../language/loaded.ts";
import type { Step } from "../../language/schema/index.ts";

export interface ConductorDifference {
  /** The first cell of the row. */
  readonly row: string;
  readonly line: number;
  /** The step or group, if it is about one. */
  readonly node: string | null;
}

interface Place {
  readonly path: NodePath;
  readonly node?: string;
}

type Look = (workflow: LoadedWorkflow) => readonly Place[];

const steps =
  (matches: (step: Step) => boolean): Look =>
  ({ definition, pathOf }) =>
    stepsOf(definition)
      .filter(matches)
      .map(({ name }) => ({ path: pathOf(name), node: name }));

const groups =
  (matches: (group: { readonly failure_mode: string; readonly key_by?: string | undefined }) => boolean): Look =>
  ({ definition, pathOf }) =>
    [...definition.parallel, ...definition.for_each]
      .filter(matches)
      .map(({ name }) => ({ path: pathOf(name), node: name }));

/** Text that YAML reads as something else. */
const READ_AS_YAML = /^\s*[[{~&*|>]|:\s|\s#/;

const LOOKS: Readonly<Record<string, Look>> = {
  "a gate without a terminal": steps(({ type }) => type === "human_gate" || type === "questions"),
  "`env` values of scripts": steps(
    (step) => step.type === "script" && Object.values(step.env).some((value) => value.includes("{{")),
  ),
  "text of a `set`": steps(
    (step) =>
      step.type === "set" &&
      (step.output_type ?? "auto") === "auto" &&
      typeof step.value === "string" &&
      READ_AS_YAML.test(step.value.replace(/\{[{%].*?[%}]\}/gs, "")),
  ),
  "`input_mapping`": steps((step) => step.type === "workflow" && Object.keys(step.input_mapping ?? {}).length > 0),
  "`fail_fast`": groups(({ failure_mode }) => failure_mode === "fail_fast"),
  "a run that lost group members": groups(({ failure_mode }) => failure_mode === "continue_on_error"),
  "`key_by: kpi.kpi_id`": groups(({ key_by }) => key_by?.includes(".") === true),
  "`hooks`": ({ definition }) =>
    Object.values(definition.workflow.hooks).some((hook) => hook !== undefined)
      ? [{ path: ["workflow", "hooks"] }]
      : [],
};

/** Rows of findings about what has no effect, by the key that such a finding begins with. */
const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  sandbox: "`sandbox` as a mapping",
  plugins: "Conductor's `plugins` and `plugin_sources`",
  plugin_sources: "Conductor's `plugins` and `plugin_sources`",
  context_tier: "`context_tier`, `default_context_tier`",
  default_context_tier: "`context_tier`, `default_context_tier`",
  skill_discovery: "`skill_discovery`",
  runtime_url: "`runtime_url`, `runtime_token` of `copilot`",
  runtime_token: "`runtime_url`, `runtime_token` of `copilot`",
};

const FOREIGN_PROVIDER = "the providers `hermes` and `aca`";

function rowOf(message: string): string {
  if (message.includes("does not have the provider")) return FOREIGN_PROVIDER;
  return WITHOUT_EFFECT[/^`([\w.]+)`/.exec(message)?.[1] ?? ""] ?? "unknown keys";
}

/** All rows that can be named. */
export const KNOWN_ROWS: readonly string[] = [
  ...new Set([...Object.keys(LOOKS), ...Object.values(WITHOUT_EFFECT), "unknown keys", FOREIGN_PROVIDER]),
];

/** Nothing for a file by Segno's rules: it was not written for Conductor. */
export function differencesFromConductor(
  workflow: LoadedWorkflow,
  findings: readonly Finding[],
): readonly ConductorDifference[] {
  if (workflow.dialect !== "agents") return [];
  const seen = Object.entries(LOOKS).flatMap(([row, look]) =>
    look(workflow).map(({ path, node = null }) => ({ row, line: workflow.positions.at(path).line, node })),
  );
  const said = findings
    .filter(({ rule, location }) => rule === "unsupported-option" && location.file === workflow.file)
    .map(({ message, location, node = null }) => ({ row: rowOf(message), line: location.line, node }));
  return [...seen, ...said].sort((a, b) => a.line - b.line);
}
