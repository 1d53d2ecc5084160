import { ACP_AGENTS } from "../schema/names.ts";
import { codingSteps } from "./parts-of-file.ts";
import { closest, code, defineRule, didYouMean, listed } from "./rule.ts";

const NAMES = Object.keys(ACP_AGENTS);

export const unknownAcpAgent = defineRule({
  name: "unknown-acp-agent",
  severity: "error",
  description: "`provider: acp` names an agent that Segno knows, or gives the command of another.",
  example: "runtime: { provider: { name: acp, agent: gemni } }",
  *check(context) {
    for (const { node, settings } of codingSteps(context)) {
      const { name, agent, command } = settings;
      if (name !== "acp" || (command !== undefined && agent === undefined)) continue;
      if (agent !== undefined && NAMES.includes(agent)) continue;
      const suggestions = agent === undefined ? [] : closest(agent, NAMES);
      const problem =
        agent === undefined
          ? "`provider: acp` does not say which agent"
          : `Segno does not know the agent ${code(agent)}.${didYouMean(suggestions)} It`;
      yield context.about(
        node,
        [],
        agent === undefined
          ? `${problem}. Write \`agent\`, which may be ${listed(NAMES, "or")}, or the \`command\` of another.`
          : `${problem} may be ${listed(NAMES, "or")}; any other is given by its \`command\` alone.`,
        { suggestions },
      );
    }
  },
});
