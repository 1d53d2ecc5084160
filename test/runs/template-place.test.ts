// Where a template that failed is said to stand: its field, its text, and its line; also later, after the file changed.
import { expect, onTestFinished, test } from "vitest";
import { showRun } from "../../src/services/runs/runs.ts";
import { Playground } from "../support/play.ts";

const flow = (step: string): string => `workflow: { name: w, entry_point: a }
agents:
  - { name: a, type: set, value: { x: 1 }, routes: [{ to: b }] }
  - name: b
${step}
`;

const FIELDS: readonly [string, string, object][] = [
  [
    "a header",
    `    type: http
    url: "http://127.0.0.1:9/"
    headers:
      a: "1"
      b: "no {{ a.output.nope }}"`,
    { field: "headers.b", line: 9, column: 17 },
  ],
  [
    "an argument",
    `    type: script
    command: echo
    args:
      - one
      - "{{ a.output.nope }}"`,
    { field: "args[1]", line: 9 },
  ],
];

test.each(FIELDS)(
  "%s: with the field and the template, in the result and when it is shown later",
  async (_, step, place) => {
    const ground = new Playground();
    onTestFinished(() => ground.close());
    ground.write({ "main.yaml": flow(step) });
    const { result } = await ground.run("main.yaml");
    expect(result.errors).toMatchObject([
      {
        kind: "internal.template_error",
        location: { file: "main.yaml", ...place },
        details: { template: expect.stringContaining("{{ a.output.nope }}") },
      },
    ]);
    // The places of the file that was run, not of what it has become.
    ground.write({ "main.yaml": "# gone" });
    const shown = await showRun(ground.session, { run: result.run_id ?? "" });
    expect(shown).toEqual(result);
  },
);
