import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffText, lineDiff } from "./proposal.ts";

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `line ${index + 1}`);

describe("a line diff", () => {
  it("has nothing to say of equal texts", () => {
    expect(lineDiff("a\nb\n", "a\nb\n")).toEqual([]);
  });

  it("shows a changed line with the lines around it", () => {
    const before = numbered(20);
    const after = before.with(9, "changed");
    expect(diffText(lineDiff(before.join("\n"), after.join("\n")))).toBe(
      "@@ -7 +7 @@\n line 7\n line 8\n line 9\n-line 10\n+changed\n line 11\n line 12\n line 13",
    );
  });

  it("keeps distant changes apart", () => {
    const before = numbered(40);
    const after = before.with(2, "x").with(35, "y");
    expect(lineDiff(before.join("\n"), after.join("\n")).map(({ from }) => from)).toEqual([1, 33]);
  });

  it("leads from one text to the other, whatever they are", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 });
    void fc.assert(
      fc.property(text, text, (before, after) => {
        // Without lines left out: every line is near a change.
        const lines = lineDiff(before.join("\n"), after.join("\n")).flatMap((hunk) => hunk.lines);
        const removed = lines.filter(({ sign }) => sign === "-").length;
        const added = lines.filter(({ sign }) => sign === "+").length;
        expect(added - removed).toBe((after.length || 1) - (before.length || 1));
        if (before.join("\n") !== after.join("\n")) expect(removed + added).toBeGreaterThan(0);
      }),
    );
  });
});
