// Steps that a scenario names and no file of the workflow's family has: an error that is injected nowhere, or an answer that
// nobody asks for, would test nothing.
import { nearest } from "../../errors/nearest.ts";
import { stepOfKey } from "../../events/key.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import type { ScenarioFile } from "./file.ts";

export function unknownNames(scenario: ScenarioFile, workflow: LoadedWorkflow): readonly string[] {
  const known = namesOf(workflow);
  const listed = (name: string, list: readonly { readonly step?: string }[]): [string, string][] =>
    list.flatMap(({ step }, index): [string, string][] => (step === undefined ? [] : [[`${name}[${index}]`, step]]));
  const keyed = (name: "agent_scripts" | "gates" | "questions"): [string, string][] =>
    Object.keys(scenario[name]).map((step) => [name, step]);
  const used: [string, string][] = [
    ...keyed("agent_scripts"),
    ...keyed("gates"),
    ...keyed("questions"),
    ...listed("inject", scenario.inject),
    ...listed("cli_scripts", scenario.cli_scripts),
    ...listed("http_scripts", scenario.http_scripts),
    ...listed("mcp_scripts", scenario.mcp_scripts),
  ];
  return used.flatMap(([where, name]) => {
    const plain = stepOfKey(name);
    if (known.has(name) || known.has(plain)) return [];
    const [guess] = nearest(plain, [...known]);
    return [`${where} names ${name}, and no step has that name${guess ? `; did you mean ${guess}?` : ""}`];
  });
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
