// Small questions about one route, so that every analysis answers them alike.
// Which route is taken at run time is the engine's to decide; here only what may be taken is known.
import { isCatchAll, isSelectorWord, type Selector } from "../../errors/index.ts";
import type { Route } from "../schema/index.ts";

export const END = "$end";

export type Action = "to" | "retry" | "halt" | "propagate";

/** The actions that a route names. Exactly one is right, or `retry` with `to`. */
export function actionsOf(route: Route): readonly Action[] {
  const actions: Action[] = [];
  if (route.to !== undefined) actions.push("to");
  if (route.retry !== undefined) actions.push("retry");
  if (route.halt !== undefined) actions.push("halt");
  if (route.propagate === true) actions.push("propagate");
  return actions;
}

export const isErrorRoute = (route: Route): boolean => route.on_error !== undefined;
export const isSuccessRoute = (route: Route): boolean => route.on_error === undefined;
export const hasCondition = (route: Route): boolean => route.when !== undefined && route.when !== null;

/** What the route matches, or nothing when `on_error` is malformed (another rule says so). */
export function selectorOf(route: Route): Selector | undefined {
  const selector: unknown = route.on_error;
  if (selector === true) return true;
  if (typeof selector === "string") return isSelectorWord(selector) ? selector : undefined;
  if (!Array.isArray(selector)) return undefined;
  const words = selector.filter((word): word is string => typeof word === "string" && isSelectorWord(word));
  return words.length > 0 ? words : undefined;
}

/** Whether reading goes on below this route once its budget is spent. */
export const fallsThrough = (route: Route): boolean => route.retry !== undefined;

/** Whether nothing below this route can ever be reached by an error. */
export function catchesEverything(route: Route): boolean {
  const selector = selectorOf(route);
  return selector !== undefined && isCatchAll(selector) && !hasCondition(route) && !fallsThrough(route);
}

/** The action as one word for people and tools. */
export function actionOf(route: Route): Action {
  if (route.retry !== undefined) return "retry";
  if (route.halt !== undefined) return "halt";
  if (route.propagate === true) return "propagate";
  return "to";
}
