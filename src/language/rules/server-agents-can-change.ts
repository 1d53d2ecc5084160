import { dirname, relative, resolve } from "node:path";
import { pathWithin } from "../../base/errors/path-within.ts";
import type { McpServer } from "../../steps/schema/provider.ts";
import { codingSteps, type Placed, stepNodes } from "./parts-of-file.ts";
import { code, defineRule, type RuleContext } from "./rule.ts";

/** Files that an interpreter is given to run; other arguments are data. */
const PROGRAM = /\.(?:[cm]?[jt]sx?|py|pyz|rb|sh|bash|pl|php|lua|jar|wasm)$/i;

export const serverAgentsCanChange = defineRule({
  name: "server-agents-can-change",
  severity: "warning",
  description:
    "The program of an MCP server is not in a folder that an agent of the same file may change: servers run outside of every sandbox, and would run what the agent wrote.",
  example:
    "runtime:\n  provider: codex\n  working_dir: project\n  mcp_servers: { desk: { command: node, args: [project/desk.mjs] } }",
  *check(context) {
    const dir = dirname(context.workflow.file);
    const folders = [...codingSteps(context)].filter(
      ({ sandbox, workingDir }) => sandbox === "workspace" && !isTemplate(workingDir),
    );
    if (folders.length === 0) return;
    for (const { name, server, path, node } of servers(context))
      for (const program of programsOf(server, dir)) {
        const agent = folders.find(({ workingDir }) => pathWithin(resolve(dir, workingDir), program));
        if (!agent) continue;
        yield context.finding(
          path,
          `the agent ${code(agent.node.name)} may change ${code(relative(dir, program))}, which the server ${code(name)} runs outside of every sandbox. Keep the server's program outside of the agent's \`working_dir\`, or give the agent a folder below it.`,
          { at: "key", node },
        );
        break;
      }
  },
});

interface NamedServer extends Placed {
  readonly server: McpServer;
}

function* servers(context: RuleContext): Generator<NamedServer> {
  const ofFile = context.workflow.definition.workflow.runtime?.mcp_servers ?? {};
  for (const [name, server] of Object.entries(ofFile))
    yield { name, server, path: ["workflow", "runtime", "mcp_servers", name] };
  for (const node of stepNodes(context, "agent"))
    for (const [name, server] of Object.entries(node.step.mcp_servers ?? {}))
      yield { name, server, path: [...node.path, "mcp_servers", name], node: node.name };
}

/** What it runs, as far as the file says so: a command that is a path, and scripts among its arguments. */
function programsOf({ command = "", args, working_dir = "" }: McpServer, dir: string): string[] {
  if (isTemplate(working_dir)) return [];
  const scripts = args.map((arg) => arg.slice(arg.lastIndexOf("=") + 1)).filter((arg) => PROGRAM.test(arg));
  const named = [...(/[\\/]/.test(command) ? [command] : []), ...scripts].filter(
    (one) => !isTemplate(one) && !one.includes("://"),
  );
  return named.map((one) => resolve(dir, working_dir, one));
}

const isTemplate = (text: string): boolean => text.includes("{{");
