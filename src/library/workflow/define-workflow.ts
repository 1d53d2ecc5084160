// Workflows in code. A definition is built step by step, so that each step knows those before it by their types; it says
// the same as a workflow file, and is checked, run, tested and drawn as one.
import type { Mapping } from "../../errors/mapping.ts";
import {
  DEFINED,
  type Definition,
  type DefinitionParts,
  FUNCTION,
  type StepFunction,
} from "../../services/defined/definition.ts";
import type { Typed } from "../client/typed-files.ts";
import type { SectionFields } from "../from-schemas.ts";
import type { LeftOver, Route } from "./kinds.ts";
import { type Ended, type ErrorRead, type Node, type NodeParts, PARTS } from "./node.ts";
import { type Ref, type Resolved, ref, stepRefs, typedValue, type Value, written } from "./ref.ts";
import { END, type EveryStep, type Routed, routedNode, type Target, type WrittenRoute } from "./routes.ts";
import { type AnySchema, inputFields, type Kept, type Taken } from "./schemas.ts";

/** What is known of each step by its name. */
interface Known {
  readonly reads: unknown;
  readonly kind: string;
  readonly leaves: unknown;
  readonly choice: unknown;
}
type Steps = Readonly<Record<string, Known>>;

/** What a step can refer to: the workflow's inputs, the steps before it, and the error that led to it. */
export interface Names<Input, All extends Steps> {
  readonly input: Ref<Input>;
  readonly steps: { readonly [Name in keyof All]: Ref<All[Name]["reads"]> };
  readonly error: Ref<ErrorRead>;
}

type KindsOf<All extends Steps> = { readonly [Name in keyof All]: Extract<All[Name]["leaves"], string> };

/** What the terminate steps give that end it well. */
type Endings<All extends Steps> = {
  [Name in keyof All]: All[Name]["reads"] extends Ended<infer Output> ? Output : never;
}[keyof All];

type RouteNodes<All extends Steps> = {
  readonly [Name in keyof All & string]: Routed<Name, All[Name]["reads"], All[Name]["kind"], All[Name]["choice"]>;
} & { readonly end: Target; readonly everyStep: EveryStep<All[keyof All]["kind"]> };

/** A workflow, for `segno.run` and as the default export of a `.workflow.ts` file. */
export interface DefinedWorkflow<Inputs, Output = unknown, Kind extends string = string>
  extends Definition,
    Typed<Inputs, Output, Kind> {
  readonly name: string;
}

/** A workflow whose steps are known. */
export interface RoutedWorkflow<Inputs, Input, All extends Steps, Kind extends string>
  extends DefinedWorkflow<Inputs, unknown, Kind> {
  /** The workflow's result, where no terminate step ends it. */
  output<const Output extends Readonly<Record<string, Value>>>(
    output: (names: Names<Input, All>) => Output,
  ): DefinedWorkflow<Inputs, Resolved<Output> | Endings<All>, Kind>;
}

export interface WorkflowBuilder<Inputs, Input, All extends Steps>
  extends RoutedWorkflow<Inputs, Input, All, KindsOf<All>[keyof All]> {
  /** Adds a step or a group; the first one is where a run begins. A function is given what the step can refer to. */
  step<const Name extends string, Reads, Kind extends string, Leaves, Choice>(
    name: Name extends keyof All | "end" | "everyStep" ? never : Name,
    node:
      | Node<Input, Reads, Kind, Leaves, Choice>
      | ((names: Names<Input, All>) => Node<Input, Reads, Kind, Leaves, Choice>),
  ): WorkflowBuilder<
    Inputs,
    Input,
    All & { readonly [One in Name]: { reads: Reads; kind: Kind; leaves: Leaves; choice: Choice } }
  >;
  /** Where each step leads, read in order. Without this, each step leads to the next. */
  routes<const All2 extends Route>(
    routes: (nodes: RouteNodes<All>) => readonly All2[],
  ): RoutedWorkflow<Inputs, Input, All, LeftOver<KindsOf<All>, All2>>;
}

