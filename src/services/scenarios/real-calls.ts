// What a scenario lets run for real: steps whose kind of call it does not script, and those that it says are live; said before
// it happens. People are never real in a scenario.
import type { LoadedWorkflow } from "../../language/loaded.ts";
import type { Step } from "../../language/schema/index.ts";
import { answeredBy } from "../../steps/types.ts";
import type { ScenarioFile } from "./schema.ts";
import { isLike } from "./world.ts";

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
  const { cli_scripts, http_scripts, mcp_scripts, step_scripts } = scenario;
  const { name } = step;
  const type: string = step.type;
  if (scenario.inject.some((one) => one.attempt === undefined && isAlways(one, name))) return undefined;
  if (isAsked(step, scenario)) return `${name} asks its agent`;
  /** Whether a call of the step may find no script; each script says whether it is one for the step. */
  const isReal = <One extends Scripted>(scripts: readonly One[], isFor: (one: One) => boolean): boolean =>
    scenario.live.includes(name) ||
    (!(scenario.strict ?? scripts.length > 0) && !scripts.some((one) => one.times === undefined && isFor(one)));
  const isOfStep = (one: Scripted): boolean => one.step === undefined || one.step === name;
  switch (step.type) {
    case "script": {
      const { command, args = [] } = step;
      const isFor = (one: (typeof cli_scripts)[number]): boolean =>
        one.step === undefined ? isCommand(one, command, args) : one.step === name;
      return isReal(cli_scripts, isFor) ? `${name} runs ${[command, ...args].join(" ")}` : undefined;
    }
    case "http": {
      const { url, method = "GET" } = step;
      const isFor = (one: (typeof http_scripts)[number]): boolean =>
        isOfStep(one) &&
        // Where the address has a template, a star stands for it too.
        (one.url === undefined || isLike(one.url, url)) &&
        (one.method === undefined || one.method.toUpperCase() === method.toUpperCase());
      return isReal(http_scripts, isFor) ? `${name} sends ${method} ${url}` : undefined;
    }
    case "mcp": {
      const { server, tool } = step;
      const isFor = (one: (typeof mcp_scripts)[number]): boolean =>
        isOfStep(one) &&
        (one.server === undefined || one.server === server) &&
        (one.tool === undefined || one.tool === tool);
      return isReal(mcp_scripts, isFor) ? `${name} calls the MCP server ${server}` : undefined;
    }
    default: {
      const isFor = (one: (typeof step_scripts)[number]): boolean =>
        isOfStep(one) && (one.type === undefined || one.type === type);
      return answeredBy(type) === "step_scripts" && isReal(step_scripts, isFor)
        ? `${name} runs the code of ${type}`
        : undefined;
    }
  }
}

const isAsked = ({ type, name }: Step, { live, live_agents, agent_scripts }: ScenarioFile): boolean =>
  type === "agent" && (live.includes(name) || (isNamed(live_agents, name) && !Object.hasOwn(agent_scripts, name)));

const isNamed = (live: ScenarioFile["live_agents"] = false, name: string): boolean =>
  typeof live === "boolean" ? live : live.some((one) => one === name || one.endsWith(`/${name}`));

/** What has a template is another command in every visit. */
const isCommand = (
  one: { readonly command?: string; readonly args: readonly string[] },
  command: string,
  args: readonly string[],
): boolean => one.command === command && one.args.every((arg, index) => args[index] === arg && !arg.includes("{{"));

interface Scripted {
  readonly step?: string;
  readonly times?: number;
}

/** Whether it stands for every attempt of the step, wherever that is. */
const isAlways = (one: Scripted, name: string): boolean => one.step === name && one.times === undefined;
