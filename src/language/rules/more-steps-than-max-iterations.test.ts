import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

/** A row of steps, the last of which leads to `$end`. */
const row = (length: number, section = ""): string =>
  flow(
    Array.from(
      { length },
      (_, index) =>
        `  - { name: s${index}, type: set, value: x, routes: [{ to: ${index + 1 < length ? `s${index + 1}` : "$end"} }] }`,
    ).join("\n"),
    { section, entry: "s0" },
  );

ruleCases("more-steps-than-max-iterations", [
  {
    name: "finds a row that is longer than the limit of every file",
    files: row(12),
    lines: [1],
    message: /12 steps.* 10 /,
  },
  { name: "finds one that is longer than the file's own", files: row(4, "limits: { max_iterations: 3 }"), lines: [1] },
  { name: "is content with a row that fits exactly", files: row(10), lines: [] },
  { name: "is content with a limit that is high enough", files: row(12, "limits: { max_iterations: 12 }"), lines: [] },
  {
    name: "looks at the shortest way, not at how many steps there are",
    files: row(12).replace("routes: [{ to: s1 }]", 'routes: [{ to: $end, when: "{{ 1 }}" }, { to: s1 }]'),
    lines: [],
  },
  {
    name: "does not take an error route for a way that a run should go",
    files: row(12).replace("routes: [{ to: s1 }]", "routes: [{ to: s1 }, { on_error: policy.denied, to: $end }]"),
    lines: [1],
  },
  {
    name: "counts every member of a parallel group",
    files: flow(
      `
  - { name: a, type: set, value: x }
  - { name: b, type: set, value: x }`,
      { entry: "g", section: "limits: { max_iterations: 1 }", more: "parallel: [{ name: g, agents: [a, b] }]\n" },
    ),
    lines: [1],
  },
  {
    name: "does not count a terminate step, which runs even at the limit",
    files: flow(
      `
  - { name: a, type: set, value: x, routes: [{ to: stop }] }
  - { name: stop, type: terminate, status: success, reason: r }`,
      { section: "limits: { max_iterations: 1 }" },
    ),
    lines: [],
  },
]);
