import { describe, expect, it } from "vitest";
import { pageCss } from "./css.ts";
import { tokenCss } from "./tokens.ts";

describe("the page's sheet", () => {
  it("touches nothing outside of a graph, and takes every colour from a token that both schemes have", () => {
    const rules = pageCss().split("\n");
    for (const rule of rules) {
      const selectors = rule.slice(0, rule.indexOf("{")).split(",");
      expect(selectors.every((selector) => selector.startsWith(".graph "))).toBe(true);
      expect(rule).not.toMatch(/#[0-9a-f]{3}/);
    }
    const used = [...pageCss().matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name);
    expect(used.length).toBeGreaterThan(50);
    for (const scheme of ["light", "dark"] as const)
      for (const name of used) expect(tokenCss(scheme)).toContain(`${name}: #`);
  });
});
