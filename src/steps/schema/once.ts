// Schemas are built when they are first needed: a file of scripts does not wait for what agents can say.

/** The same value each time, made on the first call. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
