// What a scenario says of its workflow file: the edits with which it wants the file read (so that the run pins, checks
// and shows what it was driven with), and the steps that it names.
import { nearest } from "../../base/errors/nearest.ts";
import { stepsNamedIn } from "../../base/events/asker-name.ts";
import { familyOf, type LoadedWorkflow, type LoadWorld, type NodePath, stepsOf } from "../../language/loaded.ts";
import { isStepsKey, NODE_LISTS, TOP_KEYS } from "../../language/schema/names.ts";
import { workflowSection } from "../../language/schema/workflow-section.ts";
import { shapeOf } from "../../language/schema-at.ts";
import { yamlLibrary } from "../../language/tree.ts";
import { answeredBy } from "../../steps/types.ts";
import type { LoadedScenario, ScenarioProblem } from "./file.ts";

export interface Edits {
  /** By path: `runtime.default_model`, `classify.prompt`, `output.label`. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** The last step; the output of the run is then `{result: …}`, with the output of that step. */
  readonly until?: string | undefined;
}

/** The files, of which that one is read as edited. */
export function editedFiles<Files extends LoadWorld>(files: Files, file: string, edits: Edits): Files {
  const { set = {}, until } = edits;
  if (Object.keys(set).length === 0 && until === undefined) return files;
  return {
    ...files,
    read: (path) =>
      path === file ? Buffer.from(editedText(Buffer.from(files.read(path)).toString("utf8"), edits)) : files.read(path),
  };
}

export interface WrongEdit {
  /** The entry of `set`; nothing for `until`. */
  readonly path?: string;
  readonly message: string;
  /** What would be right there instead. */
  readonly suggestions: readonly string[];
}

/** Edits that the file has no place for, each as a sentence. */
export function wrongEdits(text: string, { set = {}, until }: Edits): readonly WrongEdit[] {
  const doc = yamlLibrary().parseDocument(text);
  if (doc.errors.length > 0) return [];
  const names = [...namedItems(doc).keys()];
  const wrongAt = (message: string, name: string, rest: readonly string[] = []): WrongEdit => {
    const found = nearest(name, rest.length > 0 ? [...names, ...workflowFields()] : names);
    return {
      message: found[0] === undefined ? message : `${message}; did you mean ${found[0]}?`,
      suggestions: found.map((right) => [right, ...rest].join(".")),
    };
  };
  const wrong = Object.keys(set).flatMap((path) => {
    const where = placeOf(doc, path);
    const parent = where && doc.getIn(where.slice(0, -1));
    if (where && (parent === undefined || yamlLibrary().isCollection(parent))) return [];
    const [head = "", ...rest] = path.split(".");
    return [{ path, ...wrongAt(`${path} is no place in the workflow file`, head, rest) }];
  });
  if (until === undefined || names.includes(until)) return wrong;
  return [...wrong, wrongAt(`no step of the workflow file is called ${until}`, until)];
}

type Document = ReturnType<ReturnType<typeof yamlLibrary>["parseDocument"]>;
type YamlPath = (string | number)[];

/** What cannot be read stays as it is: the loader says what is wrong with it. */
function editedText(text: string, { set = {}, until }: Edits): string {
  const doc = yamlLibrary().parseDocument(text);
  if (doc.errors.length > 0) return text;
  for (const [path, value] of Object.entries(set)) {
    const where = placeOf(doc, path);
    if (where) doc.setIn(where, doc.createNode(value));
  }
  if (until !== undefined) endAfter(doc, until);
  return doc.toString({ lineWidth: 0 });
}

/** Where steps and groups stand, by name. */
function namedItems(doc: Document): ReadonlyMap<string, YamlPath> {
  const found = new Map<string, YamlPath>();
  const note = (path: YamlPath): void => {
    const name = doc.getIn([...path, "name"]);
    if (typeof name === "string" && !found.has(name)) found.set(name, path);
  };
  for (const list of NODE_LISTS) {
    const items = doc.get(list);
    if (!yamlLibrary().isSeq(items)) continue;
    for (const index of items.items.keys()) {
      note([list, index]);
      if (list === "for_each") note([list, index, "agent"]);
    }
  }
  return found;
}

