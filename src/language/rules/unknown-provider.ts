import { FOREIGN_PROVIDERS, PROVIDERS } from "../schema/names.ts";
import { providers } from "./parts-of-file.ts";
import { closest, code, defineRule, didYouMean, listed } from "./rule.ts";

const OFFERED = PROVIDERS.filter((name) => name !== "scripted");

export const unknownProvider = defineRule({
  name: "unknown-provider",
  severity: "error",
  description:
    "`provider` names one of the providers that Segno has. Whether it is installed and has a key is asked when an agent first runs.",
  example: "runtime: { provider: antropic }",
  *check(context) {
    for (const { name, path, node } of providers(context)) {
      if ([PROVIDERS, FOREIGN_PROVIDERS, context.providers].some((known) => known.includes(name))) continue;
      const suggestions = closest(name, OFFERED);
      const missing = suggestions.length === 0 && context.missingPlugins ? ` ${context.missingPlugins}` : "";
      yield context.finding(
        path,
        `There is no provider ${code(name)}.${didYouMean(suggestions)} Segno has ${listed(OFFERED, "and")}; anything that speaks OpenAI's protocol works as \`openai\` with a \`base_url\`.${missing}`,
        { node, suggestions },
      );
    }
  },
});
