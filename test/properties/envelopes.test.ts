// Envelopes survive every boundary unchanged: the error file, the journal, a child, a group, the result, errors.jsonl.
import fc from "fast-check";
import { expect, it } from "vitest";
import { isEngineKind } from "../../src/base/errors/index.ts";
import { Playground } from "../support/play.ts";
import { runs } from "../support/property-runs.ts";

const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,6}$/);
const kind = fc
  .array(word, { minLength: 2, maxLength: 4 })
  .map((words) => words.join("."))
  .filter((text) => !isEngineKind(text));
/** Texts that no redaction touches, but with everything else that JSON can hold (which has no minus zero). */
const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }).filter((one) => one.trim() !== "");
const plain = fc
  .jsonValue({ maxDepth: 3 })
  .map((value): unknown => JSON.parse(JSON.stringify(value)))
  .filter((value) => !/[A-Za-z0-9_-]{12,}|sk-|eyJ|Bearer/i.test(JSON.stringify(value)));
const details = fc.dictionary(fc.stringMatching(/^(x|item|branch|n)_?[0-9]{0,2}$/), plain, { maxKeys: 4 });

/** The shell's `cp`: a Node for each of these runs would cost more than all that is tested. */
const RAISE = 'cp envelope.json "$CONDUCTOR_ERROR_OUT"\n';
const step = `{ name: probe, type: script, command: sh, args: [raise.sh] }`;
const FILES = {
  "raise.sh": RAISE,
  "plain.yaml": `workflow: { name: leaf, entry_point: probe }\nagents: [${step}]\n`,
  "child.yaml": `workflow: { name: middle, entry_point: call }\nagents: [{ name: call, type: workflow, workflow: plain.yaml }]\n`,
  "top.yaml": `workflow: { name: top, entry_point: call }\nagents: [{ name: call, type: workflow, workflow: child.yaml }]\n`,
  "group.yaml": `workflow: { name: group, entry_point: each, input: { xs: { type: array, default: [1] } } }
for_each:
  - { name: each, type: for_each, source: workflow.input.xs, as: x, agent: ${step} }
`,
  "routed.yaml": `workflow: { name: routed, entry_point: probe }
agents:
  - { name: probe, type: script, command: sh, args: [raise.sh], routes: [{ to: $end }, { on_error: true, to: keep }] }
  - { name: keep, type: set, values: { kind: "{{ error.kind }}", details: "{{ error.details }}" } }
output: { kept: "{{ keep.output }}", message: "{{ probe.error.message | tojson }}" }
`,
};

it("keeps kind, message and details from the script to errors.jsonl, at any depth", async () => {
  const ground = new Playground();
  try {
    ground.write(FILES);
    await fc.assert(
      fc.asyncProperty(kind, text, details, async (raisedKind, message, given) => {
        ground.write({
          "envelope.json": JSON.stringify({ conductor_error: true, kind: raisedKind, message, details: given }),
        });
        const expected = { kind: raisedKind, message, details: given };
        for (const file of ["plain.yaml", "top.yaml", "group.yaml"]) {
          const { result, errorLines, events } = await ground.run(file);
          expect(result.exit_code).toBe(3);
          expect(result.errors[0]).toMatchObject({ kind: raisedKind, message });
          expect(errorLines).toMatchObject([expected]);
          const first = events.find((event) => event.type === "error_raised");
          expect(first?.data).toMatchObject({ error: expected });
        }
        const { result } = await ground.run("routed.yaml");
        expect(result.output).toEqual({ kept: { kind: raisedKind, details: given }, message });
      }),
      { numRuns: runs(12) },
    );
  } finally {
    ground.close();
  }
});
