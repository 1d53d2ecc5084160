// What a repair may change: the rules that models are told, and the fields by which a change is judged.

/**
 * Fields that decide neither what is executed, nor where something is sent, nor where the step leads; and what is handed to
 * that, of which only names inside templates may change, and only when the change is proved (features/history/proof.ts).
 */
export const HARMLESS_FIELDS: ReadonlySet<string> = new Set([
  "prompt",
  "value",
  "values",
  "reason",
  "output_template",
  "input_mapping",
  "args",
  "query",
  "body",
  "arguments",
]);

/** What a model is told before it changes a step: the same as `whyNotAlone` looks at. */
export const REPAIR_RULES = `Change only the failing step, and in it as little as possible: in ${[...HARMLESS_FIELDS].map((name) => `\`${name}\``).join(", ")} only which names the templates ({{ … }}) read. Anything else (\`command\`, \`env\`, \`url\`, routes, policies) needs a person. Never remove a check to get past it.`;
