// What stands in the place of a secret wherever a value is shown.
export const REDACTED = "<redacted>";
