// Workflows in code. A definition is built step by step, so that each step knows those before it by their types; it says
// the same as a workflow file, and is checked, run, tested and drawn as one.
import { calledWrong } from "../../../base/errors/called-wrong.ts";
import type { Envelope } from "../../../base/errors/index.ts";
import { isMapping, type Mapping } from "../../../base/errors/mapping.ts";
import type { Typed } from "../../../frontends/library/client/typed-files.ts";
import type { SectionFields } from "../../../frontends/library/from-schemas.ts";
import type { AnySchema, Kept, Taken } from "../../../frontends/library/standard-schema.ts";
import { shown } from "../../../frontends/library/wording.ts";
import type { Definition, DefinitionParts, StepFunction } from "../../../services/own-steps/definition.ts";
import { DEFINED, FUNCTION } from "../../../services/own-steps/definition.ts";
import { type Ended, inputFields, type Node, type NodeParts, PARTS, partsOf } from "./node.ts";
import { type Ref, type Resolved, ref, stepRefs, typedValue, type Value, written } from "./ref.ts";
import {
  END,
  ITEM,
  type LeftOver,
  type Route,
  type Routed,
  type RoutedNode,
  routedGroup,
  routedNode,
  type Target,
  type WrittenRoute,
} from "./routes.ts";

/** What is known of each step by its name. */
type Steps = Readonly<Record<string, { readonly reads: unknown; readonly kind: string; readonly leaves: unknown }>>;

/** What a step can refer to: the workflow's inputs, the steps before it, and the error that led to it. */
export interface Names<Input, All extends Steps> {
  readonly input: Ref<Input>;
  readonly steps: { readonly [Name in keyof All]: Ref<All[Name]["reads"]> };
  readonly error: Ref<Envelope>;
}

type KindsOf<All extends Steps> = { readonly [Name in keyof All]: Extract<All[Name]["leaves"], string> };

/** What the terminate steps give that end it well. */
type Endings<All extends Steps> = {
  [Name in keyof All]: All[Name]["reads"] extends Ended<infer Output> ? Output : never;
}[keyof All];

/** Where routes begin and lead; those of `everyStep` are read after the steps' own. */
type RouteNodes<All extends Steps> = {
  readonly [Name in keyof All & string]: RoutedNode<Name, All[Name]["reads"], All[Name]["kind"]>;
} & { readonly end: Target; readonly everyStep: Pick<Routed<string, unknown, All[keyof All]["kind"]>, "on"> };

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
  step<const Name extends string, Reads, Kind extends string, Leaves>(
    name: Name extends keyof All | "end" | "everyStep" ? never : Name,
    node: Node<Input, Reads, Kind, Leaves> | ((names: Names<Input, All>) => Node<Input, Reads, Kind, Leaves>),
  ): WorkflowBuilder<Inputs, Input, All & { readonly [One in Name]: { reads: Reads; kind: Kind; leaves: Leaves } }>;
  /** Where each step leads, read in order. Without this, each step leads to the next. */
  routes<const All2 extends Route>(
    routes: (nodes: RouteNodes<All>) => readonly All2[],
  ): RoutedWorkflow<Inputs, Input, All, LeftOver<KindsOf<All>, All2>>;
}

export interface WorkflowOptions<Schema> extends SectionFields {
  readonly name: string;
  /** The inputs: a schema of zod, valibot or arktype, or a JSON Schema. Left out, the workflow takes any. */
  readonly input?: Schema;
  /** Where it is written: `import.meta.url`. Paths are relative to that. Not needed in a file that is run by its path. */
  readonly file?: string;
  /** Names of tools that agents may use. */
  readonly tools?: readonly string[];
}

/** Of a workflow without a schema, anything. */
type InputOf<Schema, Said> = [Schema] extends [never] ? Readonly<Record<string, unknown>> : Said;

/**
 * Defines a workflow. Each step sees those before it; names, kinds and fields that do not exist do not compile.
 *
 * @example
 * import { defineWorkflow, http, step } from "segno/workflow";
 * export default defineWorkflow({ name: "release" })
 *   .step("build", step(() => ({ url: "https://example.com/1.2.0" }), { raises: ["build.broken"] }))
 *   .step("upload", ({ steps }) => http({ method: "PUT", url: steps.build.output.url }))
 *   .routes(({ build, upload, end }) => [build.to(upload), build.on("build.broken").retry({ max: 2 }), upload.to(end)])
 *   .output(({ steps }) => ({ status: steps.upload.output.status }));
 */
export function defineWorkflow<const Schema extends AnySchema = never>(
  options: WorkflowOptions<Schema>,
): WorkflowBuilder<InputOf<Schema, Taken<Schema>>, InputOf<Schema, Kept<Schema>>, Record<never, never>> {
  if (typeof options?.name !== "string" || options.name === "")
    throw calledWrong(`defineWorkflow takes an object with a \`name\`, but ${shown(options)} was given`);
  // What it is of is known to the compiler alone.
  return built({ options, nodes: new Map() }) as never;
}

interface WorkflowParts {
  readonly options: WorkflowOptions<AnySchema>;
  readonly nodes: ReadonlyMap<string, NodeParts>;
  readonly routes?: readonly WrittenRoute[];
  readonly output?: unknown;
}

