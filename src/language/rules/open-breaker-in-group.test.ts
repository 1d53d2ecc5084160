import { ruleCases } from "../../../test/support/rule-cases.ts";

const group = (resilience: string, routes = ""): string => `
workflow:
  name: w
  entry_point: each
  resilience:
    ${resilience}
steps: []
for_each:
  - { name: each, type: for_each, source: "{{ [1, 2] }}", as: n, agent: { name: call, type: http, url: "https://example.com/{{ n }}"${routes} } }
`;

ruleCases("open-breaker-in-group", [
  {
    name: "suggests to wait where items are kept",
    files: group("dead_letter: true\n    circuit_breaker: {}"),
    lines: [7],
    message: /With `when_open: wait` they wait .* `when_open: fail` says that they are to fail/,
  },
  { name: "and where they are retried", files: group("retry: {}\n    circuit_breaker: {}"), lines: [7] },
  {
    name: "also by a route",
    files: group("circuit_breaker: {}", ", routes: [{ on_error: true, retry: 2 }]"),
    lines: [6],
  },
  {
    name: "is content where the file says it",
    files: group("dead_letter: true\n    circuit_breaker: { when_open: fail }"),
    lines: [],
  },
  { name: "has nothing to say where nobody tries again", files: group("circuit_breaker: {}"), lines: [] },
  {
    name: "finds a longest wait of calls that do not wait",
    files: group("circuit_breaker: { max_wait: 10m, when_open: fail }"),
    lines: [6],
    message: /Add `when_open: wait`/,
  },
]);
