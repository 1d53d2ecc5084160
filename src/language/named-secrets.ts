// `secrets` of `execution` and of MCP servers: an environment variable that a script or a server gets under another name.
// What cannot be given is refused before the run, so that nothing starts without its secret.
import { isMapping } from "../base/errors/mapping.ts";
import type { McpServer } from "../steps/schema/provider.ts";
import type { NamedSecret } from "../steps/schema/readings.ts";
import { type LoadedWorkflow, type LoadWorld, type NodePath, stepsOf } from "./loaded.ts";
import type { Page } from "./page.ts";
import type { Step } from "./schema/index.ts";

interface Receiver {
  readonly secrets: readonly NamedSecret[];
  readonly path: NodePath;
  readonly node?: string;
  /** How it can be given one; undefined if it cannot. */
  readonly by: "env" | "header" | undefined;
  /** In sentences. */
  readonly name: string;
}

type Place = Pick<LoadedWorkflow, "definition" | "pathOf">;

const secretsOfStep = (step: Step): readonly NamedSecret[] =>
  "execution" in step && isMapping(step.execution) ? (step.execution.secrets ?? []) : [];

function* receiversIn({ definition, pathOf }: Place): Iterable<Receiver> {
  const ofServers = function* (servers: Readonly<Record<string, McpServer>>, path: NodePath): Iterable<Receiver> {
    for (const [name, { secrets = [], type }] of Object.entries(servers)) {
      const by = type === "stdio" ? "env" : "header";
      yield { secrets, path: [...path, name, "secrets"], by, name: `an MCP server of type ${type}` };
    }
  };
  const { runtime } = definition.workflow;
  yield* ofServers(runtime.mcp_servers, ["workflow", "runtime", "mcp_servers"]);
  for (const step of stepsOf(definition)) {
    const path = pathOf(step.name);
    const secrets = secretsOfStep(step);
    const by = step.type === "script" ? "env" : undefined;
    const name = `a step of type ${step.type}`;
    yield { secrets, path: [...path, "execution", "secrets"], node: step.name, by, name };
    if (step.type === "agent") yield* ofServers(step.mcp_servers ?? {}, [...path, "mcp_servers"]);
  }
}

export function checkSecrets(workflow: Place, { env }: LoadWorld, page: Page): void {
  for (const { secrets, path, node, by, name } of receiversIn(workflow))
    for (const [index, { ref, delivery }] of secrets.entries()) {
      if (page.isFull) return;
      if (by === undefined || !(by in delivery)) {
        const remedy =
          by === undefined
            ? "Give it to the script or the MCP server that needs it."
            : `Write \`delivery: { ${by}: NAME }\`.`;
        const message = `The secret \`${ref}\` cannot be given to ${name}${by === undefined ? "" : " like this"}. ${remedy}`;
        page.report("unsupported-option", [...path, index], message, { node });
      } else if (!env[ref])
        page.report(
          "unset-variable",
          [...path, index, "ref"],
          `The secret \`${ref}\` is not there: Segno takes it from the environment variable of the same name, which is not set. Set it before the run.`,
          { node },
        );
    }
}

/** The values of all secrets that a file names, for what must not be shown. */
export function* secretValues(workflow: Place, env: LoadWorld["env"]): Iterable<string> {
  for (const { secrets } of receiversIn(workflow))
    for (const { ref } of secrets) {
      const value = env[ref];
      if (value) yield value;
    }
}