const routedOf = (name: string, { members, item }: NodeParts): object =>
  members || item ? routedGroup(name, members && Object.keys(members)) : routedNode(name);

const RESERVED: readonly string[] = ["end", "everyStep"];

const isRoutes = (made: unknown): boolean =>
  Array.isArray(made) && made.every((route) => isMapping(route) && isMapping(route.fields));

/** Every call gives another workflow: one that is defined does not change. */
function built(parts: WorkflowParts): Definition {
  const { nodes, options } = parts;
  const names = { input: ref("workflow.input"), steps: stepRefs([...nodes.keys()]), error: ref("error") };
  const given = (call: string, make: unknown, from: unknown, wanted: string, fits: (made: unknown) => boolean) => {
    const made: unknown = typeof make === "function" ? make(from) : make;
    if (typeof make === "function" && fits(made)) return made;
    throw calledWrong(
      `.${call} of ${options.name} takes a function that gives ${wanted}, but ${shown(made)} was given`,
    );
  };
  let defined: DefinitionParts | undefined;
  return {
    name: options.name,
    step(name: string, make: unknown) {
      if (typeof name !== "string" || nodes.has(name) || RESERVED.includes(name))
        throw calledWrong(
          `a step of ${options.name} cannot be called ${JSON.stringify(name)}: ${nodes.has(name) ? "there is one of that name" : `choose a text other than ${RESERVED.join(" and ")}`}`,
        );
      const node = partsOf(typeof make === "function" ? make(names) : make, `the step ${name} of ${options.name}`);
      return built({ ...parts, nodes: new Map([...nodes, [name, node]]) });
    },
    routes(make: unknown) {
      const from = Object.fromEntries([...nodes].map(([name, node]) => [name, routedOf(name, node)]));
      const all = { ...from, end: END, everyStep: routedNode(undefined) };
      const routes = given("routes", make, all, "a list of routes such as build.to(end)", isRoutes);
      return built({ ...parts, routes: routes as readonly WrittenRoute[] });
    },
    output(make: unknown) {
      const output = given("output", make, names, "an object", isMapping);
      return built({ ...parts, output: typedValue(written(output, "output")) });
    },
    get [DEFINED](): DefinitionParts {
      defined ??= definitionOf(parts);
      return defined;
    },
  } as Definition;
}

function definitionOf({ options, nodes, routes, output }: WorkflowParts): DefinitionParts {
  const { name, input, file, tools, ...section } = options;
  const names = [...nodes.keys()];
  if (names.length === 0) throw calledWrong(`the workflow ${name} has no steps; add one with .step`);
  const functions = new Map<string, StepFunction>();
  const children: Definition[] = [];
  const all: Record<"steps" | "parallel" | "for_each", Mapping[]> = { steps: [], parallel: [], for_each: [] };

  const fieldsOf = (step: string, { fields, run, takesInput, child }: NodeParts): Mapping => {
    if (child) children.push(child);
    if (!run) return { name: step, ...fields };
    functions.set(`${name}.${step}`, run);
    const given = takesInput && input ? { given: "{{ workflow.input }}" } : {};
    return { name: step, type: FUNCTION, function: `${name}.${step}`, ...given, ...fields };
  };
  /** Where a step leads: its routes, and those of a gate's options. */
  const routesOf = (step: string, { type, options: choices }: Mapping): Mapping => {
    if (type === "terminate" || (type === "human_gate" && !routes)) return {};
    const next: WrittenRoute = { node: step, fields: { to: names[names.indexOf(step) + 1] ?? "$end" } };
    const own = routes?.filter(({ node, member }) => node === step && member === undefined) ?? [next];
    const list = own.flatMap(({ choice, fields }) => (choice === undefined ? [fields] : []));
    const leading = (choices as readonly Mapping[] | undefined)?.map((option) => {
      const chosen = own.find(({ choice }) => choice === option.value);
      return chosen ? { ...option, route: chosen.fields.to } : option;
    });
    return { ...(type === "human_gate" ? { options: leading } : {}), ...(list.length === 0 ? {} : { routes: list }) };
  };
  const routesOfMember = (group: string, name: string): Mapping => {
    const own = (routes ?? []).filter(({ node, member }) => node === group && member === name);
    return own.length === 0 ? {} : { routes: own.map(({ fields }) => fields) };
  };
  for (const [step, parts] of nodes) {
    const { members, item, fields } = parts;
    if (members) {
      for (const [member, one] of Object.entries(members))
        all.steps.push({ ...fieldsOf(member, one[PARTS]), ...routesOfMember(step, member) });
      const { type: _, ...group } = fields;
      all.parallel.push({ name: step, agents: Object.keys(members), ...group, ...routesOf(step, {}) });
    } else if (item) {
      const agent = { ...fieldsOf(`${step}_item`, item[PARTS]), ...routesOfMember(step, ITEM) };
      all.for_each.push({ name: step, ...fields, agent, ...routesOf(step, {}) });
    } else all.steps.push({ ...fieldsOf(step, parts), ...routesOf(step, fields) });
  }
  const everyStep = (routes ?? []).filter(({ node }) => node === undefined).map(({ fields }) => fields);
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
