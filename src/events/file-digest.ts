// A file that a script step runs or names, as it was before an attempt: recorded so that a resume can tell that it changed.

export interface FileDigest {
  /** Relative to the root workflow's folder, or absolute where it lies elsewhere; of `files:`, the pattern. */
  readonly path: string;
  readonly digest: string;
}

/** How the digest of a pattern of `files:` begins, with the number of files that it matched. */
export const PATTERN_MARK = "glob:";

/** Whether it is part of the step's hash. */
export const isOfHash = ({ digest }: FileDigest): boolean => digest.startsWith(PATTERN_MARK);

/** Whether it is a pattern that matched no file. */
export const matchesNothing = ({ digest }: FileDigest): boolean => digest.startsWith(`${PATTERN_MARK}0:`);
