import { describe, expect, it } from "vitest";
import { flowYaml } from "../reading/definition.ts";
import { collapse } from "./chapter.ts";
import { isLoop, type VisitScene } from "./story.ts";
import { whyAgain } from "./visit-changes.ts";

const visit = (node_id: string, more: Partial<VisitScene> = {}): VisitScene => ({
  node_id,
  type: "script",
  status: "completed",
  attempts: 1,
  duration_ms: 10,
  ...more,
});
const path = (names: string): readonly VisitScene[] => [...names].map((name) => visit(name));
const said = (visits: readonly VisitScene[]): string =>
  collapse(visits)
    .map((scene) =>
      isLoop(scene) ? `(${scene.scenes.map(({ node_id }) => node_id).join("")})${scene.times}` : scene.node_id,
    )
    .join(" ");

describe("a path", () => {
  it.each([
    ["abc", "a b c"],
    ["abababc", "(ab)3 c"],
    ["aaab", "(a)3 b"],
    ["xabcabcabcy", "x (abc)3 y"],
    ["", ""],
  ])("%s is told as %s", (names, text) => expect(said(path(names))).toBe(text));

  it("keeps rounds apart that went differently, and sums the time of those that did not", () => {
    expect(said([...path("ab"), visit("a"), visit("b", { status: "failed", kind: "x.y" })])).toBe("a b a b");
    const [loop] = collapse(path("abab"));
    expect(loop && isLoop(loop) && loop.scenes.map(({ duration_ms }) => duration_ms)).toEqual([20, 20]);
  });
});

describe("why a step ran again", () => {
  const ok = { ended: "ok", hash: "h", definition: "d" } as const;
  const now = { hash: "h", definition: "d", isContainer: false };
  it.each([
    [undefined, now, {}, undefined],
    [ok, { ...now, definition: "e" }, {}, "its definition has changed"],
    [ok, { ...now, hash: "i" }, {}, "what it reads has changed"],
    [ok, now, { force: true }, "everything was to run again"],
    [ok, now, { from: "plan" }, "everything from plan on runs again"],
    [ok, { ...now, isContainer: true }, {}, "something inside it runs again"],
    [{ ...ok, ended: "failed" as const }, now, {}, "it had failed"],
    [{ ...ok, ended: "failed" as const }, { ...now, definition: "e" }, {}, "it had failed, and has been changed since"],
    [{ ended: "cut off" as const }, now, {}, "it was cut off"],
    [{ ended: "stopped" as const }, now, {}, "it was stopped before it was done"],
    [
      { ...ok, ended: "cut off" as const },
      { ...now, definition: "e" },
      {},
      "it was cut off, and has been changed since",
    ],
  ])("%#", (earlier, present, resumedWith, why) => expect(whyAgain(earlier, present, resumedWith)).toBe(why));
});

describe("a step that reads the same and names variables", () => {
  const now = { hash: "i", definition: "e", isContainer: false };
  const named = () => ["REGION", "TOKEN"];
  it.each([
    ["ok", "the environment that it names has changed (REGION, TOKEN)"],
    ["failed", "it had failed, and the environment that it names has changed (REGION, TOKEN)"],
  ] as const)("that had ended %s runs again for their sake", (ended, why) =>
    expect(whyAgain({ ended, hash: "h", definition: "d" }, now, {}, named)).toBe(why),
  );
});

describe("a route in one line", () => {
  it.each([
    [{ on_error: "registry.busy", retry: { max: 4 } }, "{ on_error: registry.busy, retry: { max: 4 } }"],
    [{ on_error: true, to: "$end" }, "{ on_error: true, to: $end }"],
    [
      { on_error: ["a.b", "c.*"], when: "error.details.n > 3" },
      '{ on_error: [a.b, c.*], when: "error.details.n > 3" }',
    ],
    [{ on_error: "*", halt: "no" }, '{ on_error: "*", halt: "no" }'],
    [{}, "{}"],
  ])("%j reads %s", (route, text) => expect(flowYaml(route)).toBe(text));
});
