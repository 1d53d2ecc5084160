// Answers that say no, and the line that would have raised.
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { isKind } from "../../base/errors/index.ts";
import { compile, compileCondition } from "../../template/index.ts";
import { refusalWarning, saysNo } from "./says-no.ts";

/** The rule that the warning tells people to write. */
function ruleFor(body: unknown, node = "post"): { when: string; kind: string; message: string } {
  const no = saysNo(body);
  if (!no) throw new Error("it does not say no");
  const warning = refusalWarning(node, 200, no);
  return parse(warning.slice(warning.indexOf("raise_when:"))).raise_when[0];
}

const raises = (when: string, body: unknown): boolean => compileCondition(when).test({ output: { body } } as never);

describe("an answer that says no", () => {
  it.each([
    [{ ok: false, error: "channel_not_found" }, 'ok is false, "channel_not_found"', "channel_not_found"],
    [{ success: false, message: "no credit" }, 'success is false, "no credit"', "no credit"],
    [{ success: false }, "success is false", "success is false"],
    [{ status: "error", detail: "d" }, 'status is "error", "d"', "d"],
    [{ status: "failed" }, 'status is "failed"', 'status is "failed"'],
    [{ data: null, errors: [{ message: "no such field" }] }, 'errors is not empty, "no such field"', "no such field"],
    [{ errors: ["a", "b"] }, 'errors is not empty, "a"', "a"],
    [{ errors: [{ code: 7 }] }, "errors is not empty", "errors is not empty"],
    [{ error: "gone" }, 'error is not empty, "gone"', "gone"],
    [{ error: { code: 1, message: "gone" } }, 'error is not empty, "gone"', "gone"],
    [{ error: true }, "error is not empty", "error is not empty"],
  ])("is found, and would be raised by the line of the warning: %j", (body, said, message) => {
    const no = saysNo(body);
    expect(no && refusalWarning("post", 200, no)).toContain(`post answered 200, but its JSON says no: ${said}. `);
    const rule = ruleFor(body);
    expect(raises(rule.when, body)).toBe(true);
    expect(compile(rule.message).render({ output: { body } })).toBe(message);
    // What is fine, or is something else altogether, is not raised by it, and does not make the condition fail.
    for (const fine of [{ ok: true, success: true, status: "done", errors: [], error: null }, {}, [], "text", null])
      expect(raises(rule.when, fine)).toBe(false);
  });

  it.each([
    [{ ok: true }],
    [{ ok: "false" }],
    [{ ok: null, success: null, status: null, errors: null, error: null }],
    [{ success: true, status: "ok", errors: [], error: "" }],
    [{ error: {} }],
    [{ error: false }],
    [{ error: 0 }],
    [{ errors: { a: 1 } }],
    [{ status: "failing" }],
    [[{ ok: false }]],
    ["error"],
    [null],
  ])("is not seen in %j", (body) => {
    expect(saysNo(body)).toBeUndefined();
  });

  it.each(["Post-It", "7up", "a.b", "ünder"])(
    "gets a kind that can be declared, whatever the step's name: %s",
    (node) => {
      expect(isKind(ruleFor({ ok: false }, node).kind)).toBe(true);
    },
  );

  it("is cut where it is long, and quoted so that the line stays whole", () => {
    expect(saysNo({ ok: false, error: "x".repeat(5000) })?.said).toHaveLength(200);
    expect(ruleFor({ ok: false, error: 'a "quoted" word: {{ x }}' }).message).toBe("{{ output.body.error }}");
    expect(ruleFor({ status: "failed" }).message).toBe('status is "failed"');
  });
});
