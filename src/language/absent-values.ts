// Empty values in a file with `agents:` that Conductor takes for absent ones.
import { isMapping, type Mapping } from "../base/errors/mapping.ts";

/** Takes the empty values out of the values of a file. They are the file's own, so they are changed in place. */
export function passOverEmptyValues(file: Mapping): void {
  const { workflow } = file;
  if (isMapping(workflow) && isMapping(workflow.context) && workflow.context.max_tokens === 0)
    remove(workflow.context, "max_tokens");
  for (const node of [...listed(file.agents), ...listed(file.parallel), ...listed(file.for_each)]) {
    passOverIn(node);
    if (isMapping(node.agent)) passOverIn(node.agent);
  }
}

function passOverIn(node: Mapping): void {
  const isAgent = node.type === undefined || node.type === null || node.type === "agent";
  if (isAgent && isMapping(node.output) && Object.keys(node.output).length === 0) remove(node, "output");
  if (isMapping(node.dialog) && node.dialog.trigger_prompt === "") remove(node, "dialog");
  for (const route of listed(node.routes)) {
    if (route.when === "" || route.when === null) remove(route, "when");
    if (route.output === null) remove(route, "output");
  }
}

const listed = (value: unknown): readonly Mapping[] => (Array.isArray(value) ? value.filter(isMapping) : []);

function remove(from: Mapping, key: string): void {
  delete (from as Record<string, unknown>)[key];
}
