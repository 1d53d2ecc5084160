// Outputs that no journal can hold: each is the failure of its step, never the end of the run.
import { describe, expect, it } from "vitest";
import { MemoryRun } from "../../../test/support/engine/memory-run.ts";
import { failed, raised, succeeded } from "../../base/errors/index.ts";
import { parseJson } from "../../base/json/bounded.ts";
import { recordable, whyUnrecordable } from "./recordable.ts";

const SMALL = { levels: 3, values: 6, characters: 40, jsonText: 20 };

describe("an output", () => {
  it.each([
    ["nothing", undefined, undefined],
    ["up to every cap", { a: [["x"], 1, 2], b: "y" }, undefined],
    ["too deep", [[[[1]]]], "it is nested more than 3 levels deep"],
    ["too many values", [1, 2, 3, [4, 5, 6]], "it has more than 6 values"],
    ["too many letters", Array(5).fill("nine lett"), "its texts have more than 40 characters"],
    ["a text that is too long when it is escaped", "\u0001\u0001\u0001\u0001", /a text in it is longer than 20/],
    ["a number that JSON lacks", { a: [-Infinity] }, "it has a number that JSON cannot hold"],
    ["a text as long that needs no escaping", "abcd", undefined],
  ])("with %s", (_, output, why) => {
    const said = whyUnrecordable(output, SMALL);
    if (why === undefined) expect(said).toBeUndefined();
    else expect(said).toMatch(why);
  });

  it("that cannot be held is a failure, and so is an error", () => {
    expect(recordable("fetch", succeeded([[[[1]]]]), SMALL)).toMatchObject({
      ok: false,
      error: { kind: "internal.step_error", message: expect.stringMatching(/^The output of fetch cannot be recorded/) },
    });
    expect(recordable("fetch", failed(raised("own.kind", "m", { a: [[[1]]] })), SMALL)).toMatchObject({
      ok: false,
      error: { kind: "internal.step_error", message: expect.stringMatching(/^The error of fetch/) },
    });
    const fine = succeeded({ a: 1 });
    expect(recordable("fetch", fine, SMALL)).toBe(fine);
  });

  it("is not gone through again when the text that it was made of can be kept", () => {
    let read = 0;
    const output = parseJson(`{"text": "${"x".repeat(2 * 1024 * 1024)}"}`) as object;
    Object.defineProperty(output, "last", { enumerable: true, get: () => ++read });
    expect(whyUnrecordable(output)).toBeUndefined();
    expect(read).toBe(0);
    expect(whyUnrecordable([output])).toBeUndefined();
    expect(read).toBe(1);
  });
});

it("a value that nests with every visit is stopped before it fills the stack, and its route is taken", async () => {
  const { output } = await new MemoryRun(`
workflow: { name: growing, entry_point: grow, limits: { max_iterations: 1000 } }
agents:
  - name: grow
    type: set
    values: { before: "{{ grow.output if grow is defined and grow.output is defined else 1 }}" }
    routes: [{ to: grow }, { on_error: internal.step_error, to: stop }]
  - { name: stop, type: set, value: "{{ grow.error.message }}", routes: [{ to: $end }] }
output: { said: "{{ stop.output }}" }
`).drive();
  expect(output).toMatchObject({ said: expect.stringContaining("nested more than 500 levels deep") });
});
