// The one place where the decision of a route is made. Pure: an outcome, a table and what was spent on this visit give
// an action, and the list of everything that was considered, so that `explain` can say why.
import { type Envelope, matches, type Raised, raised, type Selector } from "../../base/errors/index.ts";
import { resetOf } from "../../base/errors/retry-after.ts";
import type { RetryAction, Route } from "../../language/schema/index.ts";

type RouteTable = "step" | "workflow";

/** A route: which table it is in, and where in it. */
export type RouteRef = { readonly index: number; readonly table: RouteTable };

export type RouteVerdict =
  /** The route was taken. */
  | "matched"
  /** `on_error` names other kinds. */
  | "other kind"
  /** `when` was false. */
  | "when is false"
  /** `when` could not be evaluated. */
  | "when raised"
  /** Its retries are used up. */
  | "spent"
  /** `until: reset`, and the error does not say when that is. */
  | "no reset known"
  /** `until: reset`, and that is later than `max_wait`. */
  | "reset too late"
  /** A default route that leads back to the failing step is not taken. */
  | "leads to itself"
  /** A default route that its group reads, if the group fails. */
  | "left to the group"
  /** A default route that retries the members of this group. */
  | "for its members";

/** A type, not an interface: it is recorded as plain data. */
export type ConsideredRoute = RouteRef & {
  readonly verdict: RouteVerdict;
  readonly on_error?: unknown;
  readonly when?: string;
  /** What the condition saw, when it was evaluated. */
  readonly saw?: Readonly<Record<string, unknown>>;
};

export type Decision =
  | { readonly action: "go"; readonly to: string; readonly route: RouteRef | null; readonly output?: Route["output"] }
  | { readonly action: "retry"; readonly route: RouteRef; readonly retry: RetryAction; readonly via?: string }
  | { readonly action: "halt"; readonly route: RouteRef; readonly halt: NonNullable<Route["halt"]> }
  | { readonly action: "propagate"; readonly route: RouteRef }
  /** No error route took it. */
  | { readonly action: "unhandled" }
  /** Reading the routes itself went wrong: no success route matched, or a condition cannot be evaluated. */
  | { readonly action: "raise"; readonly error: Raised; readonly considered: readonly ConsideredRoute[] };

export interface ErrorReading {
  readonly decision: Decision;
  readonly considered: readonly ConsideredRoute[];
}

export type Tested =
  | {
      readonly value: boolean;
      /** The values that the condition read, for display only. */
      saw(): Readonly<Record<string, unknown>>;
    }
  | { readonly error: Raised };

/** Evaluates a condition in the scope of the step whose routes are read. */
export type Test = (when: string) => Tested;

/** How often each retry route was used, on this visit or, for `retry` + `to`, in this run. */
export interface RetriesUsed {
  used(route: RouteRef, via: boolean): number;
}

const describe = (route: Route): Pick<ConsideredRoute, "on_error" | "when"> => ({
  ...(route.on_error === undefined ? {} : { on_error: route.on_error }),
  ...(route.when === undefined ? {} : { when: route.when }),
});

/** Where a step that succeeded goes. No routes at all is `$end`. */
export function readSuccessRoutes(routes: readonly Route[], test: Test): Decision {
  const passed: Passed[] = [];
  for (let index = 0; index < routes.length; index++) {
    const route = routes[index]!;
    if (route.on_error !== undefined) continue;
    if (route.when !== undefined) {
      const tested = test(route.when);
      if ("error" in tested)
        return { action: "raise", error: tested.error, considered: readBefore(passed, index, route) };
      if (!tested.value) {
        passed.push({ index, when: route.when, tested });
        continue;
      }
    }
    const ref: RouteRef = { index, table: "step" };
    if (route.halt) return { action: "halt", route: ref, halt: route.halt };
    return { action: "go", to: route.to ?? "$end", route: ref, output: route.output };
  }
  if (passed.length === 0) return { action: "go", to: "$end", route: null };
  return { action: "raise", error: noRoute(passed), considered: passed.map(wasFalse) };
}

/** The success routes that were read, up to the one whose condition could not be. */
const readBefore = (passed: readonly Passed[], index: number, route: Route): readonly ConsideredRoute[] => [
  ...passed.map(wasFalse),
  { index, table: "step", ...describe(route), verdict: "when raised" },
];

