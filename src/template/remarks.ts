// Remarks of a render: what does not fail, and gives what its author hardly meant. Rendering is synchronous, so the listener
// of the render that is under way lives in this module, as the meter does (limits.ts).

type Listener = (message: string) => void;

let listener: Listener | undefined;

/** Runs `work`, which renders templates, and hands every remark to `listen`. */
export function withRemarks<T>(listen: Listener, work: () => T): T {
  const before = listener;
  listener = listen;
  try {
    return work();
  } finally {
    listener = before;
  }
}

/** What there is to say is worked out only where there is a listener. */
export function remark(message: () => string | undefined): void {
  if (!listener) return;
  const said = message();
  if (said !== undefined) listener(said);
}
