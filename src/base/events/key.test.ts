import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hookIdempotencyKey, idempotencyKey } from "./idempotency-key.ts";
import {
  branchOfKey,
  callerOfSlot,
  childPrefix,
  enclosingGroupKeys,
  enclosingKeys,
  handlerKey,
  isHandlerKey,
  itemKey,
  itemOfKey,
  memberKey,
  passKey,
  slotOf,
  stepOfKey,
  visitKey,
  visitNumber,
  withoutRounds,
} from "./key.ts";

it.each([
  ["a#1", "a#1"],
  ["each#1~2[3].call", "each#1[3].call"],
  ["plan#1~3/build#2", "plan#1/build#2"],
  ["plan#1~3/each#2~2[x~2].call", "plan#1/each#2[x~2].call"],
])("%s is the place %s in whichever round", (key, place) => expect(withoutRounds(key)).toBe(place));

it.each([
  ["plain", "R:each#1[plain].call:1"],
  ["a b", "R:each#1[a b].call:1"],
  ["100%", "R:each#1[100%25].call:1"],
  ["zero\0", "R:each#1[zero%00].call:1"],
  ["zero%00", "R:each#1[zero%2500].call:1"],
  ["two\r\nlines", "R:each#1[two%0D%0Alines].call:1"],
  ["é", "R:each#1[%C3%A9].call:1"],
  ["half\ud800", "R:each#1[half%uD800].call:1"],
  ["half\udfff", "R:each#1[half%uDFFF].call:1"],
])("an attempt at the item %j is known outside as %s", (item, known) =>
  expect(idempotencyKey("R", itemKey("each#1", 1, item, "call"), 1)).toBe(known),
);

it("an attempt at an item with a long id is known by its beginning and a digest, which no other item has", () => {
  const known = (item: string): string => idempotencyKey("R", itemKey("each#1", 1, item, "call"), 1);
  const long = "x".repeat(200_000);
  expect(known(long)).toMatch(/^R:each#1\[x{993}%sha256:[0-9a-f]{64}:1$/);
  const all = [long, `${long}y`, `y${long}`, "é".repeat(400), "x".repeat(985), "x".repeat(987), "x".repeat(988)].map(
    known,
  );
  expect(new Set(all).size).toBe(all.length);
  expect(Math.max(...all.map(({ length }) => length))).toBeLessThan(1100);
  // One that an item's id is made to look like.
  const made = known(long).slice("R:each#1[".length, -":1".length);
  expect(known(made)).not.toBe(known(long));
});

describe("an item's id may be any text", () => {
  const id = fc.string({ unit: "binary", maxLength: 12 });

  it("and what the outside knows it by is fit for environments and headers, and each item's own", () => {
    const known = (item: string): string => idempotencyKey("R", itemKey("each#1", 1, item, "call"), 1);
    fc.assert(
      fc.property(id, id, (one, two) => {
        expect(known(one)).toMatch(/^[ -~]*$/);
        expect(known(one) === known(two)).toBe(one === two);
        expect(hookIdempotencyKey("R", `${itemKey("each#1", 1, one, "call")}/hooks.on_start`)).toMatch(/^[ -~]*$/);
      }),
    );
  });

  it("and the key still tells rounds, children and steps apart", () => {
    fc.assert(
      fc.property(id, fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 }), (item, round, inner) => {
        const each = visitKey("", "each", 1);
        const call = itemKey(each, round, item, "call");
        const verify = visitKey(childPrefix(call, inner), "verify", 2);
        expect(withoutRounds(verify)).toBe(`${itemKey(each, 1, item, "call")}/verify#2`);
        expect(enclosingKeys(verify)).toEqual([call]);
        expect(stepOfKey(call)).toBe("call");
        expect(stepOfKey(verify)).toBe("verify");
        expect(visitNumber(verify)).toBe(2);
        expect(itemOfKey(call)).toBe(item);
        expect(itemOfKey(handlerKey(call, "mend"))).toBe(item);
        expect(itemOfKey(verify)).toBe(null);
        expect(itemOfKey(itemKey(visitKey(childPrefix(call, inner), "hosts", 1), round, item, "push"))).toBe(item);
        expect(isHandlerKey(call, "call")).toBe(false);
        expect(isHandlerKey(handlerKey(call, "mend"), "mend")).toBe(true);
      }),
    );
  });

  it("and two items never share a key", () => {
    fc.assert(
      fc.property(id, id, (a, b) => {
        fc.pre(a !== b);
        expect(itemKey("each#1", 1, a, "call")).not.toBe(itemKey("each#1", 1, b, "call"));
      }),
    );
  });
});

it("a retried child's inside lies under the visit that started it, whichever round that was", () => {
  const key = visitKey(childPrefix(visitKey(childPrefix("plan#1", 2), "build", 1), 3), "verify", 1);
  expect(key).toBe("plan#1~2/build#1~3/verify#1");
  expect(enclosingKeys(key)).toEqual(["plan#1", "plan#1~2/build#1"]);
});

it.each([
  ["plan#1", []],
  ["plan#1~2/verify#1", []],
  ["each#2~3[a/b#1.c].call", ["each#2"]],
  ["each#2[eu].call#2", ["each#2"]],
  ["each#2[eu].call#2.mend", ["each#2"]],
  ["checks#1~2.lint#2.mend", ["checks#1"]],
  ["package#1/checks#1.lint/each#1~2[eu].ask", ["package#1/checks#1", "package#1/checks#1.lint/each#1"]],
])("%s is inside the groups %j", (key, groups) => {
  expect(enclosingGroupKeys(key)).toEqual(groups);
});

it("a member's first pass has the member's own key", () => {
  expect(passKey(memberKey("checks#1", 1, "lint"), 1)).toBe("checks#1.lint");
  expect(passKey(memberKey("checks#1", 2, "lint"), 2)).toBe("checks#1~2.lint#2");
});

it.each([
  ["both#1.two", "both#1", "both#1.two", 1],
  ["both#1~2.two#2.mend", "both#1", "both#1~2.two", 2],
  ["plan#1/each#2~3[a.b#2].call.mend", "plan#1/each#2", "plan#1/each#2~3[a.b#2].call", 3],
])("%s belongs to a member of %s", (key, group, branch, round) => {
  expect(branchOfKey(key, group)).toEqual({ branch, round });
});

it("a slot names the step or the group that called", () => {
  expect(callerOfSlot(slotOf("plan"))).toBe("plan");
  expect(callerOfSlot(slotOf("plan", { group: "all", key: "a[b]" }))).toBe("all");
});
