// Injects faults for `npm run chaos`: SEGNO_FAULT names the write of this process at which it is killed, or from which
// on its clock is wrong. Read only here; unset, it costs one comparison.

export interface Faults {
  /** Does one write, and is killed before or after it if it is the one; `types` are those of the events in it. */
  write<Value>(work: () => Value, types?: readonly string[]): Value;
  /** How wrong the clock is now, in milliseconds. */
  readonly offset: number;
}

/**
 * `kill-before:N`, `kill-after:N` (the N-th write), `kill-before:EVENT`, `kill-after:EVENT` (the first write with such an
 * event), `clock:SECONDS@N` (from the N-th write on), with commas between them.
 *
 * @example
 * parseFaults("kill-after:17,clock:-3600@4", () => process.kill(process.pid, "SIGKILL"));
 */
export function parseFaults(text: string, kill: () => void): Faults {
  const kills = new Set<string>();
  const jumps: { readonly seconds: number; readonly at: number }[] = [];
  for (const fault of text.split(",").map((one) => one.trim())) {
    const [, when, nth] = /^(kill-before|kill-after):(\d+|[a-z_]+)$/.exec(fault) ?? [];
    const [, seconds, at] = /^clock:([+-]?\d+(?:\.\d+)?)@(\d+)$/.exec(fault) ?? [];
    if (when) kills.add(`${when}:${nth}`);
    else if (seconds) jumps.push({ seconds: Number(seconds), at: Number(at) });
    else
      throw new Error(
        `SEGNO_FAULT: ${fault} is no fault. There are kill-before:N, kill-after:N (a write or an event), clock:SECONDS@N.`,
      );
  }
  let writes = 0;
  return {
    write(work, types = []) {
      writes += 1;
      const names = [writes, ...types];
      const isMeant = (when: string): boolean => names.some((name) => kills.has(`${when}:${name}`));
      if (isMeant("kill-before")) kill();
      const value = work();
      if (isMeant("kill-after")) kill();
      return value;
    },
    get offset() {
      return jumps.reduce((sum, { seconds, at }) => (writes >= at ? sum + seconds * 1000 : sum), 0);
    },
  };
}

const wanted = process.env.SEGNO_FAULT;

export const faults: Faults | undefined = wanted
  ? parseFaults(wanted, () => process.kill(process.pid, "SIGKILL"))
  : undefined;

export const writing = <Value>(work: () => Value, events: readonly { readonly type: string }[] = []): Value =>
  faults
    ? faults.write(
        work,
        events.map(({ type }) => type),
      )
    : work();

/** A time, shifted by the clock jumps that `SEGNO_FAULT` asks for. */
export const withClockSkew = (ms: number): number => (faults ? ms + faults.offset : ms);

export const now = (): number => withClockSkew(Date.now());
