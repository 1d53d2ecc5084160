// A run whose files have neither resilience nor policies loads nothing of either.
import { expect, test } from "vitest";
import { forbidden, loadedWith } from "../support/built.ts";

test.each(["src/services/runs/run.ts", "src/services/runs/resume.ts"])("%s", (entry) => {
  const files = loadedWith(entry);
  expect(files).toContain("src/services/drive/to-its-end.ts");
  const governed = ["src/engine/guard/", "src/services/resilience/"];
  // How often a policy retried is counted by every visit, and what names a letter's place a resume may need. Limits hold
  // for all runs. What a policy runs is read when its file is checked, for the policies that there are.
  const needed = [
    "src/services/resilience/policy-code.ts",
    "src/engine/visit/policy-retries.ts",
    "src/engine/guard/resilience/dead-letter.ts",
    "src/services/resilience/limits/",
  ];
  expect(forbidden(files, governed, needed)).toEqual([]);
});
