import { resolveNode } from "../analysis/named-reads.ts";
import type { FlowNode, GroupNode, StepNode } from "../analysis/nodes.ts";
import { isSuccessRoute } from "../analysis/routes.ts";
import type { Finding, NodePath } from "../loaded.ts";
import { shareGroup } from "./parts-of-file.ts";
import { code, defineRule, dotted, type RuleContext } from "./rule.ts";

/** Why a node cannot run inside a group, if it cannot. */
function refusal(node: FlowNode, group: GroupNode): string | undefined {
  if (node.kind === "group")
    return `${code(node.name)} is a group, and groups do not nest. Put its steps into a sub-workflow and make a \`type: workflow\` step the member.`;
  if (node.type === "terminate")
    return `${code(node.name)} is a terminate step, which ends the whole workflow and so cannot be a member of a group. Route to it from ${code(group.name)} instead.`;
  if (group.type === "parallel" && (node.type === "human_gate" || node.type === "questions"))
    return `${code(node.name)} is a ${node.type} step, and a parallel group cannot ask people: the other members would race ahead of the answer. Ask before or after ${code(group.name)}.`;
  return undefined;
}

const isInline = (node: FlowNode): boolean => node.kind === "step" && node.inline;

function* routeFindings(member: StepNode, context: RuleContext): Generator<Finding> {
  const group = member.groups[0] ?? "";
  for (const [index, route] of member.routes.entries()) {
    const path: NodePath = [...member.path, "routes", index];
    if (isSuccessRoute(route)) {
      // A member that is also a target by itself needs its routes there.
      if (!context.facts.graph.onlyMember(member.name)) continue;
      yield context.finding(
        path,
        `${code(member.name)} is a member of ${code(group)}, so its success goes to the group and this route would never be read. Put it under the routes of ${code(group)}; error routes may stay here.`,
        { node: member.name },
      );
    } else if (route.to !== undefined) {
      const target = context.facts.nodes.get(route.to);
      const owner = context.facts.nodes.get(group);
      const reason = target && owner?.kind === "group" ? refusal(target, owner) : undefined;
      if (reason)
        yield context.finding(path, `This step would run in place of ${code(member.name)}. ${reason}`, {
          node: member.name,
        });
    }
  }
}

function* siblingReads(context: RuleContext): Generator<Finding> {
  const { facts } = context;
  for (const read of facts.reads.all) {
    const { site, path } = read;
    if (read.guarded || site.node === null) continue;
    const named = resolveNode(read, facts);
    const group = named && shareGroup(facts.nodes, named.name, site.node);
    if (!named || named.part === "error" || !group || facts.graph.canPrecede(named.name, site.node)) continue;
    yield context.inText(
      read,
      `${code(site.node)} and ${code(named.name)} run at the same time in ${code(group)}, so ${code(dotted(path))} is not there. Run ${code(named.name)} before the group, or read it after, as ${code(`${group}.outputs.${named.name}`)}.`,
    );
  }
}

export const groupMembers = defineRule({
  name: "group-members",
  severity: "error",
  description:
    "Members of a group are steps that can run side by side: no groups, no terminate, no gates in `parallel`; they have no success routes, and do not read one another.",
  example: "parallel:\n  - { name: pair, agents: [build, stop], routes: [{ to: $end }] }   # stop is a terminate step",
  *check(context) {
    const { nodes } = context.facts;
    for (const group of nodes.all) {
      if (group.kind !== "group") continue;
      for (const [index, name] of group.members.entries()) {
        const member = nodes.all.find((node) => node.name === name && isInline(node) === (group.type === "for_each"));
        const reason = member && refusal(member, group);
        const path: NodePath = group.type === "parallel" ? [...group.path, "agents", index] : [...group.path, "agent"];
        if (reason) yield context.finding(path, reason, { node: group.name });
      }
    }
    for (const node of nodes.all)
      if (node.kind === "step" && node.groups.length > 0) yield* routeFindings(node, context);
    yield* siblingReads(context);
  },
});
