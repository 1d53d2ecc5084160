export interface Reference {
  /** As far as it is constant: `a.b[c].d` is `["a", "b"]`, and `["c"]` is a reference of its own. */
  readonly path: readonly (string | number)[];
  /** 1-based, in the source of the template. */
  readonly line: number;
  readonly column: number;
  /** True where a missing value is expected: under `is defined`, `default`, or a branch that has tested it. */
  readonly guarded: boolean;
  /** True where only its last part may be missing: `a.b | default(1)` and `a.b is defined` still need `a`. */
  readonly needsRoot: boolean;
}
