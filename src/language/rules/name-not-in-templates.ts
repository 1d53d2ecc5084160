import { code, defineRule, isIdentifier, toIdentifier } from "./rule.ts";

export const nameNotInTemplates = defineRule({
  name: "name-not-in-templates",
  severity: "warning",
  description:
    "Templates read a step by its name, so the name is a word of letters, digits and underscores: `{{ my-step.output }}` would be `my` minus `step.output`.",
  example: "steps:\n  - { name: my-step, type: set, value: 1 }",
  *check(context) {
    const { nodes, graph } = context.facts;
    for (const node of nodes.all) {
      // A member is read through its group, `g.outputs['my-step']`, and nothing comes after a terminate step.
      if (isIdentifier(node.name) || node.type === "terminate" || graph.onlyMember(node.name)) continue;
      if (node.kind === "step" && node.inline) continue;
      const better = toIdentifier(node.name);
      yield context.about(
        node,
        ["name"],
        `Templates and conditions cannot say ${code(node.name)}: ${node.name.includes("-") ? "a dash is a minus there" : "it is not a word that they take for a name"}, and there is no other way to read what it gives. If something should read it, rename it, to ${code(better)} for example; routes and \`input\` can say the name as it is.`,
        { suggestions: [better] },
      );
    }
  },
});
