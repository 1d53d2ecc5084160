// Outputs that make a step take one particular success route: the values that its conditions compare with are tried.
import { conditionsOf } from "../../../engine/visit/conditions.ts";
import { readSuccessRoutes } from "../../../engine/visit/routes.ts";
import type { Route } from "../../../language/schema/index.ts";
import { compileCondition, type Scope } from "../../../template/index.ts";
import { place } from "./shapes.ts";

type Output = Record<string, unknown>;

const MOST_TRIES = 3000;

/** Changes to `output` under which route `index` is taken; undefined when none was found. */
export function outputTaking(
  routes: readonly Route[],
  index: number,
  node: string,
  output: Output,
  base: Scope,
): Output | undefined {
  const taken = (candidate: Output): boolean => {
    const decision = readSuccessRoutes(
      routes,
      conditionsOf(base, { output: candidate }, undefined, { [node]: { output: candidate } }),
    );
    return decision.action === "go" && decision.route?.index === index;
  };
  if (taken(output)) return output;
  const conditions = routes.flatMap((route) => (route.on_error === undefined && route.when ? [route.when] : []));
  const fields = [...new Set(conditions.flatMap((when) => fieldsOf(when, node, base)))].map((path) => path.split("."));
  const values = valuesIn(conditions);
  let tries = 0;
  const search = (at: number, candidate: Output): Output | undefined => {
    if (tries++ > MOST_TRIES) return undefined;
    const path = fields[at];
    if (!path) return taken(candidate) ? candidate : undefined;
    for (const value of values) {
      const changed = structuredClone(candidate);
      place(changed, path, value);
      const found = search(at + 1, changed);
      if (found) return found;
    }
    return undefined;
  };
  return search(0, output);
}

/** The output fields that a condition reads, however it writes them. */
function fieldsOf(when: string, node: string, base: Scope): readonly string[] {
  try {
    const { bare, references } = compileCondition(when);
    const known = new Set(base.names());
    return references.flatMap(({ path }) => {
      const [first = "", second, ...rest] = path.map(String);
      if (first === "output") return second === undefined ? [] : [[second, ...rest].join(".")];
      if (first === node && second === "output") return rest.length > 0 ? [rest.join(".")] : [];
      if (first === `${node}_output`) return second === undefined ? [] : [[second, ...rest].join(".")];
      return bare && !known.has(first) ? [[first, ...(second === undefined ? [] : [second]), ...rest].join(".")] : [];
    });
  } catch {
    return [];
  }
}

/** Every value that the conditions mention, and its neighbours. */
function valuesIn(conditions: readonly string[]): readonly unknown[] {
  const text = conditions.join("\n");
  const words = [...text.matchAll(/'([^']*)'|"([^"]*)"/g)].map(([, single, double]) => single ?? double ?? "");
  const numbers = [...text.matchAll(/(?<![\w.'"])-?\d+(?:\.\d+)?/g)].map(([number]) => Number(number));
  return [
    ...new Set<unknown>([
      true,
      false,
      ...words,
      ...numbers.flatMap((number) => [number, number + 1, number - 1]),
      "x",
      "",
      0,
      null,
    ]),
  ];
}