/** Beginning with a section, the name of a step, or a field of `workflow`. */
function placeOf(doc: Document, path: string): YamlPath | undefined {
  const parts = path.split(".").map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const [head = "", ...rest] = parts;
  if (parts.includes("") || rest.includes("__proto__")) return undefined;
  const items = namedItems(doc);
  const item = items.get(String(head));
  if (item) return rest.length > 0 ? [...item, ...rest] : undefined;
  const listed = isStepsKey(head) ? items.get(String(rest[0])) : undefined;
  if (listed) return rest.length > 1 ? [...listed, ...rest.slice(1)] : undefined;
  if ((TOP_KEYS as readonly (string | number)[]).includes(head)) return rest.length > 0 ? parts : undefined;
  return rest.length > 0 && workflowFields().includes(String(head)) ? ["workflow", ...parts] : undefined;
}

const workflowFields = (): readonly string[] => Object.keys(shapeOf(workflowSection()) ?? {});

/** The step goes to the end. What it tries again, it still does; errors that other steps would have handled end the run. */
function endAfter(doc: Document, step: string): void {
  const place = namedItems(doc).get(step);
  if (!place) return;
  const read = (field: string): unknown => {
    const node = doc.getIn([...place, field], true);
    return yamlLibrary().isNode(node) ? node.toJS(doc) : undefined;
  };
  const routes = read("routes");
  const retries = (Array.isArray(routes) ? routes : []).filter(
    (route) => route?.retry !== undefined && route.to === undefined,
  );
  const options = read("options");
  if (Array.isArray(options))
    doc.setIn(
      [...place, "options"],
      options.map((option) => ({ ...option, route: "$end" })),
    );
  else doc.setIn([...place, "routes"], [{ to: "$end" }, ...retries]);
  doc.deleteIn(["workflow", "error_routes"]);
  const isStep = isStepsKey(place[0]);
  doc.set("output", doc.createNode({ result: isStep ? `{{ ${step}.output }}` : `{{ ${step} }}` }));
}

interface Named {
  readonly path: NodePath;
  /** The name is the value at the path; else it is the key, or the entry of a list. */
  readonly part?: "value";
  /** `gates`, `inject[0]`. */
  readonly where: string;
  readonly name: string;
}

export function unknownNames(loaded: LoadedScenario, workflow: LoadedWorkflow): readonly ScenarioProblem[] {
  const types = typesOf(workflow);
  const known = new Set(types.keys());
  const beside = callsBesideSteps(workflow);
  const strangers = namedIn(loaded).flatMap(({ path, part, where, name }) => {
    const isKnown = (one: string): boolean => known.has(one) || (CALLS.test(where) && beside.has(one));
    const strange = isKnown(name) ? undefined : stepsNamedIn(name).find((step) => !isKnown(step));
    if (strange === undefined) {
      const message = inWrongList(where, name, types);
      return message === undefined ? [] : [{ message, place: loaded.place(path, part) }];
    }
    const message = `${where} names ${name}, and no step has that name${guessed(strange, known)}`;
    const suggestions = nearest(strange, [...known]).map((right) => name.replace(strange, right));
    return [{ message, place: loaded.place(path, part), suggestions }];
  });
  return [
    ...strangers,
    ...unaskedPolicies(loaded, workflow),
    ...unknownEnd(loaded, workflow),
    ...unknownEdits(loaded, workflow),
  ];
}

/** Verdicts that nobody asks for. */
function unaskedPolicies({ scenario, place }: LoadedScenario, root: LoadedWorkflow): readonly ScenarioProblem[] {
  const [first] = Object.keys(scenario.policies);
  if (first === undefined || familyOf(root).some(({ definition }) => definition.workflow.policies.length > 0))
    return [];
  const message = `policies has a verdict on ${first}, and no policy is asked: the workflow has none`;
  return [{ message, place: place(["policies", first]) }];
}

