import { describe, expect, it } from "vitest";
import { askerName, askerNames, distinctAskerNames } from "./asker-name.ts";
import { itemKey } from "./key.ts";

describe("the name of whoever asks", () => {
  it.each([
    ["approve#2", "approve"],
    ["each#1[0].g", "each[0]"],
    ["each#2~3[blue].call#2.mend", "each[blue].mend"],
    ["checks#1.ask", "ask"],
    ["release#1~2/approve#1", "release/approve"],
    ["each#1[docs/b].call/approve#1", "each[docs/b]/approve"],
    ["writer#1.dialog2", "writer"],
    ["fix#1.permission1", "fix"],
    ["both#1.left.permission2", "left"],
    ["each#1[eu].fix.permission1", "each[eu]"],
  ])("of %s is %s", (key, name) => {
    expect(askerName(key)).toBe(name);
  });

  it("gives an item's id back as it was, brackets and all", () => {
    expect(askerName(itemKey("each#1", 1, "a]%", "g"))).toBe("each[a]%]");
  });

  it("lets an item be called by its place, with or without its step, by its step and by its group", () => {
    expect(askerNames("each#1[0].g")).toEqual(["each#1[0].g", "each[0]", "each[0].g", "g", "each"]);
  });

  it("lets a gate of a child be called with and without the way to it", () => {
    expect(askerNames("each#1[0].call/approve#1")).toEqual(
      expect.arrayContaining(["approve", "each[0]/approve", "each/approve"]),
    );
  });

  it("lets a request for permission be called by its agent, by its number and by both", () => {
    const names = askerNames("both#1.left.permission1");
    expect(names).toEqual(expect.arrayContaining(["left", "permission1", "left/permission1", "left.permission1"]));
  });

  it("falls back to the key where two have one name", () => {
    expect([...distinctAskerNames(["a#1", "a#2", "b#1"]).values()]).toEqual(["a#1", "a#2", "b"]);
  });
});
