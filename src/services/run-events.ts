// The events that begin a drive.
import { hostname } from "node:os";
import { outlineOf } from "../engine/children/outline.ts";
import { fileDigest } from "../engine/visit/hash.ts";
import type { EventData } from "../events/registry.ts";
import type { LoadedWorkflow } from "../language/loaded.ts";
import { version } from "./home.ts";

export function workflowStarted(
  workflow: LoadedWorkflow,
  inputs: Readonly<Record<string, unknown>>,
  durability: string,
  cwd: string,
  provider?: string,
  scenario?: string,
): EventData<"workflow_started"> {
  const { definition, file } = workflow;
  const nodes = [...definition.agents, ...definition.parallel, ...definition.for_each];
  return {
    name: definition.workflow.name,
    file,
    entry_point: definition.workflow.entry_point,
    ...(definition.workflow.version === undefined ? {} : { version: definition.workflow.version }),
    outline: outlineOf(workflow),
    inputs,
    metadata: definition.workflow.metadata,
    routes: nodes.flatMap((node) =>
      ("routes" in node ? node.routes : []).map((route) => ({
        from: node.name,
        to: route.to ?? (route.retry ? node.name : route.halt ? "halt" : "parent"),
        ...(route.when === undefined ? {} : { when: route.when }),
        ...(route.on_error === undefined ? {} : { on_error: route.on_error }),
      })),
    ),
    durability,
    ...(provider === undefined ? {} : { provider }),
    definition_hash: fileDigest(workflow),
    system: systemOf(cwd, scenario),
  };
}

export const systemOf = (cwd: string, scenario?: string): Record<string, unknown> => ({
  ...(scenario === undefined ? {} : { scenario }),
  pid: process.pid,
  host: hostname(),
  platform: process.platform,
  node_version: process.version,
  segno_version: version(),
  cwd,
});
