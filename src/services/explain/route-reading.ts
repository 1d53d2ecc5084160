// Why each route was taken or not, in words: from what the engine wrote down while it read them.
import type { ConsideredRoute as EngineConsidered } from "../../engine/visit/routes.ts";
import type { PinnedDefinition } from "./definition.ts";
import { flowYaml } from "./flow-yaml.ts";
import type { RouteRead } from "./story.ts";
import type { VisitInDrive } from "./visit-in-drive.ts";

/** What is needed of a visit to say how its routes were read. */
export type ReadVisit = Pick<VisitInDrive, "path" | "node" | "reading" | "retries">;

export function routesRead(visit: ReadVisit, definition: PinnedDefinition): readonly RouteRead[] {
  return (visit.reading?.considered ?? []).map((considered) =>
    read(considered as unknown as EngineConsidered, visit, definition),
  );
}

function read(considered: EngineConsidered, visit: ReadVisit, definition: PinnedDefinition): RouteRead {
  const { table, index, verdict, saw } = considered;
  const found = definition.route({ path: visit.path, node: visit.node, table, index });
  const taken = verdict === "matched";
  return {
    table,
    line: found?.line ?? null,
    text: found?.text ?? fallbackText(considered),
    taken,
    verdict,
    why: taken ? takenHow(visit) : whyNot(considered, visit),
    ...(saw ? { saw } : {}),
  };
}

const fallbackText = ({ on_error, when }: EngineConsidered): string =>
  flowYaml({ ...(on_error === undefined ? {} : { on_error }), ...(when === undefined ? {} : { when }) });

function whyNot({ verdict, on_error, saw }: EngineConsidered, visit: ReadVisit): string {
  switch (verdict) {
    case "other kind":
      return `it is for ${kinds(on_error)}`;
    case "when is false":
      return `its condition was false${seen(saw)}`;
    case "when raised":
      return "its condition could not be evaluated";
    case "spent":
      return "its retries are used up";
    case "no reset known":
      return "it waits for a reset, and the error does not say when that is";
    case "reset too late":
      return "the reset is later than its max_wait";
    case "leads to itself":
      return `it leads back to ${visit.node} itself`;
    case "matched":
      return "";
    default:
      return verdict satisfies never;
  }
}

function takenHow({ reading, retries }: ReadVisit): string {
  const { action, to } = reading?.routed ?? {};
  const last = retries.at(-1);
  switch (action) {
    case "to":
      return `taken, on to ${to}`;
    case "retry":
      if (to !== undefined) return `taken, by way of ${to}`;
      return last?.until_reset
        ? "taken, it waits for the reset"
        : `taken, retry ${last?.nth ?? 1} of ${last?.max ?? "?"}`;
    case "halt":
      return "taken, the run halts";
    case "propagate":
      return "taken, up to the parent";
    default:
      return "taken";
  }
}

const kinds = (selector: unknown): string => (Array.isArray(selector) ? selector.join(", ") : String(selector));

const SHOWN = 80;

function seen(saw: EngineConsidered["saw"]): string {
  const values = Object.entries(saw ?? {}).map(([name, value]) => {
    const text = JSON.stringify(value) ?? "undefined";
    return `${name} is ${text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text}`;
  });
  return values.length === 0 ? "" : ` (${values.join(", ")})`;
}
