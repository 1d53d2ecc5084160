import { expect, it } from "vitest";
import { findingsOf, flow, ruleCases } from "../../../test/support/rule-cases.ts";

const script = (route: string, more = ""): string =>
  flow(`  - { name: a, type: script, command: x, ${more}routes: [{ to: $end }, { ${route}, to: $end }] }`);

ruleCases("error-kind-format", [
  { name: "refuses false", files: script("on_error: false"), lines: [3] },
  { name: "refuses an empty list", files: script("on_error: []"), lines: [3] },
  { name: "refuses a word without a dot", files: script("on_error: drift"), lines: [3] },
  {
    name: "suggests the kind that the step declares",
    files: script("on_error: dirty", "raises: [external.git.dirty], "),
    lines: [3],
    suggests: "external.git.dirty",
  },
  {
    name: "knows a class as a kind",
    files: script("on_error: TimeoutError"),
    lines: [3],
    suggests: "internal.timeout",
  },
  {
    name: "knows a class whose name is another",
    files: script("on_error: pydantic.ValidationError"),
    lines: [3],
    suggests: "internal.schema_violation",
  },
  {
    name: "gives an example where the author names a kind",
    files: script("on_error: true", "raises: [Dirty], "),
    lines: [3],
    message: /For example: `external\.dirty`\./,
  },
  {
    name: "refuses capitals and offers the repaired kind",
    files: script("on_error: External.GitDrift"),
    lines: [3],
    suggests: "external.git_drift",
  },
  {
    name: "refuses a pattern in raises",
    files: script("on_error: true", "raises: ['a.*'], "),
    lines: [3],
    message: /pattern/,
  },
  {
    name: "looks at raise_when",
    files: script("on_error: true", "raise_when: [{ when: 'exit_code == 1', kind: bad, message: m }], "),
    lines: [3],
  },
  {
    name: "looks at resilience",
    files: flow("  - { name: a, type: script, command: x }", {
      section: "resilience: { retry: { retryable: [transient] } }",
    }),
    lines: [1],
  },
  {
    name: "wants on_error in error_routes",
    files: flow("  - { name: a, type: script, command: x }", { section: "error_routes: [{ to: $end }]" }),
    lines: [1],
  },
  {
    name: "takes kinds, prefixes, lists, true and star",
    files: flow(`
  - name: a
    type: script
    command: x
    routes:
      - to: $end
      - { on_error: [a.b, "c.*"], to: $end }
      - { on_error: "*", to: $end }`),
    lines: [],
  },
]);

it("suggests no kind that does not exist", () => {
  for (const files of [script("on_error: dirty"), script("on_error: true", "raises: [dirty], ")])
    expect(findingsOf("error-kind-format", { files }).flatMap(({ suggestions }) => suggestions)).toEqual([]);
});
