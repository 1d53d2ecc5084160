// A value as YAML in one line, the way an author would write it: `{ on_error: registry.busy, retry: { max: 4 } }`.

/** Words that YAML reads as text without quotes. */
const PLAIN = /^[A-Za-z_$./*][\w$./*-]*$/;
const WORDS_OF_ITS_OWN = /^(?:true|false|null|yes|no|on|off|~)$/i;

export function flowYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowYaml).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, inner]) => `${flowYaml(key)}: ${flowYaml(inner)}`);
    return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
  }
  if (typeof value !== "string") return String(value);
  return PLAIN.test(value) && !value.startsWith("*") && !WORDS_OF_ITS_OWN.test(value) ? value : JSON.stringify(value);
}
