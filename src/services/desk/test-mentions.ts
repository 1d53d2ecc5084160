// The places of scenarios, evals and projects that name steps, inputs, kinds and files of workflows.
import { dirname, resolve } from "node:path";
import { stepsNamedIn } from "../../events/asker-name.ts";
import type { LoadedWorkflow, NodePath } from "../../language/loaded.ts";
import { yamlLibrary } from "../../language/yaml-library.ts";
import { type Mention, ownersOf } from "./mentions.ts";
import type { FileKind } from "./project-files.ts";
import { parsedYaml } from "./yaml-edit.ts";

interface Written {
  readonly path: NodePath;
  readonly isKey: boolean;
  readonly value: string;
  readonly start: number;
}

/** Lists of steps that a run is expected to go through. */
const STEP_LISTS: ReadonlySet<unknown> = new Set([
  "agents_executed",
  "scripts_executed",
  "gates_presented",
  "routes_taken",
  "live",
  "live_agents",
  "trace",
]);
/** Mappings whose keys are steps. */
const BY_STEP: ReadonlySet<unknown> = new Set([
  "agent_scripts",
  "gates",
  "questions",
  "gates_resolved",
  "gates_reminded",
]);
const STEP_FIELDS: ReadonlySet<unknown> = new Set(["step", "node", "until", "reached_terminal"]);
const FILE_FIELDS: ReadonlySet<unknown> = new Set([
  "workflow",
  "extends",
  "fixtures",
  "dataset",
  "scenario",
  "triggers",
]);

interface TestFile {
  readonly path: string;
  readonly kind: FileKind;
  readonly text: string;
  /** The workflow that it is for. A project has one for each trigger. */
  workflowAt(path: NodePath): LoadedWorkflow | undefined;
}

export function testMentions({ path: file, kind, text, workflowAt }: TestFile): readonly Mention[] {
  const found: Mention[] = [];
  const add = (what: Mention["what"], name: string, owner: string, start: number, length: number): void => {
    found.push({ what, name, owner, file, start, length, isDefinition: false });
  };
  for (const { path, isKey, value, start } of scalarsOf(text)) {
    const last = path.at(-1);
    const field = typeof last === "number" ? path.at(-2) : last;
    const workflow = workflowAt(path);
    const holder = path.at(-2);
    if (isKey) {
      const isInput = holder === "inputs" && (kind === "project" ? path[0] === "triggers" : path.length === 2);
      if (isInput && workflow) add("input", value, workflow.file, start, value.length);
      if (BY_STEP.has(holder) && workflow) steps(value, start, workflow);
      // `classify.prompt`: a value of the workflow file, of a step or of the file itself.
      if (holder === "set" && workflow) steps(value.split(".", 1)[0] ?? "", start, workflow);
      continue;
    }
    if (FILE_FIELDS.has(field) && /\.\w+$/.test(value))
      add("file", resolve(dirname(file), value), "", start, value.length);
    else if (last === "kind" || path.includes("no_errors")) add("kind", value, "", start, value.length);
    else if (workflow && (STEP_LISTS.has(field) || STEP_FIELDS.has(last))) steps(value, start, workflow);
  }
  return found;

  /** `release/each[eu].ask` names three steps, `build -> publish` two. */
  function steps(value: string, start: number, root: LoadedWorkflow): void {
    const owners = ownersOf(root);
    const names = owners.has(value) ? [value] : value.split(/\s*(?:->|→)\s*/).flatMap(stepsNamedIn);
    let from = 0;
    for (const name of names) {
      const at = value.indexOf(name, from);
      const owner = owners.get(name);
      if (at < 0 || !owner) continue;
      add("step", name, owner.file, start + at, name.length);
      from = at + name.length;
    }
  }
}

/** The inputs that the rows of an eval's dataset give, for a workflow file. */
export function datasetMentions(file: string, text: string, owner: string): readonly Mention[] {
  const input = (name: string, start: number): Mention => ({
    ...{ what: "input", name, owner, file, start, length: name.length, isDefinition: false },
  });
  if (file.endsWith(".csv")) {
    const [header = ""] = text.split("\n", 1);
    return [...header.matchAll(/[A-Za-z_]\w*(?:\.\w+)?/g)].map(({ 0: name, index }) => input(name, index));
  }
  const isRow = (path: NodePath): boolean => path.at(-2) === "inputs" && path.length === (isLines ? 2 : 3);
  const isLines = /\.(?:jsonl|ndjson)$/.test(file);
  let from = 0;
  return (isLines ? text.split("\n") : [text]).flatMap((part) => {
    const offset = from;
    from += part.length + 1;
    const keys = scalarsOf(part).filter(({ path, isKey }) => isKey && isRow(path));
    return keys.map(({ value, start }) => input(value, offset + start));
  });
}

function scalarsOf(text: string): readonly Written[] {
  const { visit, isPair, isScalar, isSeq } = yamlLibrary();
  const found: Written[] = [];
  visit(parsedYaml(text), {
    Scalar(key, node, ancestors) {
      if (typeof node.value !== "string" || !node.range) return;
      const path: (string | number)[] = [];
      const chain: readonly unknown[] = [...ancestors, node];
      chain.forEach((one, index) => {
        if (isPair(one)) path.push(isScalar(one.key) ? String(one.key.value) : "");
        else if (isSeq(one)) path.push(one.items.indexOf(chain[index + 1] as never));
      });
      const quote = node.type === "QUOTE_DOUBLE" || node.type === "QUOTE_SINGLE" ? 1 : 0;
      found.push({ path, isKey: key === "key", value: node.value, start: node.range[0] + quote });
    },
  });
  return found;
}
