// unsupported-option, for providers: Conductor's that Segno reads but does not have, and fields of one that another has not.
import type { Finding } from "../loaded.ts";
import type { ProviderFields } from "../schema/index.ts";
import { FOREIGN_PROVIDERS } from "../schema/names.ts";
import { type Placed, providers, stepNodes } from "./parts-of-file.ts";
import { code, defineRule, type RuleContext } from "./rule.ts";

const INSTEAD: Readonly<Record<string, string>> = {
  hermes: "Use `openai` with a `base_url` for a local model.",
  aca: "Use `copilot`, `openai` or `anthropic`; the agent then runs on this machine.",
};

const CLAUDE = "claude-agent-sdk";
const OF_CLAUDE = ["auth_mode", "native_tools", "setting_sources"] as const;

const NO_LOGIN =
  "Segno does not use the login of Claude's program: agents fail with `provider.rejected` before they start. Choose `api_key` or `auto`.";

export const foreignProvider = defineRule({
  name: "unsupported-option",
  severity: "warning",
  description: "Something that Conductor has and Segno does not: it is read, and has no effect.",
  example: "runtime: { provider: hermes }",
  *check(context) {
    for (const { name, path, node } of providers(context))
      if (FOREIGN_PROVIDERS.includes(name))
        yield context.finding(
          path,
          `Segno does not have the provider ${code(name)}: the file loads, but its agents cannot run with it. ${INSTEAD[name] ?? ""}`.trim(),
          { node, suggestions: ["anthropic", "openai", "copilot"] },
        );
    yield* fieldsOfClaude(context);
  },
});

function* fieldsOfClaude(context: RuleContext): Generator<Finding> {
  const { runtime } = context.workflow.definition.workflow;
  const places: (Placed & { readonly fields: ProviderFields })[] = [];
  for (const placed of providers(context)) {
    const step = placed.node === undefined ? undefined : context.facts.nodes.get(placed.node);
    const own = step?.kind === "step" && step.step.type === "agent" ? step.step.provider : undefined;
    const fields = own ?? runtime?.provider;
    if (fields) places.push({ ...placed, fields });
  }
  for (const { name, path, node, fields } of places)
    for (const field of OF_CLAUDE) {
      if (fields[field] === undefined) continue;
      const at = [...path, field];
      if (name !== CLAUDE)
        yield context.finding(at, `${code(field)} has no effect: it belongs to the provider ${code(CLAUDE)}.`, {
          node,
          at: "key",
        });
      else if (field === "auth_mode" && fields.auth_mode === "subscription")
        yield context.finding(at, NO_LOGIN, { node });
    }
  for (const { step, path, name: node } of stepNodes(context, "agent")) {
    const provider = step.provider?.name ?? runtime?.provider.name;
    if (step.settings_dir !== undefined && provider !== CLAUDE)
      yield context.finding(
        [...path, "settings_dir"],
        `${code("settings_dir")} has no effect: it belongs to the provider ${code(CLAUDE)}.`,
        { node, at: "key" },
      );
  }
}
