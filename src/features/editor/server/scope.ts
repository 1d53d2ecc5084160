// What can be named inside a template: steps that can have run, inputs, the error, and the fields of each as far as they are
// known: from schemas, from answers in scenarios, and from the newest run.
import { ENVELOPE_FIELDS, KINDS } from "../../../base/errors/index.ts";
import { isMapping } from "../../../base/errors/mapping.ts";
import { type Facts, gatherFacts } from "../../../language/analysis/index.ts";
import type { LoadedWorkflow, NodePath } from "../../../language/loaded.ts";
import { scriptedOutputs } from "../last-run.ts";
import { plainYaml, valueBelow } from "./cursor.ts";
import type { Desk } from "./desk.ts";

export interface Name {
  readonly name: string;
  readonly about: string;
}

type Shape = ReturnType<Facts["shape"]>;

const WORKFLOW = ["input", "name", "description", "dir", "file"];

/** Names in scope at a place of the file, and what each leads to. */
export class TemplateScope {
  readonly #desk: Desk;
  readonly #workflow: LoadedWorkflow;
  readonly #facts: Facts;
  /** The step or group whose text it is; null for the workflow's own. */
  readonly node: string | null;
  readonly #locals: readonly string[];
  readonly #isAfterwards: boolean;

  constructor(desk: Desk, workflow: LoadedWorkflow, path: NodePath) {
    this.#desk = desk;
    this.#workflow = workflow;
    this.#facts = gatherFacts(workflow);
    const isAbove = (one: NodePath): boolean => one.length > 0 && one.every((key, index) => path[index] === key);
    const owners = this.#facts.nodes.all.filter((node) => isAbove(node.path));
    this.node = owners.sort((a, b) => b.path.length - a.path.length)[0]?.name ?? null;
    const sites = this.#facts.sites.filter(({ node }) => node === this.node);
    const site =
      sites.find((one) => one.path.join("\0") === path.join("\0")) ??
      sites.find((one) => one.role === roleOf(path)) ??
      sites.find(({ afterwards }) => !afterwards);
    this.#locals = site?.locals ?? [];
    this.#isAfterwards = site?.afterwards ?? false;
  }

  /** Names that begin an expression. */
  roots(): readonly Name[] {
    const { nodes, graph } = this.#facts;
    const canBeRead = (name: string): boolean => {
      if (graph.onlyMember(name) || graph.onlyStandsIn(name)) return false;
      if (this.node === null) return true;
      if (name === this.node) return this.#isAfterwards;
      return graph.canPrecede(name, this.node) && graph.leadsTo(name, this.node);
    };
    const steps = nodes.all.filter(
      ({ name, kind }) => (kind === "group" || !graph.onlyMember(name)) && canBeRead(name),
    );
    return [
      ...this.#locals.map((name) => ({ name, about: LOCALS[name] ?? "the item" })),
      ...steps.map(({ name, type }) => ({ name, about: type })),
      { name: "workflow", about: "the workflow: its inputs, its name, where it is" },
      { name: "context", about: "the run so far: iteration, history" },
    ];
  }

