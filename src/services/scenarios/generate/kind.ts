// A kind that a certain error route takes, and no route before it.
import { isEngineKind, matches, type Selector, selectorWords } from "../../../errors/index.ts";
import { errorFlow } from "../../../language/analysis/index.ts";
import type { LoadedWorkflow } from "../../../language/loaded.ts";
import type { Route } from "../../../language/schema/index.ts";

/** Kinds to try, best first: what the route names, what the step declares, what the engine may raise there. */
export function kindsFor(
  workflow: LoadedWorkflow,
  node: string,
  routes: readonly Route[],
  index: number,
): readonly string[] {
  const selector = routes[index]?.on_error as Selector | undefined;
  if (selector === undefined) return [];
  const words = selectorWords(selector).flatMap((word) =>
    word === "*" ? [] : word.endsWith(".*") ? [`${word.slice(0, -1)}example`] : [word],
  );
  const raises =
    errorFlow(workflow)
      .steps.find((step) => step.node_id === node)
      ?.raises.map(({ kind }) => kind) ?? [];
  // The author's kinds first: they are what the route was written for.
  const own = raises.filter((kind) => kind !== "*" && !isEngineKind(kind));
  const possible = [...own, ...(raises.includes("*") ? ["example.unexpected"] : []), ...raises.filter(isEngineKind)];
  // What a step cannot raise would test a way that no run ever takes.
  const named = words.filter((kind) => possible.includes(kind) || (raises.includes("*") && !isEngineKind(kind)));
  const candidates = [...new Set([...named, ...possible])];
  const earlier = routes
    .slice(0, index)
    .filter((route) => route.on_error !== undefined && route.when === undefined && !route.retry);
  return candidates.filter(
    (kind) =>
      matches(selector, kind) &&
      !earlier.some((route) => matches(route.on_error as Selector, kind)) &&
      !UNLIKELY.has(kind),
  );
}

/** A defect of Segno is not what an author writes a test for, as long as there is anything else. */
const UNLIKELY: ReadonlySet<string> = new Set(["internal.step_error", "halt.intentional"]);
