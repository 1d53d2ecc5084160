import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const script = (first: string): string =>
  flow(`
  - name: a
    type: script
    command: x
    routes:
      - { ${first} }
      - to: $end
      - { on_error: a.b, to: $end }`);

ruleCases("error-route-unreachable", [
  {
    name: "refuses a route below a catch-all",
    files: script("on_error: true, to: $end"),
    lines: [9],
    message: /line 7/,
  },
  { name: "refuses it below a list with a star", files: script("on_error: ['*', a.b], halt: m"), lines: [9] },
  { name: "allows it below a retry", files: script("on_error: true, retry: 2"), lines: [] },
  { name: "allows it below retry by way of a step", files: script("on_error: true, retry: 2, to: a"), lines: [] },
  { name: "allows it below a condition", files: script("on_error: true, to: $end, when: attempts > 2"), lines: [] },
]);
