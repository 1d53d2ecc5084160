// What one workflow file needs: that it loads, keys for its providers, MCP servers that start.

import { resolve } from "node:path";
import { describedServers } from "../../language/described-servers.ts";
import { type LoadedWorkflow, stepsOf } from "../../language/loaded.ts";
import { validateWorkflow } from "../../language/validate.ts";
import type { ProviderSettings } from "../../providers/provider.ts";
import { COMMAND_LINE } from "../../results/index.ts";
import { serverProcesses } from "../../steps/outside.ts";
import type { McpServer } from "../../steps/schema/mcp-servers.ts";
import { knownFor } from "../access/people-of-run.ts";
import { filesOf } from "../session/files.ts";
import type { Session } from "../session/session.ts";
import { shownPath } from "../session/shown-path.ts";
import { broken, type Check, good } from "./fleet.ts";

const START_MS = 20_000;

export function loadForDoctor(
  file: string,
  session: Session,
): { readonly check: Check; readonly workflow?: LoadedWorkflow } {
  const { cwd, reader = COMMAND_LINE } = session;
  const path = resolve(cwd, file);
  const { workflow, findings } = validateWorkflow(path, filesOf(session), knownFor(path, session));
  const errors = findings.filter(({ severity }) => severity === "error");
  const [first] = errors;
  if (!workflow || first) {
    const where = first
      ? `${shownPath(first.location.file, cwd)}:${first.location.line}: ${first.message}`
      : "it cannot be read";
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more: ${reader.ask({ to: "validate", file })})` : "";
    return { check: broken("file", `${where}${more}`) };
  }
  return { check: good("file", `${shownPath(path, cwd)} is valid`), workflow };
}

export function providersOf(family: readonly LoadedWorkflow[]): ReadonlyMap<string, ProviderSettings> {
  const needed = new Map<string, ProviderSettings>();
  for (const { definition } of family) {
    const { provider } = definition.workflow.runtime;
    for (const step of stepsOf(definition)) {
      if (step.type !== "agent") continue;
      const asked = step.provider ?? provider;
      needed.set(asked.name, asked as ProviderSettings);
    }
  }
  return needed;
}

export interface StartRequest {
  readonly start?: boolean;
  readonly starting?: (text: string) => void;
}

const whatItIs = (config: McpServer): string =>
  "command" in config && config.command !== undefined
    ? [config.command, ...(config.args ?? [])].join(" ")
    : String("url" in config ? config.url : "");

/** Starts what the file names, which may be any program: only when that was asked for, and after it was said. */
export async function checkServers(
  family: readonly LoadedWorkflow[],
  { env, reader = COMMAND_LINE }: Session,
  { start = false, starting }: StartRequest,
): Promise<readonly Check[]> {
  const servers = family.flatMap((workflow) =>
    describedServers(workflow).map(([name, config]) => ({ name, config, cwd: workflow.dir })),
  );
  if (servers.length === 0) return [];
  if (!start)
    return servers.map(({ name, config }) => ({
      name: `mcp.${name}`,
      ok: true,
      ready: false,
      message: `not tried: ${reader.ask({ to: "start servers" }) ?? "a person"} starts it (${whatItIs(config)}) and asks for its tools`,
    }));
  starting?.(
    `Starting the MCP servers of the file, and ending them again: ${servers.map(({ name, config }) => `${name} (${whatItIs(config)})`).join(", ")}`,
  );
  const { createMcpPool } = await import("../../providers/index.ts");
  const processes = await serverProcesses();
  return Promise.all(
    servers.map(async ({ name, config, cwd }): Promise<Check> => {
      const pool = createMcpPool({ [name]: config }, env, { cwd, processes });
      try {
        const listed = await pool.listTools(AbortSignal.timeout(START_MS));
        return listed.ok
          ? good(
              `mcp.${name}`,
              `it starts and has ${listed.tools.length} ${listed.tools.length === 1 ? "tool" : "tools"}`,
            )
          : broken(`mcp.${name}`, listed.error.message);
      } finally {
        await pool.close();
      }
    }),
  );
}