/** An own step is answered for in `step_scripts` and nowhere else; an error may be injected anywhere. */
function inWrongList(where: string, name: string, types: StepTypes): string | undefined {
  const named = types.get(stepsNamedIn(name).at(-1) ?? name) ?? new Set();
  const own = [...named].filter((type) => answeredBy(type) === "step_scripts");
  if (named.size === 0 || FOR_ANY_TYPE.test(where)) return undefined;
  if (where.startsWith("step_scripts"))
    return own.length > 0 ? undefined : `${where} names ${name}, and that is no step of a type of your own`;
  return own.length < named.size
    ? undefined
    : `${where} names ${name}, which is a step of your own type ${own[0]}: step_scripts answers for those`;
}

const FOR_ANY_TYPE = /^(?:inject|live|policies)/;

const guessed = (name: string, known: ReadonlySet<string>): string => {
  const [guess] = nearest(name, [...known]);
  return guess ? `; did you mean ${guess}?` : "";
};

function namedIn({ scenario }: LoadedScenario): readonly Named[] {
  const keyed = (["agent_scripts", "gates", "questions", "policies"] as const).flatMap((where) =>
    Object.keys(scenario[where])
      // Answers for a judge of an eval, which is no step.
      .filter((name) => !name.startsWith("$"))
      .map((name): Named => ({ path: [where, name], where, name })),
  );
  const listed = (["inject", "cli_scripts", "http_scripts", "mcp_scripts", "step_scripts"] as const).flatMap((where) =>
    scenario[where].flatMap(({ step: name }, index): Named[] =>
      name === undefined ? [] : [{ path: [where, index, "step"], part: "value", where: `${where}[${index}]`, name }],
    ),
  );
  const live = scenario.live.map((name, index): Named => ({ path: ["live", index], where: "live", name }));
  return [...keyed, ...listed, ...live];
}

/** `reached_terminal` may name the terminate step that ends the run. */
function unknownEnd({ scenario, place }: LoadedScenario, { definition }: LoadedWorkflow): readonly ScenarioProblem[] {
  const end = scenario.expected_trace?.reached_terminal;
  if (typeof end !== "string" || end === "$end") return [];
  const ends = new Set(definition.agents.filter(({ type }) => type === "terminate").map(({ name }) => name));
  if (ends.has(end)) return [];
  const why = definition.agents.some(({ name }) => name === end)
    ? `${end} is no terminate step`
    : "no terminate step has that name";
  const there =
    ends.size > 0 ? `there is ${[...ends].join(", ")}, and $end` : "without one, true or $end is all it can be";
  const help = guessed(end, ends) || `; ${there}`;
  const message = `reached_terminal names ${end}, and ${why}${help}`;
  return [
    { message, place: place(["expected_trace", "reached_terminal"], "value"), suggestions: nearest(end, [...ends]) },
  ];
}

/** `until` and `set` name what the file has no place for. */
function unknownEdits({ scenario, place }: LoadedScenario, { sources, file }: LoadedWorkflow): ScenarioProblem[] {
  return wrongEdits(sources.get(file) ?? "", scenario).map(({ path, message, suggestions }) => ({
    message: `${path === undefined ? "until" : "set"}: ${message}`,
    place: path === undefined ? place(["until"], "value") : place(["set", path]),
    suggestions,
  }));
}

/** Where a call may be answered that no step makes: a hook, or an escalation. */
const CALLS = /^(?:cli_scripts|http_scripts)\[|^live$/;

/** As they call themselves: `hooks.on_start`, `resilience.escalate`. */
const callsBesideSteps = (root: LoadedWorkflow): ReadonlySet<string> =>
  new Set(
    [...familyOf(root)].flatMap(({ definition: { workflow } }) => [
      ...Object.keys(workflow.hooks).map((name) => `hooks.${name}`),
      ...(workflow.resilience?.escalate ? ["resilience.escalate"] : []),
    ]),
  );

/** The types of the steps of each name, sub-workflows included; none for the name of a group. */
type StepTypes = ReadonlyMap<string, ReadonlySet<string>>;

function typesOf(root: LoadedWorkflow): StepTypes {
  const types = new Map<string, Set<string>>();
  const note = (name: string, type?: string): void => {
    const there = types.get(name) ?? new Set();
    types.set(name, type === undefined ? there : there.add(type));
  };
  for (const { definition } of familyOf(root)) {
    for (const { name } of [...definition.parallel, ...definition.for_each]) note(name);
    for (const { name, type } of stepsOf(definition)) note(name, type);
  }
  return types;
}
