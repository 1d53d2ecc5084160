// How a function was reached: by its own name, or through a client. Messages and hints name what the user wrote.

export const CALLED_AS: unique symbol = Symbol("called as");

export interface CalledAs {
  /** `segno.runs.list`; absent for the functions of release 0.2. */
  readonly [CALLED_AS]?: string;
}

/** Options may be anything before they are checked. */
export const calledAs = (given: unknown, otherwise: string): string =>
  (given as CalledAs | null | undefined)?.[CALLED_AS] ?? otherwise;

export const isThroughClient = (given: object): boolean => (given as CalledAs)[CALLED_AS] !== undefined;
