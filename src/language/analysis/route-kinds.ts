// Kinds that nothing but a route names. A script without `raises` may raise anything; what its author wrote a route for
// is what he expects of it, and worth a line of its own.
import { isEngineKind } from "../../errors/index.ts";
import type { Route } from "../schema/index.ts";
import { ANY, type Raise } from "./raises.ts";
import { selectorOf } from "./routes.ts";

/** The kinds and prefixes that error routes name one by one. */
function wordsIn(routes: readonly Route[]): readonly string[] {
  return routes.flatMap((route) => {
    const selector = selectorOf(route);
    return Array.isArray(selector) ? selector : typeof selector === "string" && selector !== ANY ? [selector] : [];
  });
}

/** What is named of an engine's kinds is known without a route, but for a denial: a caller may bring policies along. */
const isNews = (word: string): boolean => word !== ANY && (!isEngineKind(word) || word === "policy.denied");

/** What a node raises, with what only the routes that are read for it name. */
export function withRouteKinds(raises: readonly Raise[], routes: readonly Route[]): readonly Raise[] {
  const known = new Set(raises.map(({ kind }) => kind));
  const isFree = known.has(ANY);
  const more: Raise[] = [];
  for (const kind of wordsIn(routes)) {
    if (known.has(kind) || !isNews(kind) || !(isFree || kind === "policy.denied")) continue;
    known.add(kind);
    more.push({ kind, source: "route" });
  }
  return more.length > 0 ? [...raises, ...more] : raises;
}
