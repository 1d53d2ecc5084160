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
  /** Runs without a workflow are left where they are. */
  | "no-reconciler";

export const mutants: Set<string> = new Set((process.env.SEGNO_MUTANT ?? "").split(",").filter((name) => name !== ""));

export const isLeftOut = (mutant: Mutant): boolean => mutants.has(mutant);
