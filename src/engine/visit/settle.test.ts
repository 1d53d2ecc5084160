// What a step's outcome is, once its author's rules have been read.
import { describe, expect, it } from "vitest";
import { MemoryRun } from "../../../test/support/engine/memory-run.ts";
import { raises, type ScriptAnswer } from "../../../test/support/engine/scripted-world.ts";
import { envelope, failed, type Raised, raised } from "../../base/errors/index.ts";
import { semanticsOf } from "../../language/schema/semantics.ts";
import { MISSING } from "../../template/index.ts";
import { conditionsOf } from "./conditions.ts";
import { settleOutcome } from "./settle.ts";

const work = (fields: string, routes = "{ to: $end }"): string => `
workflow: { name: case, entry_point: work }
agents:
  - { name: work, type: script, command: work, ${fields}routes: [${routes}] }
  - { name: caught, type: set, values: { kind: "{{ error.kind }}", message: "{{ error.message }}", details: "{{ error.details }}" } }
output:
  caught: "{{ caught.output if caught is defined else none }}"
  exit_code: "{{ work.output.exit_code if work.output is defined else none }}"
`;
const CATCH = "{ to: $end }, { on_error: true, to: caught }";

async function outputOf(yaml: string, answer: ScriptAnswer): Promise<unknown> {
  const { end } = await new MemoryRun(yaml).drive({ scripts: { work: [answer] } });
  return end.type === "completed" ? end.output : end;
}

describe("a script's exit code", () => {
  it("is only a value for a step that nobody wants errors of", async () => {
    expect(await outputOf(work(""), { exitCode: 2 })).toEqual({ caught: null, exit_code: 2 });
  });

  it("is an error once the step, or its workflow, says what is to become of errors", async () => {
    expect(await outputOf(work("", CATCH), { exitCode: 2 })).toMatchObject({
      caught: { kind: "internal.script_error" },
    });
    const byDefault = work("").replace(
      "entry_point: work",
      "entry_point: work, error_routes: [{ on_error: true, to: caught }]",
    );
    expect(await outputOf(byDefault, { exitCode: 2 })).toMatchObject({ caught: { kind: "internal.script_error" } });
  });
});

it("a script that was never started has no exit code, and fails also where nobody wants errors of it", async () => {
  const rule = `raise_when: [{ when: "{{ output.exit_code == 3 }}", kind: app.busy, message: m }], `;
  for (const fields of ["", rule])
    expect(await outputOf(work(fields), { notStarted: "E2BIG" })).toMatchObject({
      type: "raised",
      error: { kind: "internal.script_error", details: { exit_code: null, code: "E2BIG" } },
    });
});

describe("raise_when", () => {
  const rule = `raise_when: [{ when: "{{ output.stdout == 'empty' }}", kind: app.empty, message: "got {{ output.stdout }}", details: { n: 1 } }], `;

  it("makes an error of an output", async () => {
    expect(await outputOf(work(rule, CATCH), "empty")).toMatchObject({
      caught: { kind: "app.empty", message: "got empty", details: { n: 1 } },
    });
    expect(await outputOf(work(rule, CATCH), "full")).toMatchObject({ caught: null });
  });

  it("is read before a bad exit code is an error, and sees that error", async () => {
    const byCode = `raise_when: [{ when: "{{ output.exit_code == 3 }}", kind: app.busy, message: "{{ error.kind }}" }], `;
    expect(await outputOf(work(byCode, CATCH), { exitCode: 3 })).toMatchObject({
      caught: { kind: "app.busy", message: "internal.script_error" },
    });
    expect(await outputOf(work(byCode, CATCH), { exitCode: 4 })).toMatchObject({
      caught: { kind: "internal.script_error" },
    });
  });

  it("whose condition cannot be evaluated is itself the error", async () => {
    const broken = `raise_when: [{ when: "{{ output.nothing.at_all }}", kind: app.x, message: m }], `;
    expect(await outputOf(work(broken, CATCH), "x")).toMatchObject({ caught: { kind: "internal.template_error" } });
  });
});

describe("raise_when of a refused status", () => {
  const settled = (kind: string, ...rules: readonly (readonly [when: string, kind: string])[]) => {
    const raise_when = rules.map(([when, one]) => ({ when, kind: one, message: "said so", details: {} }));
    const stamp = (error: Raised) => envelope(error, { workflow: "w", node: "ask", attempt: 1 });
    const scope = { get: () => MISSING, names: () => [] };
    const step = { type: "http", name: "ask", url: "http://x", raise_when, routes: [] } as never;
    const end = settleOutcome(failed(raised(kind, "no", { status_code: 502 }), { status: 502, body: "<html>" }), {
      step,
      optingIn: { step, hasOptedIn: true, semantics: semanticsOf("steps") },
      scope,
      conditions: (own, error) => conditionsOf(scope, own, error),
      stamp,
    });
    return end.ok ? "ok" : end.error.kind;
  };

  it.each(["http.unavailable", "http.status"])("leaves %s as it is for rules about the body", (kind) => {
    expect(settled(kind, ["{{ output.body.state == 'bad' }}", "api.bad"], ["status == 502", "api.gone"])).toBe(kind);
  });

  it("is read where the rule asks for the error", () => {
    expect(settled("http.status", ["error.details.status_code == 502", "api.gone"])).toBe("api.gone");
    expect(settled("http.status", ["{{ error is defined and output.status == 502 }}", "api.gone"])).toBe("api.gone");
  });

  it("is read for what is no refused status, as before", () => {
    expect(settled("mcp.tool_error", ["status == 502", "api.gone"])).toBe("api.gone");
  });
});

describe("raises:", () => {
  it("lets declared kinds through, and says of others what they were", async () => {
    const declared = "raises: [app.known], ";
    expect(await outputOf(work(declared, CATCH), raises("app.known"))).toMatchObject({ caught: { kind: "app.known" } });
    expect(await outputOf(work(declared, CATCH), raises("app.other"))).toMatchObject({
      caught: { kind: "internal.undeclared_kind", details: { original_kind: "app.other", declared: ["app.known"] } },
    });
  });

  it.each([
    ["", []],
    ["raises: [app.known], ", ["app.known"]],
    ["raises: [app.known], raise_when: [{ when: 'false', kind: app.rule, message: m }], ", ["app.known", "app.rule"]],
  ])("is what `details.declared` lists when a step raises an engine kind (%j)", async (fields, declared) => {
    expect(await outputOf(work(fields, CATCH), raises("http.status"))).toMatchObject({
      caught: { kind: "internal.undeclared_kind", details: { original_kind: "http.status", declared } },
    });
  });
});
