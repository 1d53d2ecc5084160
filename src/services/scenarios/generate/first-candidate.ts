// The best guess of a scenario that takes an error route, as text. It is not played: who writes it down does that.
import { stringify } from "yaml";
import type { LoadedWorkflow } from "../../../language/loaded.ts";
import { routeText } from "../coverage.ts";
import { candidatesFor } from "./candidates.ts";

export interface ScenarioDraft {
  /** `workflow`: its path as the scenario names it. */
  textFor(workflow: string): string;
}

export function firstCandidate(workflow: LoadedWorkflow, node: string, index: number): ScenarioDraft | undefined {
  const path = [...workflow.pathOf(node), "routes", index];
  const { line } = workflow.positions.at(path);
  const owner = [...workflow.definition.agents, ...workflow.definition.parallel, ...workflow.definition.for_each].find(
    ({ name }) => name === node,
  );
  const route = owner && "routes" in owner ? owner.routes[index] : undefined;
  if (!route) return undefined;
  for (const candidate of candidatesFor(workflow, { what: "error route", node, line, index })) {
    if ("blocked" in candidate) continue;
    const used = Object.fromEntries(Object.entries(candidate.scenario).filter(([, value]) => !isEmpty(value)));
    const title = `# Takes the error route of ${node} at line ${line}: ${routeText(route)}\n`;
    return { textFor: (file) => title + stringify({ workflow: file, ...used }, { lineWidth: 0 }) };
  }
  return undefined;
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;
