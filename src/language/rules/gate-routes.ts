import { isSuccessRoute } from "../analysis/routes.ts";
import { stepNodes } from "./parts-of-file.ts";
import { code, defineRule } from "./rule.ts";

export const gateRoutes = defineRule({
  name: "gate-routes",
  severity: "warning",
  description:
    "A gate leads on through the `route` of each option, or through its own `routes` on `output.choice`; an option without `route` needs the latter.",
  example: "options:\n  - { label: Yes, value: yes, route: publish }\n  - { label: No, value: no }",
  *check(context) {
    for (const node of stepNodes(context, "human_gate")) {
      const { options } = node.step;
      const routed = options.filter((option) => option.route !== undefined);
      const own = node.routes.findIndex(isSuccessRoute);
      if (routed.length === options.length && own >= 0)
        yield context.about(
          node,
          ["routes", own],
          `Every option of ${code(node.name)} has a \`route\`, so this route is never read. Remove it, or remove \`route\` from the options that it is for.`,
        );
      if (routed.length === 0 || own >= 0) continue;
      for (const [index, option] of options.entries())
        if (option.route === undefined)
          yield context.about(
            node,
            ["options", index],
            `The option ${code(option.value)} has no \`route\`, and ${code(node.name)} has no \`routes\`, so choosing it ends the workflow. Add \`route: $end\` if that is meant.`,
            { suggestions: ["route: $end"] },
          );
    }
  },
});
