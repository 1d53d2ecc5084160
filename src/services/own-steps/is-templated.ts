// Whether a value, as a file has it, still has to be rendered.

export function isTemplated(value: unknown): boolean {
  if (typeof value === "string") return value.includes("{{") || value.includes("{%");
  return typeof value === "object" && value !== null && Object.values(value).some(isTemplated);
}
