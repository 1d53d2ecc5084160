// The run that the address names is asked for before the script that shows it is here: reading a long one is what takes
// longest, and the server can do it meanwhile.

let asked: { readonly address: string; readonly answer: Promise<Response> } | null = null;

const runInAddress = (): string | null => /^\/runs\/([^/]+)$/.exec(location.pathname)?.[1] ?? null;

/** Begins with a run's page, when one is wanted. `load` brings its script; `session` is the one that the browser kept. */
export function beginEarly(session: string | null, load: () => Promise<unknown>): void {
  const run = runInAddress();
  if (run === null) return;
  // The view that needs it requests it again, and shows the error.
  load().catch(() => undefined);
  // With a token in the address there is another session in a moment.
  if (session === null || location.hash !== "") return;
  const address = `/api/runs/${run}`;
  const answer = fetch(address, { headers: { authorization: `Bearer ${session}` } });
  answer.catch(() => undefined);
  asked = { address, answer };
}

/** The answer that was asked for early, once. */
export function takeEarly(address: string): Promise<Response> | null {
  if (asked?.address !== address) return null;
  const { answer } = asked;
  asked = null;
  return answer;
}
