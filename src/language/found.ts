// What was found in a file, in words: "must be {wanted}, but it is {found}".

const MOST_SHOWN = 60;

/** A value as it was found, short enough for a sentence. */
export function found(value: unknown): string {
  if (value === undefined || value === null) return "empty";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`;
  switch (typeof value) {
    case "string":
      return `the text ${JSON.stringify(value.length > MOST_SHOWN ? `${value.slice(0, MOST_SHOWN)}…` : value)}`;
    case "number":
      return `the number ${value}`;
    case "object":
      return "a mapping";
    default:
      return String(value);
  }
}
