// Names for templates, in layers. Nothing is copied: a lookup walks the layers until one knows the name.
import { MISSING, type Scope } from "../../template/index.ts";
import { NOT_YET } from "../../template/values/value.ts";

export type Names = Readonly<Record<string, unknown>>;

/** Most steps have no names of their own; knowing that saves a layer for every name they look up. */
export const NO_NAMES: Names = Object.freeze({});

/** Names before those of a scope. */
export const over = (names: Names, scope: Scope): Scope => (names === NO_NAMES ? scope : layered(names, scope));

/** A step may ask whether anything of itself is there before it has run: `{% if a.error is defined %}`. */
export function beforeItRan(node: string, scope: Scope): Scope {
  return {
    get: (name) => {
      const value = scope.get(name);
      return value === MISSING && name === node ? NOT_YET : value;
    },
    names: () => scope.names(),
  };
}

/** The first layer that has a name answers. */
export const layered = (...layers: readonly (Names | Scope)[]): Scope => new Layers(layers);

class Layers implements Scope {
  constructor(private readonly layers: readonly (Names | Scope)[]) {}

  get(name: string): unknown {
    for (const layer of this.layers) {
      if (isScope(layer)) {
        const value = layer.get(name);
        if (value !== MISSING) return value;
      } else if (Object.hasOwn(layer, name)) return layer[name];
    }
    return MISSING;
  }

  names(): string[] {
    return [...new Set(this.layers.flatMap((layer) => (isScope(layer) ? layer.names() : Object.keys(layer))))];
  }
}

const isScope = (layer: Names | Scope): layer is Scope =>
  typeof layer.get === "function" && typeof layer.names === "function";

/** The fields of a value as bare names: none when it is no mapping. */
export const bareNames = (value: unknown): Names =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Names) : {};

/** The value at a constant path, or MISSING. */
export function lookUp(scope: Scope, path: readonly (string | number)[]): unknown {
  const [root, ...rest] = path;
  let value = scope.get(String(root));
  for (const part of rest) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return MISSING;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}
