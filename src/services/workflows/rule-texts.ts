// What a rule is about, for reports that list the rules that spoke.
import { RULES } from "../../language/rules/index.ts";

/** Of findings that no rule of the language makes. */
const OTHERS: Readonly<Record<string, string>> = {
  "unhandled-error": "An error that is to be expected can leave the file, and no route takes it.",
  scenario: "A scenario did not go as it expects.",
  "error-coverage": "The scenarios take fewer of the error routes than are wanted.",
  "broken-plugin": "A plugin of the project cannot be loaded.",
  "missing-file": "A file that is named is not there.",
};

export function ruleText(name: string): { readonly description: string; readonly example?: string } | undefined {
  const rule = RULES.find((one) => one.name === name);
  if (rule) return { description: rule.description, example: rule.example };
  const description = OTHERS[name];
  return description === undefined ? undefined : { description };
}
