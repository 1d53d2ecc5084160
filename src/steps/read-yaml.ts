// Text as YAML.
import { createRequire } from "node:module";
import { hasFiniteNumbers, isTooDeep, parseJson } from "../base/json/bounded.ts";

/** Undefined for what is no YAML. JSON is YAML too, and reading it needs no library, which takes long to start. */
export function readYaml(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    try {
      const { parse } = createRequire(import.meta.url)("yaml") as typeof import("yaml");
      const value: unknown = parse(text);
      return isTooDeep(value) || !hasFiniteNumbers(value) ? undefined : value;
    } catch {
      return undefined;
    }
  }
}
