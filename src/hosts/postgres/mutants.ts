// Parts of the protocol that a test can leave out, to show that each is needed. In what is built there is no such switch: the
// build defines SEGNO_MUTANTS as false.

declare const SEGNO_MUTANTS: false | undefined;

export type Mutant =
  /** Writes do not look at the epoch. */
  | "no-fence"
  /** Who was given up may still take a run. */
  | "no-life"
  /** Taking a run does not raise its epoch. */
  | "plain-take"
  /** A row that is there already is never one's own. */
  | "no-own-row"
  /** A write that took long is not followed by a look at who has the run. */
  | "no-second-look"
  /** A step begins though its worker has not beaten for long, and may be given up at any moment. */
  | "no-beat-before-step"
  /** Runs without a workflow are left where they are. */
  | "no-reconciler";

export const mutants = new Set<Mutant>();

export const isLeftOut = (mutant: Mutant): boolean => typeof SEGNO_MUTANTS === "undefined" && mutants.has(mutant);
