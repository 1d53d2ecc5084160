// Whether reading a node's error routes can itself fail: then the error is unhandled at once, whatever stands below.
// A text that looks only at the envelope's own fields cannot; one that reads an output field may.
import { compileCondition, type Reference, references, TemplateError } from "../../template/index.ts";
import type { Route } from "../schema/index.ts";
import type { RouteTable } from "./handling.ts";
import { catchesEverything, isErrorRoute } from "./routes.ts";
import { looksLikeTemplate } from "./templates.ts";

const ALWAYS_THERE: ReadonlySet<unknown> = new Set([
  "kind",
  "message",
  "details",
  "raised_at",
  "propagated",
  "attempts",
]);

function isSafe({ path, guarded }: Reference, bare: boolean): boolean {
  if (guarded) return true;
  const [root, field, ...rest] = path;
  if (root === "workflow" || root === "context") return true;
  if (root === "error")
    return field === undefined || (ALWAYS_THERE.has(field) && (field !== "details" || rest.length === 0));
  return bare && ALWAYS_THERE.has(root) && (root !== "details" || field === undefined);
}

/** A text that does not parse is another rule's to tell of; such a file does not run. */
function isReadSafely(read: () => readonly Reference[], bare: boolean): boolean {
  try {
    return read().every((reference) => isSafe(reference, bare));
  } catch (error) {
    if (error instanceof TemplateError) return true;
    throw error;
  }
}

function routeIsSafe({ when, halt }: Route): boolean {
  const condition =
    when === undefined || isReadSafely(() => compileCondition(when).references, !looksLikeTemplate(when));
  return condition && (halt === undefined || isReadSafely(() => references(halt.message), false));
}

/** Whether an error route that can be read for this node may fail while it is read. */
export function routesMayFail(tables: readonly RouteTable[]): boolean {
  for (const { routes } of tables)
    for (const route of routes) {
      if (!isErrorRoute(route)) continue;
      if (!routeIsSafe(route)) return true;
      if (catchesEverything(route)) return false;
    }
  return false;
}
