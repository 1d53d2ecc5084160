// Where free names of a template come from: a plain object, or a layered scope of
// the caller's that answers name by name. Neither is ever copied.

/** What a scope answers for a name it does not have. */
export const MISSING: unique symbol = Symbol("missing");

export interface Scope {
  get(name: string): unknown;
  names(): string[];
}

export type Context = Record<string, unknown> | Scope;

function isScope(context: Context): context is Scope {
  return typeof context.get === "function" && typeof context.names === "function";
}

/** Data has no functions and no holes; whatever else an object holds does not exist for a template. */
export function present(value: unknown): unknown {
  return value === undefined || typeof value === "function" || typeof value === "symbol" ? MISSING : value;
}

export function scopeOf(context: Context): Scope {
  if (!isScope(context)) {
    return {
      get: (name) => (Object.hasOwn(context, name) ? present(context[name]) : MISSING),
      names: () => Object.keys(context),
    };
  }
  return { get: (name) => present(context.get(name)), names: () => context.names() };
}
