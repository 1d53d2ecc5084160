import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const child = flow("  - { name: a, type: script, command: x, raises: [a.b] }");
const caller = (routes: string): string =>
  flow(`  - { name: a, type: workflow, workflow: c.yaml, routes: [${routes}] }`);

ruleCases("error-unhandled", [
  {
    name: "names a kind that nothing routes",
    files: flow(
      "  - { name: a, type: script, command: x, raises: [a.b, a.c], routes: [{ to: $end }, { on_error: a.b, to: $end }] }",
    ),
    lines: [3],
    message: /`a.c`/,
  },
  {
    name: "says nothing of what is refused as a kind",
    files: flow("  - { name: a, type: script, command: x, raises: [drift, 'a.*', http.odd] }"),
    lines: [],
  },
  {
    name: "counts raise_when as declared",
    files: flow(
      "  - { name: a, type: script, command: x, raise_when: [{ when: 'exit_code == 1', kind: a.b, message: m }] }",
    ),
    lines: [3],
  },
  {
    name: "does not take a retry for an answer",
    files: flow(
      "  - { name: a, type: script, command: x, raises: [a.b], routes: [{ to: $end }, { on_error: a.b, retry: 2 }] }",
    ),
    lines: [3],
  },
  {
    name: "takes a route with a condition for the author's answer",
    files: flow(
      '  - { name: a, type: script, command: x, raises: [a.b], routes: [{ to: $end }, { on_error: a.b, when: "attempts > 1", to: $end }] }',
    ),
    lines: [],
  },
  {
    name: "leaves what the root propagates to the rule about that",
    files: flow(
      "  - { name: a, type: script, command: x, raises: [a.b], routes: [{ to: $end }, { on_error: true, propagate: true }] }",
    ),
    lines: [],
  },
  {
    name: "speaks up when the parent does not route what its child propagates",
    files: {
      "main.yaml": caller("{ to: $end }"),
      "c.yaml": flow(
        "  - { name: a, type: script, command: x, raises: [a.b], routes: [{ to: $end }, { on_error: true, propagate: true }] }",
      ),
    },
    lines: [3],
    message: /propagated to the workflow that calls/,
  },
  {
    name: "is content with error_routes",
    files: flow("  - { name: a, type: script, command: x, raises: [a.b] }", {
      section: "error_routes: [{ on_error: true, halt: m }]",
    }),
    lines: [],
  },
  {
    name: "is content with what is retried and kept as a dead letter",
    files: flow("  - { name: a, type: script, command: x, raises: [a.b, a.c] }", {
      section: "resilience: { retry: { on: [a.b] }, dead_letter: true }",
    }),
    lines: [3],
    message: /^`a` may raise `a.c`/,
  },
  {
    name: "speaks up about what is retried and then lost",
    files: flow("  - { name: a, type: script, command: x, raises: [a.b] }", {
      section: "resilience: { retry: { on: [a.b] } }",
    }),
    lines: [3],
  },
  {
    name: "is content with the group's routes",
    files: flow(
      `
  - { name: a, type: script, command: x, raises: [a.b] }
  - { name: b, type: script, command: x }`,
      {
        entry: "g",
        more: "parallel: [{ name: g, agents: [a, b], routes: [{ to: $end }, { on_error: a.b, to: $end }] }]\n",
      },
    ),
    lines: [],
  },
  {
    name: "says that a group which continues on an error loses only the member",
    files: flow("", {
      entry: "g",
      more: `for_each:
  - { name: g, type: for_each, source: "{{ [1, 2] }}", as: n, failure_mode: continue_on_error, agent: { name: a, type: script, command: x, raises: [a.b] } }
`,
    }),
    lines: [5],
    message:
      /no error route takes it: `g` would go on without it, and the run fail with it only if no member succeeds\./,
  },
  {
    name: "is content with the parent's routes",
    files: { "main.yaml": caller("{ to: $end }, { on_error: a.b, to: $end }"), "c.yaml": child },
    lines: [],
  },
  {
    name: "speaks up when the parent does not route it either",
    files: { "main.yaml": caller("{ to: $end }"), "c.yaml": child },
    lines: [3],
    message: /in the workflow that calls this one/,
  },
  {
    name: "knows that the parent retries what its child propagates",
    files: {
      "main.yaml": caller("{ to: $end }, { on_error: a.b, retry: 2 }"),
      "c.yaml": flow(
        "  - { name: a, type: script, command: x, raises: [a.b], routes: [{ to: $end }, { on_error: a.b, propagate: true }] }",
      ),
    },
    lines: [3],
    message: /calls this one, where once its retries are used up no error route takes it:/,
  },
  {
    name: "knows that the parent retries what its child does not route",
    files: { "main.yaml": caller("{ to: $end }, { on_error: a.b, retry: 2 }"), "c.yaml": child },
    lines: [3],
    message: /no error route takes it here, nor in the workflow that calls this one once its retries are used up:/,
  },
  {
    name: "takes a route of the parent with a condition for the author's answer",
    files: { "main.yaml": caller('{ to: $end }, { on_error: a.b, when: "attempts > 1", to: $end }'), "c.yaml": child },
    lines: [],
  },
  { name: "leaves a file that is only called to its caller", files: child, lines: [], asChild: true },
]);
