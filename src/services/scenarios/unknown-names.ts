// Steps that a scenario names and no file of the workflow's family has: an error that is injected nowhere, an answer to
// no question, or an end that cannot come would test nothing.
import { nearest } from "../../errors/nearest.ts";
import { stepsNamedIn } from "../../events/asker-name.ts";
import { familyOf, type LoadedWorkflow, type NodePath, stepsOf } from "../../language/loaded.ts";
import { answeredBy } from "../../steps/types.ts";
import { wrongEdits } from "./edited-file.ts";
import type { LoadedScenario, ScenarioProblem } from "./file.ts";

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
  return [...strangers, ...unknownEnd(loaded, workflow), ...unknownEdits(loaded, workflow)];
}

/** An own step is answered for in `step_scripts` and nowhere else; an error may be injected anywhere. */
function inWrongList(where: string, name: string, types: StepTypes): string | undefined {
  const named = types.get(stepsNamedIn(name).at(-1) ?? name) ?? new Set();
  const own = [...named].filter((type) => answeredBy(type) === "step_scripts");
  if (named.size === 0 || where.startsWith("inject") || where === "live") return undefined;
  if (where.startsWith("step_scripts"))
    return own.length > 0 ? undefined : `${where} names ${name}, and that is no step of a type of your own`;
  return own.length < named.size
    ? undefined
    : `${where} names ${name}, which is a step of your own type ${own[0]}: step_scripts answers for those`;
}

const guessed = (name: string, known: ReadonlySet<string>): string => {
  const [guess] = nearest(name, [...known]);
  return guess ? `; did you mean ${guess}?` : "";
};

function namedIn({ scenario }: LoadedScenario): readonly Named[] {
  const keyed = (["agent_scripts", "gates", "questions"] as const).flatMap((where) =>
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
