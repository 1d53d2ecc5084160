import { describe, expect, it } from "vitest";
import { STATES } from "../lights.ts";
import { PLAIN_NAMES, PLAIN_PAINT, type Scheme, STATE_PAINT } from "./tokens.ts";

/** Relative luminance as WCAG defines it. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const SCHEMES: readonly Scheme[] = ["light", "dark"];
const cases = SCHEMES.flatMap((scheme) => [
  ...STATES.map((state) => ({ scheme, name: state, ...STATE_PAINT[scheme][state] })),
  ...PLAIN_NAMES.map((name) => ({ scheme, name, ...PLAIN_PAINT[scheme][name] })),
]);

describe("colours", () => {
  it("are computed as WCAG does", () => {
    expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
    expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
  });

  it.each(cases)("let $name be read in $scheme", ({ fill, stroke, text }) => {
    expect(contrast(text, fill)).toBeGreaterThanOrEqual(6.9);
    expect(contrast(stroke, fill)).toBeGreaterThanOrEqual(3.7);
  });

  it.each(SCHEMES)("let labels and lines be told from every ground in %s", (scheme) => {
    const plain = PLAIN_PAINT[scheme];
    for (const ground of [plain.paper, plain.box, plain["box-inner"]]) {
      for (const name of ["paper", "error", "taken"] as const) {
        expect(contrast(plain[name].stroke, ground.fill), name).toBeGreaterThanOrEqual(3.7);
        expect(contrast(plain[name].text, ground.fill), name).toBeGreaterThanOrEqual(6.9);
      }
    }
  });
});
