// How rules put names into sentences, so that all of them sound alike.
export { didYouMean } from "../../errors/nearest.ts";

export const code = (text: string): string => `\`${text}\``;

/** `a`, `b` or `c`; long lists are cut. */
export function listed(names: readonly string[], conjunction: "or" | "and" = "or", most = 8): string {
  const shown = names.slice(0, most).map(code);
  if (names.length > most) return `${shown.join(", ")} … (${names.length} in all)`;
  const last = shown.pop();
  return shown.length > 0 ? `${shown.join(", ")} ${conjunction} ${last}` : (last ?? "");
}

/** A path as it would stand in a template. */
export const dotted = (path: readonly (string | number)[]): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    if (text === "") return part;
    return /^[A-Za-z_]\w*$/.test(part) ? `${text}.${part}` : `${text}['${part}']`;
  }, "");

/** How to call a node of this type in a sentence. */
export function called(type: string): string {
  if (type === "parallel" || type === "for_each") return `${type} group`;
  return type === "agent" ? "agent" : `${type} step`;
}
