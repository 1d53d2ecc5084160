// The outputs that a scenario scripts for a step: fields that completion can offer before any run.
import { isMapping } from "../../errors/mapping.ts";

/** What a scenario lets a step answer, as its output would be. */
export function scriptedOutputs(node: string, scenario: unknown): readonly unknown[] {
  if (!isMapping(scenario)) return [];
  const list = (name: string): readonly Readonly<Record<string, unknown>>[] => {
    const there = scenario[name];
    return Array.isArray(there) ? there.filter((one) => isMapping(one) && one.step === node) : [];
  };
  const agents = isMapping(scenario.agent_scripts) ? scenario.agent_scripts[node] : undefined;
  return [
    ...(Array.isArray(agents) ? agents.map((one) => (isMapping(one) ? asJson(one.content) : undefined)) : []),
    ...list("cli_scripts").map(({ stdout }) => ({ stdout: "", stderr: "", exit_code: 0, ...objectIn(stdout) })),
    ...list("http_scripts").map(({ body }) => ({ body: asJson(body) })),
    ...list("mcp_scripts").map(({ content }) => asJson(content)),
    ...list("step_scripts").map(({ output }) => asJson(output)),
  ].filter((one) => one !== undefined);
}

function asJson(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[{[]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const objectIn = (value: unknown): object => {
  const read = asJson(value);
  return isMapping(read) ? read : {};
};