const wasFalse = ({ index, when, tested }: Passed): ConsideredRoute => ({
  index,
  table: "step",
  when,
  verdict: "when is false",
  saw: tested.saw(),
});

/** A route whose condition was false. */
interface Passed {
  readonly index: number;
  readonly when: string;
  readonly tested: Exclude<Tested, { error: Raised }>;
}

function noRoute(passed: readonly Passed[]): Raised {
  const routes = passed.map(({ index, when, tested }) => ({ index, when, saw: tested.saw() }));
  const said = routes.map(({ when, saw }) => {
    const values = Object.entries(saw).map(([name, value]) => `${name} is ${brief(value)}`);
    return values.length ? `${when} (${values.join(", ")})` : when;
  });
  return raised(
    "internal.no_route",
    `no route matched: ${said.join("; ")}. Add a route without \`when\` as the last one.`,
    { routes },
  );
}

const brief = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
};

export interface ErrorTables {
  readonly node: string;
  /** The step's own routes. */
  readonly own: readonly Route[];
  /** `workflow.error_routes`. */
  readonly defaults: readonly Route[];
  /**
   * Who shares `defaults`: a member takes their retries and leaves the rest to its group. With the error of a member the
   * group takes only the rest, so that no retry is spent twice.
   */
  readonly sharedAs?: "member" | "group" | undefined;
}

/** Runs the step again that failed, and no other. */
const isPlainRetry = ({ retry, to }: Route): boolean => retry !== undefined && to === undefined;

/** What happens to an error: the step's own error routes, then the workflow's, each from top to bottom. */
export function readErrorRoutes(error: Envelope, tables: ErrorTables, retries: RetriesUsed, test: Test): ErrorReading {
  const considered: ConsideredRoute[] = [];
  for (const [table, routes] of [
    ["step", tables.own],
    ["workflow", tables.defaults],
  ] as const) {
    for (const [index, route] of routes.entries()) {
      if (route.on_error === undefined) continue;
      const ref: RouteRef = { index, table };
      const skip = (verdict: RouteVerdict, saw?: ConsideredRoute["saw"]) =>
        considered.push({ ...ref, ...describe(route), verdict, ...(saw ? { saw } : {}) });
      if (!matches(route.on_error as Selector, error.kind)) {
        skip("other kind");
        continue;
      }
      if (table === "workflow" && tables.sharedAs === "member" && !isPlainRetry(route)) {
        skip("left to the group");
        // It takes the error there, and nothing below it is read.
        if (route.when === undefined && route.retry === undefined) break;
        continue;
      }
      if (table === "workflow" && tables.sharedAs === "group" && isPlainRetry(route)) {
        skip("for its members");
        continue;
      }
      if (route.when !== undefined) {
        const tested = test(route.when);
        if ("error" in tested) {
          skip("when raised");
          return { decision: { action: "raise", error: tested.error, considered }, considered };
        }
        if (!tested.value) {
          skip("when is false", tested.saw());
          continue;
        }
      }
      // A step never falls into a default route that leads to itself: it would be its own handler for ever.
      if (table === "workflow" && route.to === tables.node) {
        skip("leads to itself");
        continue;
      }
      const notAgain = route.retry && whyNotAgain(route.retry, error, retries.used(ref, route.to !== undefined));
      if (notAgain) {
        skip(notAgain);
        continue;
      }
      considered.push({ ...ref, ...describe(route), verdict: "matched" });
      return { decision: actionOf(route, ref), considered };
    }
  }
  return { decision: { action: "unhandled" }, considered };
}

/** How long a route waits for a reset when it does not say. */
export const LONGEST_RESET_SECONDS = 8 * 3600;

function whyNotAgain(
  { max, until, max_wait = LONGEST_RESET_SECONDS }: RetryAction,
  error: Envelope,
  used: number,
): RouteVerdict | undefined {
  if (max !== undefined && used >= max) return "spent";
  if (until === undefined) return undefined;
  const reset = resetOf(error.details);
  if (!reset) return "no reset known";
  return reset.seconds > max_wait ? "reset too late" : undefined;
}

function actionOf(route: Route, ref: RouteRef): Decision {
  if (route.retry) return { action: "retry", route: ref, retry: route.retry, ...(route.to ? { via: route.to } : {}) };
  if (route.halt) return { action: "halt", route: ref, halt: route.halt };
  if (route.propagate) return { action: "propagate", route: ref };
  return { action: "go", to: route.to ?? "$end", route: ref, output: route.output };
}
