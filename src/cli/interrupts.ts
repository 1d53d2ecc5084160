// Ctrl-C. The first asks the run to stop and write down where it stands; the second leaves at once.

export interface Interrupts {
  readonly signal: AbortSignal;
  /** As if Ctrl-C had been pressed: a question in raw mode sees the key, not the signal. */
  readonly interrupt: () => void;
  /** The run has ended; signals mean again what they mean to any process. */
  readonly release: () => void;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export function interrupts(parts: { readonly first: () => void; readonly second: () => void }): Interrupts {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) return parts.second();
    parts.first();
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, interrupt);
  return {
    signal: controller.signal,
    interrupt,
    release: () => {
      for (const name of SIGNALS) process.off(name, interrupt);
    },
  };
}
