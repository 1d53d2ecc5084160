// Parts of the protocol that can be left out, so that a test can show that each is needed. SEGNO_MUTANT names them, with
// commas between; nothing else does, and without it this is an empty set.

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

export const mutants: Set<string> = new Set((process.env.SEGNO_MUTANT ?? "").split(",").filter((name) => name !== ""));

export const isLeftOut = (mutant: Mutant): boolean => mutants.has(mutant);
