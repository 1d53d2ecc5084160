// unsupported-option, for providers: Conductor's that Segno reads but does not have.
import { FOREIGN_PROVIDERS } from "../schema/names.ts";
import { providers } from "./parts-of-file.ts";
import { code, defineRule } from "./rule.ts";

const INSTEAD: Readonly<Record<string, string>> = {
  hermes: "Use `openai` with a `base_url` for a local model.",
  aca: "Use `copilot`, `openai` or `anthropic`; the agent then runs on this machine.",
};

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
  },
});
