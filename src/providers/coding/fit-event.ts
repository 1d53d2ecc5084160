// What goes to and fro between an agent and its own tools may be of any size; what is recorded of it is not.

/** As it is, or its beginning with a word about the rest. */
export function fitEvent(value: unknown, maxChars: number): unknown {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text === undefined || text.length <= maxChars) return value;
  return `${text.slice(0, maxChars)}\n… (${text.length - maxChars} more characters are not recorded)`;
}
