// What the thread of the gate knows about loading, which goes on in the other one: shared memory, since a thread that is
// blocked answers nothing.

export interface PluginLoading {
  /** One number: how many plugins have begun, or `ALL_LOADED`. */
  readonly state: Int32Array;
  /** As they are written in segno.yaml. */
  readonly names: readonly string[];
  /** How long each may take. */
  readonly limitMs: number;
}

export const ALL_LOADED = -1;

export const loadingOf = (names: readonly string[], limitMs: number): PluginLoading => ({
  state: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
  names,
  limitMs,
});
