import { END } from "../analysis/routes.ts";
import { stepsKeyOf } from "../schema/names.ts";
import { eachRoute, type Placed } from "./parts-of-file.ts";
import { closest, code, defineRule, didYouMean, type RuleContext } from "./rule.ts";

interface Mention extends Placed {
  readonly as: "entry point" | "target" | "member";
}

function* mentions(context: RuleContext): Generator<Mention> {
  const { workflow, facts } = context;
  const entry = workflow.definition.workflow.entry_point;
  if (typeof entry === "string") yield { name: entry, path: ["workflow", "entry_point"], as: "entry point" };
  for (const { route, path, node } of eachRoute(context))
    if (route.to !== undefined) yield { name: route.to, path: [...path, "to"], node: node?.name, as: "target" };
  for (const node of facts.nodes.all) {
    if (node.type === "parallel")
      for (const [index, name] of node.members.entries())
        yield { name, path: [...node.path, "agents", index], node: node.name, as: "member" };
    if (node.kind !== "step") continue;
    if (node.step.type === "human_gate")
      for (const [index, option] of node.step.options.entries())
        if (option.route !== undefined)
          yield { name: option.route, path: [...node.path, "options", index, "route"], node: node.name, as: "target" };
    if (node.step.type === "questions" && node.step.abort_route !== undefined)
      yield { name: node.step.abort_route, path: [...node.path, "abort_route"], node: node.name, as: "target" };
  }
}

export const unknownStep = defineRule({
  name: "unknown-step",
  severity: "error",
  description:
    "The entry point, route targets, gate options and group members name steps or groups of this file, or `$end` where a route ends.",
  example: "routes:\n  - to: publsh",
  *check(context) {
    const { nodes } = context.facts;
    const targets = new Set(nodes.targets);
    const list = code(stepsKeyOf(context.workflow.raw));
    for (const { name, path, node, as } of mentions(context)) {
      if (targets.has(name) || (as === "target" && name === END)) continue;
      const inline = nodes.get(name);
      if (inline?.kind === "step" && inline.inline) {
        const group = inline.groups[0] ?? "";
        yield context.finding(
          path,
          `${code(name)} is the inline step of the for_each group ${code(group)} and runs once for each item, never by itself. Use ${code(group)}, or make it a step of its own under ${list}.`,
          { node, suggestions: [group] },
        );
        continue;
      }
      const suggestions = closest(name, as === "target" ? [...targets, END] : targets);
      const [what, remedy] =
        as === "entry point"
          ? ["the entry point of a run", "Name the step to begin with."]
          : as === "member"
            ? ["a member of this group", `Members are names of steps under ${list}.`]
            : ["where this leads", "Name a step or group of this file, or `$end`."];
      yield context.finding(
        path,
        `There is no step or group ${code(name)}, but it is ${what}.${didYouMean(suggestions)} ${remedy}`,
        { node, suggestions },
      );
    }
  },
});
