// A provider that fails for a while in the middle of 200 items: in the end all of them are done, each once, and while
// the breaker was open nobody knocked but the probes.
import { expect, test } from "vitest";
import { startApi } from "./api.ts";
import { Workshop } from "./workshop.ts";

const FLOW = (url: string): string => `
workflow:
  name: outage
  entry_point: each
  limits: { max_iterations: 5000 }
  resilience:
    retry: { max_retries: 2, initial_delay: 0.05, max_delay: 0.5 }
    circuit_breaker: { failure_threshold: 5, recovery_timeout: 0.4, success_threshold: 2, half_open_max: 1 }
    dead_letter: true
agents: [{ name: sum, type: set, values: { done: "{{ each.succeeded }}", lost: "{{ each.failed }}" } }]
for_each:
  - name: each
    type: for_each
    source: "{{ range(200) | list }}"
    as: x
    max_concurrent: 8
    failure_mode: continue_on_error
    agent: { name: call, type: http, url: "${url}/{{ x }}", timeout: 60 }
    routes: [{ to: sum }, { on_error: true, to: sum }]
output: { got: "{{ sum.output }}" }
`;

/** Failed requests between an opening and the next half-opening, which must be none but those already on their way. */
interface Knocks {
  readonly probes: number;
  readonly others: number;
}

function knocksWhileOpen(refused: readonly number[], opened: readonly number[], halfOpened: readonly number[]): Knocks {
  let others = 0;
  const [first] = opened;
  for (const moment of refused) {
    if (first === undefined || moment <= first) continue;
    // A probe begins at a half-opening and fails at the opening that follows it.
    const isProbe = halfOpened.some(
      (half) => half <= moment && opened.some((open) => open >= moment && open - half < 1000),
    );
    if (!isProbe) others += 1;
  }
  return { probes: halfOpened.length, others };
}

test("200 items, an outage, `dlq retry`: every item is done, and none twice", async () => {
  const api = await startApi({ failsAfter: 60 });
  const shop = new Workshop({ "main.yaml": FLOW(api.url) });
  const opened: number[] = [];
  const halfOpened: number[] = [];
  const running = shop.run({
    on: ({ type, ts }) => {
      if (type === "circuit_opened") opened.push(Date.parse(ts));
      if (type === "circuit_half_opened") halfOpened.push(Date.parse(ts));
    },
  });
  const first = await running;
  expect(first.status).toBe("degraded");
  const lost = 200 - api.served.size;
  expect(await shop.letters()).toHaveLength(lost);
  const { probes, others } = knocksWhileOpen(api.refused, opened, halfOpened);
  // Calls that were on their way when the fifth failure opened it: at most as many as run at a time.
  expect(others).toBeLessThanOrEqual(7);

  api.isUp = true;
  const rounds: number[] = [];
  let last = first;
  while ((await shop.letters()).length > 0) {
    rounds.push((await shop.letters()).length);
    last = await shop.retry({ workflow: "outage" });
    expect(rounds.length).toBeLessThan(20);
  }
  expect(last).toMatchObject({ run_id: first.run_id, status: "completed", output: { got: { done: 200, lost: 0 } } });
  expect(api.served.size).toBe(200);
  expect([...api.served.values()].filter((times) => times !== 1)).toEqual([]);
  console.info(
    `outage: ${200 - lost} done before, ${lost} letters, ${api.refused.length} failed requests (${probes} probes, ${others} on their way when it opened), retried in ${rounds.length} round(s) of ${rounds.join(", ")}; 200 done, 0 twice`,
  );
});
