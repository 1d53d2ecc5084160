import { describe, expect, it } from "vitest";
import { envelope, raised } from "../../base/errors/index.ts";
import type { Route } from "../../language/schema/index.ts";
import { type ErrorTables, type RetriesUsed, readErrorRoutes, readSuccessRoutes, type Test } from "./routes.ts";

const retry = { max: 2, backoff: "fixed" as const, initial_seconds: 1, max_seconds: 60, jitter: 0 };
const error = envelope(raised("external.git.drift", "moved"), { workflow: "w", node: "probe", attempt: 1 });
const nothingSpent: RetriesUsed = { used: () => 0 };
/** Conditions by name: `yes` holds, `no` does not, `bad` cannot be evaluated. */
const test: Test = (when) =>
  when === "bad"
    ? { error: raised("internal.template_error", "bad") }
    : { value: when === "yes", saw: () => ({ x: 1 }) };
const tables = (own: Route[], defaults: Route[] = []): ErrorTables => ({ node: "probe", own, defaults });
const onError = (own: Route[], defaults: Route[] = [], spent = nothingSpent) =>
  readErrorRoutes(error, tables(own, defaults), spent, test).decision;

describe("a step that succeeded", () => {
  const cases: [string, Route[], unknown][] = [
    ["ends the workflow when it has no routes at all", [], { action: "go", to: "$end" }],
    [
      "takes the first route that matches",
      [{ to: "a", when: "no" }, { to: "b", when: "yes" }, { to: "c" }],
      { action: "go", to: "b" },
    ],
    ["takes a route without a condition", [{ to: "a" }], { action: "go", to: "a" }],
    ["never reads its error routes", [{ on_error: true, to: "x" }, { to: "a" }], { action: "go", to: "a" }],
    ["may halt", [{ halt: { message: "enough" } }], { action: "halt", halt: { message: "enough" } }],
    [
      "raises when no route matches",
      [{ to: "a", when: "no" }],
      { action: "raise", error: { kind: "internal.no_route" } },
    ],
    [
      "raises when a condition cannot be read",
      [{ to: "a", when: "bad" }],
      { action: "raise", error: { kind: "internal.template_error" } },
    ],
  ];
  it.each(cases)("%s", (_, routes, expected) => {
    expect(readSuccessRoutes(routes, test)).toMatchObject(expected as object);
  });

  it("says what each condition saw when none matched", () => {
    const decision = readSuccessRoutes([{ to: "a", when: "no" }], test);
    expect(decision).toMatchObject({ error: { details: { routes: [{ index: 0, when: "no", saw: { x: 1 } }] } } });
  });
});

describe("a step that raised", () => {
  it.each([
    ["the very kind", "external.git.drift"],
    ["a list with it", ["external.npm.gone", "external.git.drift"]],
    ["a prefix by whole segments", "external.git.*"],
    ["everything", true],
    ["everything, as a star", "*"],
  ])("is taken by a route that names %s", (_, on_error) => {
    expect(onError([{ on_error, to: "handler" }])).toMatchObject({ action: "go", to: "handler" });
  });

  it.each([
    ["another kind", "external.git.gone"],
    ["half a segment", "external.gi.*"],
    ["a longer kind", "external.git.drift.far"],
  ])("is not taken by a route that names %s", (_, on_error) => {
    expect(onError([{ on_error, to: "handler" }])).toEqual({ action: "unhandled" });
  });

  it("never reads its success routes", () => {
    expect(onError([{ to: "next" }])).toEqual({ action: "unhandled" });
  });

  it("is retried until the budget is spent, then falls to the next route that matches", () => {
    const routes: Route[] = [
      { on_error: true, retry },
      { on_error: "external.npm.gone", to: "x" },
      { on_error: true, to: "handler" },
    ];
    const spent = (times: number): RetriesUsed => ({ used: () => times });
    expect(onError(routes, [], spent(1))).toMatchObject({ action: "retry", route: { index: 0 } });
    expect(onError(routes, [], spent(2))).toMatchObject({ action: "go", to: "handler" });
  });

  it("may be retried by way of another step", () => {
    expect(onError([{ on_error: true, retry, to: "mend" }])).toMatchObject({ action: "retry", via: "mend" });
  });

  it("meets the workflow's defaults after its own routes", () => {
    expect(onError([{ on_error: true, to: "own" }], [{ on_error: true, to: "default" }])).toMatchObject({ to: "own" });
    expect(onError([], [{ on_error: true, to: "default" }])).toMatchObject({
      to: "default",
      route: { table: "workflow" },
    });
  });

  it("never falls into a default that leads to itself", () => {
    expect(onError([], [{ on_error: true, to: "probe" }])).toEqual({ action: "unhandled" });
  });

  it("propagates and halts when a route says so", () => {
    expect(onError([{ on_error: true, propagate: true }])).toMatchObject({ action: "propagate" });
    expect(onError([{ on_error: true, halt: { message: "stop" } }])).toMatchObject({ action: "halt" });
  });

  it("tells why each route was or was not taken", () => {
    const routes: Route[] = [
      { on_error: "a.b", to: "x" },
      { on_error: true, when: "no", to: "x" },
      { on_error: true, retry },
      { on_error: true, to: "handler" },
    ];
    const { considered } = readErrorRoutes(error, tables(routes), { used: () => 9 }, test);
    expect(considered.map(({ verdict }) => verdict)).toEqual(["other kind", "when is false", "spent", "matched"]);
  });
});
