import type { NodePath } from "../loaded.ts";
import { stepNodes } from "./parts-of-file.ts";
import { code, defineRule } from "./rule.ts";

const HIGHEST_TEMPERATURE: Readonly<Record<string, number>> = { anthropic: 1, claude: 1 };
const MISSING_EFFORTS: Readonly<Record<string, readonly string[]>> = { openai: ["xhigh", "max"] };

export const providerLimit = defineRule({
  name: "provider-limit",
  severity: "warning",
  description:
    "A `temperature` and an effort of reasoning are among those that the provider takes. A server of one's own (`base_url`) may take others.",
  example: "runtime: { provider: anthropic, temperature: 1.5 }",
  *check(context) {
    const { runtime } = context.workflow.definition.workflow;
    const steps = stepNodes(context, "agent");
    const { provider, temperature, default_reasoning_effort: standard } = runtime;
    const ofFile = nameOf(provider);
    const ofSteps = steps.map(({ step }) => (step.provider ? nameOf(step.provider) : ofFile));
    const highest = [ofFile, ...ofSteps].map((name) => HIGHEST_TEMPERATURE[name]).find((most) => most !== undefined);
    if (temperature !== undefined && highest !== undefined && temperature > highest)
      yield context.finding(
        ["workflow", "runtime", "temperature"],
        `A temperature of ${temperature} is refused by ${code("anthropic")}, which takes up to ${highest}.`,
      );
    const about = (effort: string | undefined, name: string, path: NodePath, node?: string) =>
      effort !== undefined && MISSING_EFFORTS[name]?.includes(effort)
        ? [
            context.finding(
              path,
              `Most models of ${code(name)} have no effort ${code(effort)} and refuse the call. The highest that all have is ${code("high")}.`,
              { node },
            ),
          ]
        : [];
    yield* about(standard, ofFile, ["workflow", "runtime", "default_reasoning_effort"]);
    for (const [index, { step, path }] of steps.entries())
      yield* about(step.reasoning?.effort, ofSteps[index] ?? "", [...path, "reasoning", "effort"], step.name);
  },
});

/** Empty for a server of one's own. */
const nameOf = (provider: { readonly name: string }): string =>
  "base_url" in provider && provider.base_url !== undefined ? "" : provider.name;
