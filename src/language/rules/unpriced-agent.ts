import { ACP_AGENTS } from "../schema/names.ts";
import { codingSteps } from "./parts-of-file.ts";
import { code, defineRule } from "./rule.ts";

const TELLS: ReadonlyMap<string, boolean> = new Map(
  Object.entries(ACP_AGENTS).map(([name, { tellsUsage }]) => [name, tellsUsage]),
);

export const unpricedAgent = defineRule({
  name: "unpriced-agent",
  severity: "error",
  description:
    "Under `limits.budget_usd` an agent of `provider: acp` that does not say what it used has a `price` for each call.",
  example: "workflow: { limits: { budget_usd: 5 }, runtime: { provider: { name: acp, agent: opencode } } }",
  *check(context) {
    const { limits } = context.workflow.definition.workflow;
    if (limits?.budget_usd === undefined) return;
    for (const { node, settings } of codingSteps(context)) {
      const { name, agent, command, price } = settings;
      if (name !== "acp" || price !== undefined || TELLS.get(agent ?? "")) continue;
      const who = agent ?? command;
      if (who === undefined) continue;
      yield context.about(
        node,
        [],
        `${code("limits.budget_usd")} cannot hold ${code(node.name)}: ${code(who)} does not say what it used. Give its provider a \`price\`, in dollars for each call, or take the budget out.`,
      );
    }
  },
});