export interface WorkflowOptions<Schema> extends SectionFields {
  readonly name: string;
  /** The inputs: a schema of zod, valibot or arktype, or a JSON Schema. Left out, the workflow takes any. */
  readonly input?: Schema;
  /**
   * Where it is written: `import.meta.url`. Paths in it are relative to that, and `segno resume` finds it there. Not needed
   * in a file that is run by its path.
   */
  readonly file?: string;
  /** Names of tools that agents may use. */
  readonly tools?: readonly string[];
}

/** Inputs of which nothing is known. */
type AnyInputs = Readonly<Record<string, unknown>>;
type InputOf<Schema, Said> = [Schema] extends [never] ? AnyInputs : Said;

/**
 * Defines a workflow. Each step sees those before it; names, kinds and fields that do not exist do not compile.
 *
 * @example
 * import { defineWorkflow, http, step } from "segno/workflow";
 * import { z } from "zod";
 * const compile = async (version: string, _signal: AbortSignal) => ({ url: `https://example.com/${version}` });
 * export default defineWorkflow({ name: "release", input: z.object({ version: z.string() }) })
 *   .step("build", step(({ input, signal }) => compile(input.version, signal), { raises: ["build.broken"] }))
 *   .step("upload", ({ steps }) => http({ method: "PUT", url: steps.build.output.url }))
 *   .routes(({ build, upload, end }) => [
 *     build.to(upload),
 *     build.on("build.broken").retry({ max: 2 }),
 *     upload.to(end),
 *   ])
 *   .output(({ steps }) => ({ status: steps.upload.output.status }));
 */
export function defineWorkflow<const Schema extends AnySchema = never>(
  options: WorkflowOptions<Schema>,
): WorkflowBuilder<InputOf<Schema, Taken<Schema>>, InputOf<Schema, Kept<Schema>>, Record<never, never>> {
  if (typeof options?.name !== "string" || options.name === "")
    throw new TypeError("defineWorkflow takes an object with a `name`");
  // What it is of is known to the compiler alone.
  return new Workflow({ options, nodes: new Map() }) as never;
}

interface WorkflowParts {
  readonly options: WorkflowOptions<AnySchema>;
  readonly nodes: ReadonlyMap<string, NodeParts>;
  readonly routes?: readonly WrittenRoute[];
  readonly output?: unknown;
}

const RESERVED: readonly string[] = ["end", "everyStep"];

/** Every call gives another workflow: one that is defined does not change. */
class Workflow {
  readonly name: string;
  readonly #parts: WorkflowParts;
  #defined: DefinitionParts | undefined;

  constructor(parts: WorkflowParts) {
    this.name = parts.options.name;
    this.#parts = parts;
  }

