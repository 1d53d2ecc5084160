// What a sender writes is data: it reaches a workflow as it is, and no template ever reads it as one.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { followsRun, inputsOf, isWanted, type TriggerContext } from "./context.ts";

const context = (body: unknown): TriggerContext => ({
  name: "pushed",
  fired_at: "2026-11-15T00:00:00.000Z",
  body,
  headers: { "x-github-event": "push", authorization: "Bearer s3cret" },
});
const trigger = { inputs: { ref: "{{ trigger.body.ref }}", all: ["{{ trigger.body }}"], fixed: "main" } };

describe("inputs", () => {
  it("are what the body says, of any type", () => {
    const body = { ref: "refs/heads/main", n: [1, { deep: true }] };
    expect(inputsOf(trigger, context(body))).toEqual({ ref: "refs/heads/main", all: [body], fixed: "main" });
  });

  it.each(["{{ 7 * 7 }}", "{% for x in range(9) %}x{% endfor %}", "{{ trigger.headers }}", "{# gone #}", "${HOME}"])(
    "hand %s on as it was written",
    (hostile) => {
      expect(inputsOf(trigger, context({ ref: hostile }))).toMatchObject({ ref: hostile, all: [{ ref: hostile }] });
    },
  );

  it("hand any text on as it was written", () => {
    fc.assert(
      fc.property(fc.string(), (ref) => {
        expect(inputsOf({ inputs: { ref: "{{ trigger.body.ref }}" } }, context({ ref }))).toEqual({ ref });
      }),
    );
  });

  it("never see the token that the sender proved itself with", () => {
    const all = inputsOf({ inputs: { headers: "{{ trigger.headers }}" } }, context({}));
    expect(JSON.stringify(all)).not.toContain("s3cret");
  });
});

describe("when", () => {
  const when = (condition: string, body: unknown) => isWanted({ when: condition }, context(body));
  it("decides by the body, with braces or without", () => {
    expect(when("{{ trigger.body.ref == 'refs/heads/main' }}", { ref: "refs/heads/main" })).toBe(true);
    expect(when("trigger.body.ref == 'refs/heads/main'", { ref: "refs/heads/other" })).toBe(false);
  });
  it("is not talked into anything by what the body says", () => {
    expect(when("{{ trigger.body.ref == 'x' }}", { ref: "x' }}{{ true or '" })).toBe(false);
  });
});

describe("on_run", () => {
  const run = { run_id: "R", workflow: "release", status: "failed", kind: "release.blocked", ended_at: "" };
  it.each([
    [{ workflow: "release" }, true],
    [{ workflow: "other" }, false],
    [{ workflow: "release", status: ["failed"] }, true],
    [{ workflow: "release", status: ["completed"] }, false],
    [{ workflow: "release", kind: ["release.*"] }, true],
    [{ workflow: "release", kind: ["http.*"] }, false],
  ])("%j", (on_run, follows) => {
    expect(followsRun({ on_run: { status: undefined, kind: undefined, ...on_run } }, run)).toBe(follows);
  });
});
