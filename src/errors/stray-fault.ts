// Where the program asks whose it is when something failed that nobody waited for. Only a process that has loaded plugins
// can have got it from one: until then there is nothing to load here, and the answer is no.

export interface StrayFault {
  /** What a person should know; nothing when it was said before. */
  readonly sentence?: string;
}

type Judge = (problem: unknown) => StrayFault | undefined;

let judge: Judge | undefined;

export function judgeStraysBy(given: Judge): void {
  judge = given;
}

/** A plugin's, or nothing when it is Segno's own. Asked while it happens: later its async context is gone. */
export const strayFaultOf = (problem: unknown): StrayFault | undefined => judge?.(problem);
