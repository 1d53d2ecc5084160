// What a scenario lets run for real: steps whose kind of call it does not script, said before it happens. Agents and people are
// never real in a scenario.
import type { LoadedWorkflow } from "../../language/loaded.ts";
import type { Step } from "../../language/schema/index.ts";
import type { ScenarioFile } from "./file.ts";

/** `load runs ./load.sh`, `fetch sends GET https://…`; each once, in the order of the files. */
export function realCalls(scenario: ScenarioFile, root: LoadedWorkflow): readonly string[] {
  const calls = new Set<string>();
  const seen = new Set<string>();
  const visit = ({ file, definition, children }: LoadedWorkflow): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const step of [...definition.agents, ...definition.for_each.map(({ agent }) => agent)]) {
      const call = realCall(step, scenario);
      if (call !== undefined) calls.add(call);
    }
    for (const child of children.values()) visit(child);
  };
  visit(root);
  return [...calls];
}

function realCall(step: Step, scenario: ScenarioFile): string | undefined {
  const { cli_scripts, http_scripts, mcp_scripts } = scenario;
  const { name } = step;
  if (scenario.inject.some((one) => one.attempt === undefined && isAlways(one, name))) return undefined;
  const isReal = (scripts: readonly Scripted[]): boolean =>
    !(scenario.strict ?? scripts.length > 0) && !scripts.some((one) => isAlways(one, name));
  switch (step.type) {
    case "script":
      return isReal(cli_scripts) ? `${name} runs ${[step.command, ...(step.args ?? [])].join(" ")}` : undefined;
    case "http":
      return isReal(http_scripts) ? `${name} sends ${step.method ?? "GET"} ${step.url}` : undefined;
    case "mcp":
      return isReal(mcp_scripts) ? `${name} calls the MCP server ${step.server}` : undefined;
    default:
      return undefined;
  }
}

interface Scripted {
  readonly step?: string;
  readonly times?: number;
}

/** Whether it stands for every call of the step, wherever that is. */
const isAlways = (one: Scripted, name: string): boolean => one.step === name && one.times === undefined;
