import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("what a process prints in red, green, yellow, blue, magenta and cyan is told apart", () => {
  const css = readFileSync(new URL("step.css", import.meta.url), "utf8");
  const colorOf = (name: string) => new RegExp(`\\.ansi-${name}[^{]*\\{\\s*color: ([^;]+);`).exec(css)?.[1];
  const colors = ["red", "green", "yellow", "blue", "magenta", "cyan"].map(colorOf);
  expect(colors).not.toContain(undefined);
  expect(new Set(colors).size).toBe(colors.length);
});
