// Which retry it is: of the route that allows it, and not of the visit, since two routes have two budgets.
import { expect, it } from "vitest";
import { play } from "../support/play.ts";

it("numbers retries by the route that allows them", async () => {
  const raise = `'echo "{\\"kind\\":\\"f.f\\",\\"message\\":\\"m\\"}" > $CONDUCTOR_ERROR_OUT'`;
  const { events } = await play(`
workflow: { name: case, entry_point: a, limits: { max_iterations: 50 } }
agents:
  - name: a
    type: script
    command: sh
    args: [-c, ${raise}]
    raises: [f.f]
    routes:
      - { on_error: f.f, when: "{{ context.iteration <= 2 }}", retry: { max: 3, initial_seconds: 0 } }
      - { on_error: f.f, retry: { max: 1, initial_seconds: 0 } }
      - { on_error: f.f, retry: { max: 2, initial_seconds: 0 }, to: b }
      - { on_error: true, to: $end }
      - { to: $end }
  - { name: b, type: set, value: 1, routes: [{ to: a }] }
`);
  const retries = events.flatMap((event) => (event.type === "retry_scheduled" ? [event.data] : []));
  expect(retries.map(({ nth, max, via }) => `${nth} of ${max}${via ? ` by ${via}` : ""}`)).toEqual([
    "1 of 3",
    "2 of 3",
    "1 of 1",
    "1 of 2 by b",
    "1 of 1",
    "2 of 2 by b",
    "1 of 1",
  ]);
});
