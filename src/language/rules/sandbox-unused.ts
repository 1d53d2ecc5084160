import { isMapping } from "../../base/errors/mapping.ts";
import type { Finding, NodePath } from "../loaded.ts";
import { CODING_PROVIDERS, PROVIDERS } from "../schema/names.ts";
import { stepNodes } from "./parts-of-file.ts";
import { code, defineRule, listed, type RuleContext } from "./rule.ts";

const KEYS = ["sandbox", "allow", "ask", "network", "settings", "on_denied"] as const;

/** What a plugin's provider looks at is its own business. */
const MODEL_PROVIDERS = PROVIDERS.filter((name) => !CODING_PROVIDERS.includes(name) && name !== "scripted");

export const sandboxUnused = defineRule({
  name: "sandbox-unused",
  severity: "warning",
  description:
    "`sandbox`, `allow`, `ask`, `network`, `settings` and `on_denied` belong to agents that work in a folder; a provider that calls a model does not look at them.",
  example: "- { name: judge, provider: anthropic, sandbox: read-only, prompt: Is it good? }",
  *check(context) {
    const provider = context.workflow.definition.workflow.runtime?.provider;
    if (provider) yield* unusedIn(context, provider, ["workflow", "runtime", "provider"], provider.name);
    for (const node of stepNodes(context, "agent")) {
      const { step } = node;
      if (step.provider)
        yield* unusedIn(context, step.provider, [...node.path, "provider"], step.provider.name, node.name);
      yield* unusedIn(context, step, node.path, (step.provider ?? provider)?.name, node.name);
    }
  },
});

function* unusedIn(
  context: RuleContext,
  fields: object,
  path: NodePath,
  provider: string | undefined,
  node?: string,
): Generator<Finding> {
  if (provider === undefined || !MODEL_PROVIDERS.includes(provider)) return;
  // Conductor's mapping has a finding of its own.
  const written = new Map<string, unknown>(Object.entries(fields));
  const [first, ...others] = KEYS.filter((key) => written.get(key) !== undefined && !isMapping(written.get(key)));
  if (first === undefined) return;
  yield context.finding(
    [...path, first],
    `${listed([first, ...others], "and")} ${others.length > 0 ? "have" : "has"} no effect: ${code(provider)} calls a model, which edits no files and runs no commands. Take ${others.length > 0 ? "them" : "it"} out, or use ${listed(CODING_PROVIDERS, "or")}.`,
    { node, at: "key" },
  );
}
