import { expect, it } from "vitest";
import { rulesText } from "./rules.tsx";

it("says who may answer a gate, and until when", () => {
  const deadline = "2026-03-01T12:00:00.000Z";
  expect(rulesText({ approvers: ["alex", "sam"], not_by: ["sam"], deadline })).toBe(
    `For alex, sam. Not for sam, who started or changed the run. Until ${deadline}.`,
  );
  expect(rulesText({ approvers: null, not_by: [], deadline: null })).toBe("");
});