  /** What a path of names leads to. */
  async members(path: readonly string[]): Promise<readonly Name[]> {
    const [root = "", second, ...rest] = path;
    const { definition } = this.#workflow;
    if (root === "workflow") {
      if (second === undefined) return named(WORKFLOW, "of the workflow");
      const inputs = definition.workflow.input ?? {};
      return second === "input" && rest.length === 0
        ? Object.entries(inputs).map(([name, { type, description }]) => ({ name, about: description ?? type }))
        : [];
    }
    if (root === "context") return second === undefined ? named(["iteration", "history"], "of the run") : [];
    if (root === "error" && this.#locals.includes("error")) return this.#errorFields(path.slice(1), this.node);
    if (root === "output" && this.#locals.includes("output") && this.node !== null)
      return this.#fields(this.node, path.slice(1));
    const node = this.#facts.nodes.get(root);
    if (!node) return this.#itemFields(root, path.slice(1));
    if (node.kind === "group")
      return second === "error" ? this.#errorFields(rest, root) : this.#fields(root, path.slice(1));
    if (second === undefined)
      return named(["output", "error", ...(this.#facts.hasChanges(node) ? ["changes", "denied"] : [])], `of ${root}`);
    if (second === "error") return this.#errorFields(rest, root);
    return second === "output" ? this.#fields(root, rest) : [];
  }

  #errorFields(rest: readonly string[], node: string | null): readonly Name[] {
    if (rest.length === 0) return named(ENVELOPE_FIELDS, "of the error");
    if (rest[0] !== "details" || rest.length > 1) return [];
    const raising = node === null ? undefined : this.#facts.nodes.get(node);
    const kinds = raising ? this.#facts.raises(raising).map(({ kind }) => kind) : [];
    return named([...new Set(kinds.flatMap((kind) => KINDS.get(kind)?.details ?? []))], "of the error's details");
  }

  async #fields(node: string, rest: readonly string[]): Promise<readonly Name[]> {
    const known = fieldsOf(this.#facts.shape(node), rest).map((name) => ({ name, about: `given by ${node}` }));
    const { outputs, from } = await this.#examples(node);
    const seen = new Map(known.map((one) => [one.name, one] as const));
    for (const output of outputs)
      for (const name of keysIn(output, rest)) if (!seen.has(name)) seen.set(name, { name, about: `seen in ${from}` });
    return [...seen.values()].filter(({ name }) => /^[A-Za-z_]\w*$/.test(name));
  }

  /** The fields of a for_each's item, where its list is known. */
  async #itemFields(name: string, rest: readonly string[]): Promise<readonly Name[]> {
    const group = this.#workflow.definition.for_each.find(({ as }) => as === name);
    const [root = "", part = "", ...list] = (group?.source ?? "").replace(/[{}\s?]/g, "").split(".");
    if (!group || part !== "output" || !this.#facts.nodes.get(root)) return [];
    const shape = at(this.#facts.shape(root), list);
    const declared = shape.kind === "list" ? fieldsOf(shape.item, rest) : [];
    const { outputs } = await this.#examples(root);
    const seen = outputs.flatMap((output) => {
      const items = valueBelow(output, list);
      return Array.isArray(items) ? items.flatMap((item) => keysIn(item, rest)) : [];
    });
    return named([...new Set([...declared, ...seen])], `of each ${name}`);
  }

  /** Outputs that a step gave: in answers of scenarios, and in the newest run. */
  async #examples(node: string): Promise<{ readonly outputs: readonly unknown[]; readonly from: string }> {
    const { file } = this.#workflow;
    const scripted = this.#desk
      .testsOf(file)
      .flatMap(({ path }) => scriptedOutputs(node, plainYaml(this.#desk.text(path).text)));
    const run = await this.#desk.lastRun(file);
    const recorded = run?.outputs.get(node);
    return {
      outputs: [...scripted, ...(recorded === undefined ? [] : [recorded])],
      from: scripted.length > 0 ? "a scenario" : "the last run",
    };
  }
}

const LOCALS: Readonly<Record<string, string>> = {
  error: "the error that led here",
  output: "what this step gave",
  changes: "what the agent changed",
  _index: "the item's place in the list, from 0",
  _key: "the item's key",
  result: "what the workflow gave",
};

const roleOf = (path: NodePath): string =>
  path.includes("raise_when")
    ? "raise_when"
    : path.includes("routes") || path.includes("error_routes")
      ? "route"
      : "field";

const named = (names: readonly string[], about: string): readonly Name[] => names.map((name) => ({ name, about }));

function at(shape: Shape, path: readonly string[]): Shape {
  let here = shape;
  for (const key of path) {
    if (here.kind === "list") here = here.item;
    here = (here.kind === "object" ? here.fields.get(key) : undefined) ?? { kind: "unknown" };
  }
  return here;
}

function fieldsOf(shape: Shape, path: readonly string[]): readonly string[] {
  const found = at(shape, path);
  return found.kind === "object" ? [...found.fields.keys()] : [];
}

const keysIn = (value: unknown, path: readonly string[]): readonly string[] => {
  const found = valueBelow(value, path);
  return isMapping(found) ? Object.keys(found) : [];
};
