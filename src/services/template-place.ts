// Where a template that failed stands: the field of its step that holds this very text, and the place within it.
import type { Envelope } from "../errors/index.ts";
import type { LoadedWorkflow, Location, NodePath } from "../language/loaded.ts";

export interface TemplatePlace {
  readonly location: Location;
  /** `headers.b`, `args[1]`; of the workflow's own output `output.n`. */
  readonly field: string;
}

/** `base`: where the step stands, or `["output"]`. */
export function templatePlace(
  { raw, positions }: LoadedWorkflow,
  base: NodePath,
  { details }: Envelope,
): TemplatePlace | undefined {
  const { template, line, column } = details;
  if (typeof template !== "string") return undefined;
  const step = base.reduce<unknown>(
    (value, part) => (value as Record<string | number, unknown> | undefined)?.[part],
    raw,
  );
  const way = wayTo(template, step);
  if (!way) return undefined;
  const path = [...base, ...way];
  const location =
    typeof line === "number" && typeof column === "number" ? positions.inside(path, line, column) : positions.at(path);
  return { location, field: fieldOf(base[0] === "output" ? path : way) };
}

/** Down to a text within a value of any shape; nothing when it is not there, as one with an environment value in it. */
function wayTo(text: string, value: unknown): NodePath | undefined {
  if (value === text) return [];
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const way = wayTo(text, inner);
    if (way) return [Array.isArray(value) ? Number(key) : key, ...way];
  }
  return undefined;
}

const fieldOf = (way: NodePath): string =>
  way.map((part, index) => (typeof part === "number" ? `[${part}]` : `${index > 0 ? "." : ""}${part}`)).join("");
