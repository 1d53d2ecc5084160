import { matches, selectorWords } from "../../base/errors/index.ts";
import { catchesEverything, END, fallsThrough, hasCondition, isErrorRoute, selectorOf } from "../analysis/routes.ts";
import { type PlacedRoute, routeLists } from "./parts-of-file.ts";
import { defineRule } from "./rule.ts";

/** One word of an `on_error`, and the route that takes every error it names. */
interface Taken {
  readonly word: string;
  readonly by: PlacedRoute;
}

/**
 * A route with a condition, or with retries, leaves errors to the routes below it. So does one of `error_routes` that leads to
 * a step: it is skipped for the errors of that step.
 */
function wordsTaken(by: PlacedRoute): readonly Taken[] {
  const { route, node } = by;
  if (hasCondition(route) || fallsThrough(route)) return [];
  const isSkippedForOne = node === undefined && route.to !== undefined && route.to !== END;
  if (isSkippedForOne && !catchesEverything(route)) return [];
  return selectorWords(selectorOf(route) ?? []).map((word) => ({ word, by }));
}

/** The routes that take every error of a route before it is read; undefined if some error is left for it. */
function takersOf({ route }: PlacedRoute, taken: readonly Taken[]): readonly PlacedRoute[] | undefined {
  const takers = selectorWords(selectorOf(route) ?? []).map(
    // A prefix is taken as a kind below it is.
    (wanted) => taken.find(({ word }) => matches(word, wanted))?.by,
  );
  return takers.length > 0 && takers.every((by) => by !== undefined) ? [...new Set(takers)] : undefined;
}

export const errorRouteUnreachable = defineRule({
  name: "error-route-unreachable",
  severity: "error",
  mayWarn: true,
  description:
    "Error routes are read from top to bottom: a route is never read if routes above it take all of its errors. A route with `when` or `retry` leaves errors to those below it. Behind a catch-all it is an error, else a warning.",
  example: "routes:\n  - to: $end\n  - { on_error: true, to: handler }\n  - { on_error: a.b, to: other }",
  *check(context) {
    const lineOf = ({ path }: PlacedRoute): number => context.workflow.positions.at(path).line;
    for (const list of routeLists(context)) {
      const taken: Taken[] = [];
      for (const placed of list) {
        if (!isErrorRoute(placed.route)) continue;
        const catchAll = taken.find(({ word }) => word === "*")?.by;
        const takers = catchAll ? [] : takersOf(placed, taken);
        if (catchAll)
          yield context.about(
            placed,
            [],
            `This route is never read: the one at line ${lineOf(catchAll)} takes every error before it. Move this route above it, or give that one a \`when\`.`,
          );
        else if (takers) {
          const who = takers.length > 1 ? "those at lines" : "the one at line";
          const take = takers.length > 1 ? "take" : "takes";
          yield context.about(
            placed,
            [],
            `This route is never read: ${who} ${takers.map(lineOf).join(" and ")} ${take} its errors before it. Move this route above, or remove it.`,
            { severity: "warning" },
          );
        }
        taken.push(...wordsTaken(placed));
      }
    }
  },
});
