import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { allKeys, keyNames } from "./keys.ts";

const rows = [...allKeys()].flatMap(([where, keys]) =>
  keys.map(
    ({ combinations, does }) =>
      `| ${where} | ${combinations
        .map((one) =>
          keyNames(one)
            .map((key) => `\`${key}\``)
            .join(" "),
        )
        .join(" or ")} | ${does} |`,
  ),
);

it("docs/dashboard.md has every key of the page, and no other", () => {
  const section = readFileSync("docs/dashboard.md", "utf8").split("\n## Keys\n")[1]?.split("\n## ")[0] ?? "";
  const written = section.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| where "));
  expect(written).toEqual(rows);
});
