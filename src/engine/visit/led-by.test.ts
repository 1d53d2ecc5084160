// `error` in a handler: the envelope that led to it, in everything that it says; `error.cause` where it has one of its own.
import { describe, expect, it } from "vitest";
import { MemoryRun } from "../../../test/support/engine/memory-run.ts";
import { raises, type ScriptAnswers } from "../../../test/support/engine/scripted-world.ts";

/** `a` raises first.down; `h` handles it. */
const file = (handler: string, more = ""): string => `
workflow: { name: case, entry_point: a }
agents:
  - { name: a, type: script, command: a, routes: [{ to: $end }, { on_error: true, to: h }] }
  - { name: h, type: script, command: h, ${handler} }
  - { name: end, type: set, values: { kind: "{{ error.kind }}", cause: "{{ error.cause.kind }}", message: "{{ error.message }}", details: "{{ error.details }}", deepest: "{{ error.cause.cause.kind if error.cause.cause is defined else none }}" } }
${more}output: { end: "{{ end.output if end is defined else none }}" }
`;

const run = (yaml: string, scripts: ScriptAnswers = {}) =>
  new MemoryRun(yaml).drive({ scripts: { a: [raises("first.down", { n: 7 })], ...scripts } });

describe("the error that led to a step", () => {
  it("is there in the output of its success routes, and in their conditions", async () => {
    const routes = `[{ to: a, when: "{{ error.kind != 'first.down' }}" }, { to: $end, when: "error.details.n == 7", output: { kind: "{{ error.kind }}", out: "{{ output.stdout }}" } }]`;
    expect((await run(file(`routes: ${routes}`))).output).toEqual({ end: null, kind: "first.down", out: "ok" });
  });

  it("is there in the message of a `halt` after a success", async () => {
    const { end } = await run(file(`routes: [{ halt: { message: "gave up: {{ error.kind }}" } }]`));
    expect(end).toMatchObject({ type: "halted", error: { message: "gave up: first.down" } });
  });

  it("is there in `raise_when`: condition, message and details", async () => {
    const rule = `{ when: "{{ error.kind == 'first.down' }}", kind: app.no, message: "after {{ error.message }}", details: { n: "{{ error.details.n }}" } }`;
    const { output } = await run(file(`raise_when: [${rule}], routes: [{ to: $end }, { on_error: true, to: end }]`));
    expect(output).toMatchObject({
      end: { kind: "app.no", message: "after first.down happened", details: { n: 7 }, cause: "first.down" },
    });
  });

  it("is `error.cause` where the step has an error of its own: in raise_when, and on its error routes", async () => {
    const rule = `{ when: "{{ error.kind == 'internal.script_error' and error.cause.kind == 'first.down' }}", kind: app.no, message: "{{ error.kind }} after {{ error.cause.kind }}" }`;
    const routes = `[{ to: $end }, { on_error: true, when: "{{ error.cause.kind == 'first.down' }}", to: end }]`;
    const { output } = await run(file(`raise_when: [${rule}], routes: ${routes}`), { h: [{ exitCode: 3 }] });
    expect(output).toMatchObject({
      end: { kind: "app.no", message: "internal.script_error after first.down", cause: "first.down" },
    });
  });

  it("stands behind what the step's own error wraps", async () => {
    const handler = "raises: [app.known], routes: [{ to: $end }, { on_error: true, to: end }]";
    const { output, recorded } = await run(file(handler), { h: [raises("app.other")] });
    expect(output).toMatchObject({
      end: { kind: "internal.undeclared_kind", cause: "app.other", deepest: "first.down" },
    });
    // Once, not once for each of both.
    expect(recorded("error_raised").at(-1)?.error.cause?.cause?.cause).toBeUndefined();
  });

  it("gives way to a field of the step's output that a bare condition names", async () => {
    const routes = `[{ to: $end, when: "error == 'own'", output: { who: output } }, { to: $end, output: { who: error } }]`;
    const { output } = await run(file(`routes: ${routes}`), { h: ['{"error": "own"}'] });
    expect(output).toMatchObject({ who: "output" });
  });

  it("is gone in the step after", async () => {
    const later = `  - { name: later, type: script, command: later, routes: [{ to: $end, output: { seen: "{{ error is defined }}" } }] }\n`;
    expect((await run(file("routes: [{ to: later }]", later))).output).toMatchObject({ seen: false });
  });

  it("is there again after a crash, when the routes of a step that is reused are read", async () => {
    const routes = `[{ to: end, when: "{{ error.kind == 'first.down' }}" }, { to: a }]`;
    const yaml = file(`routes: ${routes}`)
      .replace('cause: "{{ error.cause.kind }}", ', "")
      .replace(/values: .*\}/, "value: done }");
    const memory = new MemoryRun(yaml);
    await memory.drive({ scripts: { a: [raises("first.down")] } });
    memory.cutAfter("agent_completed", ({ agent_name }) => agent_name === "h");
    expect((await memory.drive()).output).toEqual({ end: "done" });
  });

  const group = `
workflow: { name: case, entry_point: a }
agents:
  - { name: a, type: script, command: a, routes: [{ to: $end }, { on_error: true, to: g }] }
  - { name: m, type: script, command: m, args: ["{{ error.kind }}"] }
  - { name: n, type: set, value: "{{ error.message }}" }
parallel:
  - { name: g, agents: [m, n], failure_mode: all_or_nothing, routes: [{ to: $end, output: { kind: "{{ error.kind }}" } }, { on_error: true, to: $end, output: { kind: "{{ error.kind }}", cause: "{{ error.cause.kind }}" } }] }
output: { n: "{{ g.outputs.n }}" }
`;

  it("is there in a group, and in its members", async () => {
    const seen: (readonly string[])[] = [];
    const m = (_: unknown, args: readonly string[]) => {
      seen.push(args);
      return "ok";
    };
    expect((await run(group, { m: [m] })).output).toEqual({ n: "first.down happened", kind: "first.down" });
    expect(seen).toEqual([["first.down"]]);
  });

  it("is the cause of a member's error, once", async () => {
    const { output, recorded } = await run(group, { m: [raises("app.member")] });
    expect(output).toMatchObject({ kind: "app.member", cause: "first.down" });
    expect(recorded("error_raised").map(({ error }) => error.cause?.cause)).toEqual([undefined, undefined, undefined]);
  });
});
