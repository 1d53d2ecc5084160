// Names the syntax has to know about.

/**
 * What a filter or test may be called is decided where they are defined; the parser is
 * handed the two lists, so that a wrong name is a syntax error with a place.
 */
export interface KnownNames {
  readonly filter: Named;
  readonly test: Named;
}

/** A map of things by name. */
interface Named {
  has(name: string): boolean;
  keys(): Iterable<string>;
}

/** Bound by the engine itself in some places; never suggested for a misspelled name. */
export const SPECIAL_NAMES: ReadonlySet<string> = new Set(["loop", "caller", "varargs", "kwargs", "super", "self"]);
