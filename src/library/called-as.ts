// What a client adds to the options of a call, under symbols: no user gives it. How the function was reached, by its own
// name or through a client, since messages and hints name what the user wrote; and who waits for the run to be placed.

export const CALLED_AS: unique symbol = Symbol("called as");

export interface CalledAs {
  /** `segno.runs.list`; absent for the functions of release 0.2. */
  readonly [CALLED_AS]?: string;
}

/** Options may be anything before they are checked. */
export const calledAs = (given: unknown, otherwise: string): string =>
  (given as CalledAs | null | undefined)?.[CALLED_AS] ?? otherwise;

export const isThroughClient = (given: object): boolean => (given as CalledAs)[CALLED_AS] !== undefined;

/** Called with the run's id when it is placed on a fleet: it has no event before a worker takes it. */
export const PLACED: unique symbol = Symbol("placed");

export const placedListener = (given: object): ((id: string) => void) | undefined =>
  (given as { readonly [PLACED]?: (id: string) => void })[PLACED];
