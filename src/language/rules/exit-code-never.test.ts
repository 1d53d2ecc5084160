import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const steps = (text: string, more = ""): string => flow(text, { more }).replace("agents:", "steps:");
const script = (when: string, more = "") =>
  `  - { name: a, type: script, command: make, routes: [{ to: $end, when: "${when}" }, { to: $end }]${more} }`;

ruleCases("exit-code-never", [
  {
    name: "finds a success route for a code that raises",
    files: steps(script("exit_code == 3")),
    lines: [3],
    suggests: "ok_exit_codes: [0, 3]",
    message: /internal\.script_error/,
  },
  {
    name: "knows every way to write it",
    files: steps(
      ["{{ output.exit_code != 0 }}", "a.output.exit_code > 0"]
        .map((when, index) => script(when).replace("name: a", `name: ${"ab"[index]}`).replace("a.output", "b.output"))
        .join("\n")
        .replace("to: $end, when", "to: b, when"),
    ),
    lines: [3, 4],
    suggests: "ok_exit_codes: any",
  },
  {
    name: "finds it where a step of agents opts in",
    files: flow(script("exit_code == 3", ", raises: []")),
    lines: [3],
  },
  { name: "has nothing to say of a step of agents that does not", files: flow(script("exit_code == 3")), lines: [] },
  {
    name: "nor where the code is no failure",
    files: steps(script("exit_code == 3", ", ok_exit_codes: [0, 3]")),
    lines: [],
  },
  ...["exit_code == 2", "{{ output.exit_code in [2, 4] }}", "a.output.exit_code > 3", "exit_code not in [0, 3]"].map(
    (when) => ({
      name: `finds ${when} where only 0 and 3 are no failures`,
      files: steps(script(when, ", ok_exit_codes: [0, 3]")),
      lines: [3],
      message: /is 0 or 3 in this route/,
    }),
  ),
  {
    name: "suggests all codes that routes ask for",
    files: steps(
      `  - name: a
    type: script
    command: make
    ok_exit_codes: [0, 3]
    routes:
      - { to: $end, when: exit_code == 2 }
      - { to: $end, when: exit_code == 3 }
      - { to: $end, when: "exit_code in [5, 4]" }
      - { to: $end }`,
    ),
    lines: [8, 10],
    suggests: "ok_exit_codes: [0, 2, 3, 4, 5]",
  },
  ...["exit_code >= 3", "exit_code != 0", "exit_code in [2, 3]", "exit_code == 2 or output.stdout == 'x'"].map(
    (when) => ({
      name: `is content with ${when} where 3 is no failure`,
      files: steps(script(when, ", ok_exit_codes: [0, 3]")),
      lines: [],
    }),
  ),
  { name: "nor where none is", files: steps(script("exit_code == 3", ", ok_exit_codes: any")), lines: [] },
  {
    name: "finds it where 0 alone is named",
    files: steps(script("exit_code == 3", ", ok_exit_codes: [0]")),
    lines: [3],
  },
  {
    name: "leaves raise_when, error routes and later steps alone",
    files: steps(
      `
  - name: a
    type: script
    command: make
    raise_when: [{ kind: x.y, when: exit_code == 3, message: m }]
    routes: [{ to: b }, { on_error: true, when: "{{ error.details.exit_code == 3 }}", to: b }, { on_error: true, to: b }]
  - { name: b, type: set, value: 1, routes: [{ to: $end, when: "{{ a.output.exit_code == 0 }}" }, { to: $end }] }`,
    ),
    lines: [],
  },
  {
    name: "leaves a field of that name alone",
    files: steps(script("exit_code == 3", ", output: { exit_code: { type: number } }")),
    lines: [],
  },
]);