  step(name: string, given: Node | ((names: unknown) => Node)): Workflow {
    const { nodes } = this.#parts;
    if (typeof name !== "string" || nodes.has(name) || RESERVED.includes(name))
      throw new TypeError(
        `a step of ${this.name} cannot be called ${JSON.stringify(name)}: ${nodes.has(name) ? "there is one of that name" : `choose a text other than ${RESERVED.join(" and ")}`}`,
      );
    const node = typeof given === "function" ? given(this.#names()) : given;
    const parts = (node as Partial<Node> | undefined)?.[PARTS];
    if (!parts)
      throw new TypeError(
        `the step ${name} of ${this.name} is none: make it with step, agent, http, script, mcp, gate, questions, set, wait, terminate, workflow, parallel or forEach`,
      );
    return new Workflow({ ...this.#parts, nodes: new Map([...nodes, [name, parts]]) });
  }

  routes(given: (nodes: Mapping) => readonly unknown[]): Workflow {
    const nodes = Object.fromEntries([...this.#parts.nodes.keys()].map((name) => [name, routedNode(name)]));
    const routes = given({ ...nodes, end: END, everyStep: routedNode(undefined) }) as readonly WrittenRoute[];
    return new Workflow({ ...this.#parts, routes });
  }

  output(given: (names: unknown) => unknown): Workflow {
    return new Workflow({ ...this.#parts, output: typedValue(written(given(this.#names()), "output")) });
  }

  #names(): unknown {
    return { input: ref("workflow.input"), steps: stepRefs([...this.#parts.nodes.keys()]), error: ref("error") };
  }

  get [DEFINED](): DefinitionParts {
    this.#defined ??= definitionOf(this.#parts);
    return this.#defined;
  }
}

function definitionOf({ options, nodes, routes, output }: WorkflowParts): DefinitionParts {
  const { name, input, file, tools, ...section } = options;
  const names = [...nodes.keys()];
  if (names.length === 0) throw new TypeError(`the workflow ${name} has no steps; add one with .step`);
  const functions = new Map<string, StepFunction>();
  const children: Definition[] = [];
  const all: Record<"agents" | "parallel" | "for_each", Mapping[]> = { agents: [], parallel: [], for_each: [] };

  const fieldsOf = (step: string, { fields, run, takesInput, child }: NodeParts): Mapping => {
    if (child) children.push(child);
    if (!run) return { name: step, ...fields };
    functions.set(`${name}.${step}`, run);
    const given = takesInput && input ? { given: "{{ workflow.input }}" } : {};
    return { name: step, type: FUNCTION, function: `${name}.${step}`, ...given, ...fields };
  };
  const routesOf = (step: string): Mapping => {
    const own = routes
      ? routes.filter((route) => route.node === step && route.choice === undefined).map((route) => route.fields)
      : [{ to: names[names.indexOf(step) + 1] ?? "$end" }];
    return own.length === 0 ? {} : { routes: own };
  };
  for (const [step, parts] of nodes) {
    const { members, item, fields } = parts;
    if (members) {
      for (const [member, one] of Object.entries(members)) all.agents.push(fieldsOf(member, one[PARTS]));
      all.parallel.push({ name: step, agents: Object.keys(members), ...fields, ...routesOf(step) });
    } else if (item)
      all.for_each.push({ name: step, ...fields, agent: fieldsOf(`${step}_item`, item[PARTS]), ...routesOf(step) });
    else if (fields.type === "terminate") all.agents.push(fieldsOf(step, parts));
    else
      all.agents.push({
        ...withChoices(fieldsOf(step, parts), step, routes),
        ...ofGate(fields, routes, routesOf(step)),
      });
  }
  const everyStep = (routes ?? []).filter((route) => route.node === undefined).map((route) => route.fields);
  const document = {
    workflow: {
      name,
      entry_point: names[0],
      ...(input ? { input: inputFields(input, `\`input\` of the workflow ${name}`) } : {}),
      ...(written(section, name) as Mapping),
      ...(everyStep.length > 0 ? { error_routes: everyStep } : {}),
    },
    ...(tools ? { tools } : {}),
    ...Object.fromEntries(Object.entries(all).filter(([, list]) => list.length > 0)),
    ...(output === undefined ? {} : { output }),
  };
  return { name, file, document, functions, children };
}

/** A gate whose options lead on has no need of routes. */
const ofGate = ({ type }: Mapping, routes: WorkflowParts["routes"], own: Mapping): Mapping =>
  type === "human_gate" && !routes ? {} : own;

/** The options of a gate, with where each leads. */
function withChoices(step: Mapping, name: string, routes: WorkflowParts["routes"] = []): Mapping {
  const chosen = routes.filter((route) => route.node === name && route.choice !== undefined);
  if (chosen.length === 0) return step;
  const options = (step.options as readonly Mapping[]).map((option) => {
    const route = chosen.find(({ choice }) => choice === option.value);
    return route ? { ...option, route: route.fields.to } : option;
  });
  return { ...step, options };
}
