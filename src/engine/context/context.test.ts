import { describe, expect, it } from "vitest";
import { envelope, raised } from "../../base/errors/index.ts";
import { compile } from "../../template/index.ts";
import { WorkflowContext } from "./context.ts";

const context = () =>
  new WorkflowContext({ input: { x: 1 }, name: "w", description: "", dir: "/d", file: "/d/w.yaml" });
const error = envelope(raised("a.b", "m"), { workflow: "w", node: "s", attempt: 1 });
const seen = (text: string, of: WorkflowContext) => compile(text).render(of.everything);

describe("what steps know of each other", () => {
  const STATE = "{{ s is defined }} {{ s.output is defined if s is defined }} {{ s.error is defined if s is defined }}";

  it("tells a step that never ran from one that gave null and one that raised", () => {
    const never = context();
    const gaveNull = context();
    gaveNull.succeeded("s", null);
    const raisedOne = context();
    raisedOne.raised("s", error, undefined);
    expect(seen("{{ s is defined }}", never)).toBe("False");
    expect(seen(STATE, gaveNull)).toBe("True True False");
    expect(seen("{{ s.output is none }}", gaveNull)).toBe("True");
    expect(seen(STATE, raisedOne)).toBe("True False True");
  });

  it("keeps what a step produced before it raised, and forgets the error after a later success", () => {
    const of = context();
    of.raised("s", error, { partial: 1 });
    expect(seen("{{ s.output.partial }} {{ s.error.kind }}", of)).toBe("1 a.b");
    of.succeeded("s", 2);
    expect(seen("{{ s.output }} {{ s.error is defined }}", of)).toBe("2 False");
  });

  it("shows only the last step in last_only, also when it raised", () => {
    const of = context();
    of.succeeded("first", 1);
    of.raised("s", error, undefined);
    expect(compile("{{ first is defined }} {{ s.error.kind }}").render(of.lastOnly)).toBe("False a.b");
  });

  it("gives the order as it stood, to keep", () => {
    const of = context();
    of.succeeded("s", 1);
    const history = compile("{{ context.history }}").value(of.everything);
    const whole = compile("{{ context }}").value(of.everything);
    of.succeeded("t", 2);
    expect(history).toEqual(["s"]);
    expect(whole).toEqual({ iteration: 0, history: ["s"] });
  });

  it("counts executions and remembers the order", () => {
    const of = context();
    of.iterate(1);
    of.succeeded("a", 1);
    of.execute(5);
    of.iterate(2);
    of.succeeded("b", 1);
    expect(seen("{{ context.iteration }} {{ context.history }}", of)).toBe("3 ['a', 'b']");
  });

  it("drops the oldest outputs when they do not fit", () => {
    const of = context();
    for (const name of ["a", "b", "c"]) of.succeeded(name, "x".repeat(400));
    expect(of.trim(150, "drop_oldest")).toEqual(["a", "b"]);
    expect(of.everything.names()).toEqual(["workflow", "context", "c"]);
  });
});
