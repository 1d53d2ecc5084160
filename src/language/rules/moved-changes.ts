// Where a read of `changes` in an agent's output has to look now: beside the output.
import type { Read } from "../analysis/reads.ts";
import { resolveNode } from "./resolve-read.ts";
import type { RuleContext } from "./rule.ts";

type Path = readonly (string | number)[];

export interface MovedChanges {
  /** The agent whose changes are meant. */
  readonly owner: string;
  readonly instead: Path;
}

/** Nothing where the output has a field of that name, or the step none of its own. */
export function movedChanges(read: Read, { facts }: RuleContext): MovedChanges | undefined {
  const found = namedIn(read, facts);
  const node = found && facts.nodes.get(found.owner);
  if (node?.kind !== "step" || node.step.type !== "agent" || !facts.hasChanges(node)) return undefined;
  return Object.hasOwn(node.step.output ?? {}, "changes") ? undefined : found;
}

/** Of a step that only runs as a member they are kept under its group. */
export function placeOfChanges(name: string, { nodes, graph }: RuleContext["facts"], part = "changes"): Path {
  const node = nodes.get(name);
  if (node?.kind !== "step" || !graph.onlyMember(name)) return [name, part];
  return [node.groups[0] ?? "", part, ...(node.inline ? [] : [name])];
}

function namedIn(read: Read, facts: RuleContext["facts"]): MovedChanges | undefined {
  const { path, site } = read;
  if (path[0] === "output" && site.locals.includes("output"))
    return site.node !== null && path[1] === "changes"
      ? { owner: site.node, instead: ["changes", ...path.slice(2)] }
      : undefined;
  const named = resolveNode(read, facts);
  const node = named && facts.nodes.get(named.name);
  if (!named || !node) return undefined;
  const { name, part, rest } = named;
  if (node.kind === "step")
    return part === "output" && rest[0] === "changes"
      ? { owner: name, instead: [...placeOfChanges(name, facts), ...rest.slice(1)] }
      : undefined;
  const [key, field, ...more] = rest;
  if (part !== "outputs" || key === undefined || field !== "changes") return undefined;
  const owner = node.type === "for_each" ? node.group.agent.name : String(key);
  return { owner, instead: [name, "changes", String(key), ...more] };
}
