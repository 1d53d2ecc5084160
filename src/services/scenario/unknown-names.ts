// Steps that a scenario names and no file of the workflow's family has: an error that is injected nowhere, an answer that
// nobody asks for, or an end that cannot come would test nothing.
import { nearest } from "../../errors/nearest.ts";
import { stepsNamedIn } from "../../events/asker-name.ts";
import type { LoadedWorkflow, NodePath } from "../../language/loaded.ts";
import type { LoadedScenario } from "./file.ts";
import type { ScenarioProblem } from "./problem.ts";

interface Named {
  readonly path: NodePath;
  /** `gates`, `inject[0]`. */
  readonly where: string;
  readonly name: string;
}

export function unknownNames(loaded: LoadedScenario, workflow: LoadedWorkflow): readonly ScenarioProblem[] {
  const known = namesOf(workflow);
  const strangers = stepsOf(loaded).flatMap(({ path, where, name }) => {
    const strange = known.has(name) ? undefined : stepsNamedIn(name).find((step) => !known.has(step));
    if (strange === undefined) return [];
    const message = `${where} names ${name}, and no step has that name${guessed(strange, known)}`;
    return [{ message, place: loaded.place(path) }];
  });
  return [...strangers, ...unknownEnd(loaded, workflow)];
}

const guessed = (name: string, known: ReadonlySet<string>): string => {
  const [guess] = nearest(name, [...known]);
  return guess ? `; did you mean ${guess}?` : "";
};

function stepsOf({ scenario }: LoadedScenario): readonly Named[] {
  const keyed = (["agent_scripts", "gates", "questions"] as const).flatMap((where) =>
    Object.keys(scenario[where]).map((name): Named => ({ path: [where, name], where, name })),
  );
  const listed = (["inject", "cli_scripts", "http_scripts", "mcp_scripts"] as const).flatMap((where) =>
    scenario[where].flatMap(({ step: name }, index): Named[] =>
      name === undefined ? [] : [{ path: [where, index, "step"], where: `${where}[${index}]`, name }],
    ),
  );
  return [...keyed, ...listed];
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
  return [{ message, place: place(["expected_trace", "reached_terminal"]) }];
}

function namesOf(root: LoadedWorkflow): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<string>();
  const visit = ({ file, definition, children }: LoadedWorkflow): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const { agents, parallel, for_each } = definition;
    for (const { name } of [...agents, ...parallel, ...for_each, ...for_each.map((group) => group.agent)])
      names.add(name);
    for (const child of children.values()) visit(child);
  };
  visit(root);
  return names;
}
